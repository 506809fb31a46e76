-- The sign-in that a session's row belongs to, which has two rows; NULL in rows of 1.3.0, which ignores the column.
ALTER TABLE "sessions" ADD COLUMN "sign_in_id" UUID;
