-- When a notice ends, null for never. 1.3.0 ignores the column and shows the notice until it is cleared.
ALTER TABLE "notices" ADD COLUMN "until" TIMESTAMPTZ(3);
