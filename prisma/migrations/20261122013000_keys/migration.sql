-- `TOOL` keys are sent to the API, `PLAYER` keys are part of an address under /live.
CREATE TYPE "key_kind" AS ENUM ('TOOL', 'PLAYER');

CREATE TABLE "account_keys" (
    "id" UUID NOT NULL,
    "account_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "kind" "key_kind" NOT NULL,
    "key_hash" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "account_keys_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "account_keys_key_hash_key" ON "account_keys"("key_hash");
CREATE UNIQUE INDEX "account_keys_account_id_name_key" ON "account_keys"("account_id", "name");

ALTER TABLE "account_keys" ADD CONSTRAINT "account_keys_account_id_fkey"
    FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The name of the key that asked; NULL where a session did, and in rows of the previous release.
ALTER TABLE "token_records" ADD COLUMN "key_name" TEXT;
