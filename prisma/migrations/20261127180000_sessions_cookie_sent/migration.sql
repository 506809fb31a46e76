-- Whether the browser's cookie was sent since the sign-in; false in rows of 2.0.1, which ignores the column.
ALTER TABLE "sessions" ADD COLUMN "cookie_sent" BOOLEAN NOT NULL DEFAULT false;
