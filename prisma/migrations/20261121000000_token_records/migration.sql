-- CreateEnum
CREATE TYPE "token_outcome" AS ENUM ('ISSUED', 'PROVIDER_UNAVAILABLE', 'PROVIDER_BAD_ANSWER');

-- CreateEnum
CREATE TYPE "token_client" AS ENUM ('BROWSER', 'TOOL');

-- CreateTable
CREATE TABLE "token_records" (
    "id" UUID NOT NULL,
    "account_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "token_hash" BYTEA,
    "outcome" "token_outcome" NOT NULL,
    "address" TEXT,
    "client" "token_client" NOT NULL,

    CONSTRAINT "token_records_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "token_records_account_id_id_idx" ON "token_records"("account_id", "id");
