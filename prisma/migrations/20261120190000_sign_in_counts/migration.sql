-- CreateTable
CREATE TABLE "sign_in_counts" (
    "key" BYTEA NOT NULL,
    "attempts" INTEGER NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sign_in_counts_pkey" PRIMARY KEY ("key")
);

-- CreateIndex
CREATE INDEX "sign_in_counts_expires_at_idx" ON "sign_in_counts"("expires_at");
