-- Raised by a new password and by disabling the account. A session counts only while it carries the version of its account.
ALTER TABLE "accounts" ADD COLUMN "credentials_version" INTEGER NOT NULL DEFAULT 0;

-- NULL: started by the previous release, which does not know the column. Such a session counts as long as its row stands:
-- that release locks the account while it starts a session, and a new password or disabling deletes the rows.
ALTER TABLE "sessions" ADD COLUMN "credentials_version" INTEGER;
