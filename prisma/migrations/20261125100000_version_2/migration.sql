-- Brings a database of 1.4.0 to the shape of 2.0.0, which does not run beside 1.x. Everybody signs in again.

-- One row for each sign-in.
DELETE FROM "sessions";
ALTER TABLE "sessions"
    DROP COLUMN "sign_in_id",
    ALTER COLUMN "credentials_version" SET DEFAULT 0,
    ALTER COLUMN "credentials_version" SET NOT NULL,
    ALTER COLUMN "last_used_at" SET DEFAULT CURRENT_TIMESTAMP,
    ALTER COLUMN "last_used_at" SET NOT NULL;

-- One enum for the kind of caller, with the value that was a column of its own.
ALTER TYPE "token_client" RENAME TO "token_client_of_1";
CREATE TYPE "token_client" AS ENUM ('BROWSER', 'TOOL', 'PLAYER');
ALTER TABLE "token_records"
    ALTER COLUMN "client" TYPE "token_client"
        USING (CASE WHEN "player" THEN 'PLAYER' ELSE "client"::text END)::"token_client",
    DROP COLUMN "player";
DROP TYPE "token_client_of_1";

DELETE FROM "attempts" WHERE "expires_at" IS NULL;
ALTER TABLE "attempts" ALTER COLUMN "expires_at" SET NOT NULL;
ALTER TABLE "attempts" RENAME COLUMN "points" TO "failures";

DROP TABLE "pruning_limits";
