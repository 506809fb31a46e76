-- The times before which rows were last deleted: one row, or none until the first pruning. 1.3.0 ignores the table.
CREATE TABLE "pruning_limits" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "expired_before" TIMESTAMPTZ(3) NOT NULL,
    "recorded_before" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "pruning_limits_pkey" PRIMARY KEY ("id")
);
