-- When the account ends, as a contract says; NULL for never. 1.2.0 ignores the column.
ALTER TABLE "accounts" ADD COLUMN "valid_until" TIMESTAMPTZ(3);

-- By the clock of the instance that signed the partner in.
ALTER TABLE "accounts" ADD COLUMN "last_sign_in_at" TIMESTAMPTZ(3);
