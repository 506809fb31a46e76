-- Releases before 1.2.0 counted attempts to sign in here.
DROP TABLE "sign_in_counts";
