-- The last use of a key, to the minute; NULL until it is used, and for uses that 1.2.0 served.
ALTER TABLE "account_keys" ADD COLUMN "last_used_at" TIMESTAMPTZ(3);
