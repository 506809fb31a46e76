-- When each attempt that is being checked stops counting, should the instance that checks it be killed. 1.2.0 ignores the column, and
-- counts what is under way in `points`.
ALTER TABLE "attempts" ADD COLUMN "under_way" TIMESTAMPTZ(6)[] DEFAULT ARRAY[]::TIMESTAMPTZ(6)[];
