-- The last use of a browser's session, which ends 7 days later; NULL in a tool's session, and in rows of 1.2.0, which ignores the column.
ALTER TABLE "sessions" ADD COLUMN "last_used_at" TIMESTAMPTZ(3);
