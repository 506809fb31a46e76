-- Raised by `account unlock` and by a new password. Attempts to sign in are counted under the number that the account has at
-- that moment, so counts under an earlier number match no attempt any more.
ALTER TABLE "accounts" ADD COLUMN "attempts_version" INTEGER NOT NULL DEFAULT 0;
