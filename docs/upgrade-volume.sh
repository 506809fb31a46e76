#!/usr/bin/env bash
# For a volume of compose.yaml that was made before there was docs/database.sql: its superuser is `audio`, and there is no role
# `postgres`. Gives it both roles, as a new volume has them. Run it once, beside compose.yaml; nobody is served meanwhile.
# The old database stays as `audio_before`; its content goes into the new `audio`. Afterwards: CHANGELOG.md.
# If no database is called `audio` any more, after a restore, leave out ALTER DATABASE.
set -euo pipefail

database=$(docker compose exec -T app-1 node -p 'new URL(process.env.DATABASE_URL).pathname.slice(1)')
docker compose stop app-1 app-2
docker compose up --detach --no-deps --wait database
docker compose exec -T database pg_dump --username=audio --format=custom --no-owner --no-privileges "${database:?}" > audio.dump
docker compose exec -T database createuser --username=audio --superuser postgres
docker compose exec -T database psql --username=postgres --set=ON_ERROR_STOP=1 --command='ALTER DATABASE audio RENAME TO audio_before' --command='ALTER ROLE audio RENAME TO audio_before' --command='ALTER ROLE audio_before NOLOGIN'
docker compose exec -T database psql --username=postgres --file=/docker-entrypoint-initdb.d/audio.sql
docker compose exec -T database pg_restore --username=audio --dbname=audio --exit-on-error --single-transaction --no-owner --no-privileges < audio.dump
