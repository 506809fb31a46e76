-- The networks that a key is bound to; empty where it works from everywhere, and in rows of the previous release.
ALTER TABLE "account_keys" ADD COLUMN "networks" TEXT[] DEFAULT ARRAY[]::TEXT[];
