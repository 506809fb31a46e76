#!/usr/bin/env bash
# As the entrypoint of the image postgres: makes the database at the first start, for a container that does not run as
# root.
set -euo pipefail

initialize() {
  local file
  mkdir -p "$PGDATA"
  initdb --username=postgres --pwfile=<(echo "${POSTGRES_PASSWORD:?}") --auth-local=trust --auth-host=trust > /dev/null
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  # Not by TCP before all is set up.
  pg_ctl --wait --silent --options="-c listen_addresses=''" start
  for file in /docker-entrypoint-initdb.d/*.sql; do
    psql --no-psqlrc --no-password --set=ON_ERROR_STOP=1 --username=postgres --dbname=postgres --file="$file"
  done
  pg_ctl --wait --silent --mode=fast stop
}

if [[ $1 == postgres && ! -s $PGDATA/PG_VERSION ]]; then
  if compgen -G '/var/lib/postgresql/*/docker/PG_VERSION'; then
    echo "Error: the volume holds the database of another version than $PG_MAJOR" >&2
    exit 1
  fi
  initialize
fi
exec "$@"
