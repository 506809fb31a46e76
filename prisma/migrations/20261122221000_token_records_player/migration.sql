-- Whether a player asked. `client` stays `TOOL` for it, since 1.2.0 can read no other value there.
ALTER TABLE "token_records" ADD COLUMN "player" BOOLEAN NOT NULL DEFAULT false;
