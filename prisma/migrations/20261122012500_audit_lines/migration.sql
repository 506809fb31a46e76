-- One line for each change that an account command made.
CREATE TABLE "audit_lines" (
    "id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "operator" TEXT NOT NULL,
    "command" TEXT NOT NULL,
    "account_id" TEXT,
    "username" TEXT,
    "details" TEXT,

    CONSTRAINT "audit_lines_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "audit_lines_at_idx" ON "audit_lines"("at");

-- The names of accounts that were deleted, for the lines of token_records that outlive them.
CREATE TABLE "deleted_accounts" (
    "id" TEXT NOT NULL,
    "username" TEXT NOT NULL,
    "company" TEXT NOT NULL,
    "deleted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "deleted_accounts_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "deleted_accounts_deleted_at_idx" ON "deleted_accounts"("deleted_at");
