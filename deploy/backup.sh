#!/usr/bin/env bash
# Backs up the database that the instances use into $STATE_DIRECTORY, and checks the backup.
#   backup.sh
#   backup.sh --containers FOLDER
# Without containers DATABASE_URL says where that is, as audio-database (deploy/database.mjs) reads it. FOLDER is that of
# compose.yaml. deploy/audio-backup.service calls it; docs/operations.md, "Back up and restore", says what it keeps and
# checks. Exit codes: 1 it failed, 78 a wrong configuration.
set -euo pipefail
umask 077
folder=${STATE_DIRECTORY:-/var/lib/audio-backup}
metrics=${TEXTFILE_DIRECTORY:-/var/lib/prometheus/node-exporter}
# After a power cut the timer may be earlier than the database. Nothing is tried again once this time is over.
patience_seconds=${AUDIO_BACKUP_PATIENCE:-1800}
pause_seconds=${AUDIO_BACKUP_PAUSE:-60}
# Of each program, so that one that hangs fails tonight and does not stop the next night's backup.
limit_seconds=${AUDIO_BACKUP_LIMIT:-3600}
lock_wait_seconds=${AUDIO_BACKUP_LOCK_WAIT:-600}
kept=14
DAY_SECONDS=86400
WRONG_CONFIGURATION=78
SCRATCH_COMMENT='Scratch database of audio-backup'

# The journal files a line that begins with <3> as an error.
error=
if [[ -n ${JOURNAL_STREAM-} && $JOURNAL_STREAM == "$(stat --dereference --format=%d:%i /dev/stderr)" ]]; then error='<3>'; fi

main() {
  containers=
  command=(audio-database)
  if (($# == 2)) && [[ $1 == --containers ]]; then
    containers=$2
    command=(docker compose --project-directory "$containers" exec -T --env PGUSER=postgres database)
  elif (($# > 0)); then
    fail $WRONG_CONFIGURATION "The command line of audio-backup.service is of an earlier release: run deploy/install.sh, or take away its drop-in with ExecStart="
  fi
  mkdir -p "$folder"
  exec 9> "$folder/lock"
  flock --nonblock 9 || fail 1 "Another backup is running, or a part of one that was killed: ps -ef | grep pg_"
  # Left by a power cut.
  rm -f "$folder"/audio-*.dump.part
  trap 'end_step 143' TERM
  trap 'end_step 130' INT
  local deadline=$((SECONDS + patience_seconds)) failed=0 part
  while true; do
    new_backup=$folder/$(name_at "$(now)")
    run back_up
    if ((status == 0)); then break; fi
    # 126 and 127: a program is missing.
    case $status in $WRONG_CONFIGURATION | 126 | 127) exit $WRONG_CONFIGURATION ;; esac
    if ((SECONDS + pause_seconds > deadline)); then exit 1; fi
    echo "Trying again in $pause_seconds s" >&2
    run pause
  done
  finished_at=$(now)
  for part in delete_old_backups write_metrics test_restore copy_backups look_for_future_backups write_metrics; do
    run "$part"
    if ((status != 0)); then failed=1; fi
  done
  exit "$failed"
}

now() {
  date +%s
}

# Prints the name of a backup made at that time.
name_at() {
  echo "audio-$(date --utc --date="@$1" +%Y%m%dT%H%M%SZ).dump"
}

# Notes when something was done.
note() {
  touch --date="@$(now)" "$folder/$1"
}

fail() {
  echo "$error$2" >&2
  exit "$1"
}

# Runs a function in a shell of its own, which ends at the first command that fails, and sets `status`. In a process group
# of its own, so that a signal can end all of it. Not to be called in a condition: bash would go on after a failure.
run() {
  set -m
  (set +m -e && "$1") &
  group=$!
  set +m
  status=0
  wait "$group" || status=$?
}

end_step() {
  trap - TERM INT
  if [[ -n ${group-} ]]; then kill -TERM -- "-$group" 2> /dev/null && wait "$group"; fi
  exit "$1"
}

pause() {
  sleep "$pause_seconds" 9>&-
}

# Runs one of PostgreSQL's programs by COMMAND. The inner limit also ends it in a container, which killing docker does
# not; the outer one ends a docker that hangs.
there() {
  timeout --foreground --kill-after=10 $((limit_seconds + 30)) \
    "${command[@]}" env PGCONNECT_TIMEOUT=10 timeout --foreground --kill-after=10 "$limit_seconds" "$@" 9>&- || {
    local code=$?
    if ((code == 124 || code == 137)); then echo "$error$1 took longer than $limit_seconds s" >&2; fi
    return "$code"
  }
}

# Reads SQL from standard input. None of ours takes long.
sql() {
  local limit_seconds=$((limit_seconds < 120 ? limit_seconds : 120))
  there psql --no-psqlrc --no-password --quiet --no-align --tuples-only --set=ON_ERROR_STOP=1 --dbname="$1"
}

back_up() {
  find_database
  if [[ -z $containers ]]; then refuse_pooler; fi
  # Under another name until it is whole and on the disk.
  trap 'rm -f "$new_backup.part"' EXIT
  there pg_dump --format=custom --no-owner --no-privileges --lock-wait-timeout=$((lock_wait_seconds * 1000)) \
    "$database" < /dev/null > "$new_backup.part"
  there pg_restore --file=/dev/null < "$new_backup.part"
  require_accounts
  sync "$new_backup.part"
  mv "$new_backup.part" "$new_backup"
  echo "$accounts" > "$folder/accounts"
  sync "$folder"
  echo "Backed up the database $database: $new_backup"
}

# A database that was prepared for a move or a restore may be empty: its backups would take the place of the good ones,
# night after night. Sets `accounts`, their number.
require_accounts() {
  local tables before
  tables=$(sql "$database" <<< "SELECT count(*) FROM pg_tables WHERE schemaname = 'public' AND tablename = 'accounts'")
  if ((tables == 0)); then fail $WRONG_CONFIGURATION "The database $database holds none of our tables, so it was not backed up"; fi
  accounts=$(sql "$database" <<< 'SELECT count(*) FROM public.accounts')
  before=$(cat "$folder/accounts" 2> /dev/null || echo 0)
  if ((accounts == 0 && before > 0)); then
    fail $WRONG_CONFIGURATION "The database $database holds no account, and held $before at the last backup, so it was not backed up. If that is right, run once: rm $folder/accounts"
  fi
}

# Sets `database`, its name.
find_database() {
  if [[ -n $containers ]]; then
    find_containers
  elif [[ -z ${DATABASE_DIRECT_URL-}${DATABASE_URL-} ]]; then
    fail $WRONG_CONFIGURATION "DATABASE_URL is not set: /etc/audio.env cannot be read, or does not hold DATABASE_URL=address, without export or blanks around ="
  else
    database=$(limited audio-database printenv PGDATABASE)
  fi
}

# Only Compose knows how it reads .env, and an instance that runs may have been started with another one. Starts no
# instance: after a power cut it would take the address of one that is about to start.
find_containers() {
  local compose=(docker compose --project-directory "$containers") instance found
  local print_address='echo "${DATABASE_DIRECT_URL:-$DATABASE_URL}"'
  local name='[A-Za-z0-9_][A-Za-z0-9_.-]*'
  found=$(for instance in app-1 app-2; do
    limited "${compose[@]}" exec -T "$instance" sh -c "$print_address" || true
  done | sort -u)
  if [[ -z $found ]]; then
    # Sorted by name: that of the direct address comes first.
    found=$(limited "${compose[@]}" config | sed -nE '/^  app-1:/,/^  [^ ]/ s/^ *DATABASE_(DIRECT_)?URL: *(postgres)/\2/p')
    found=${found%%$'\n'*}
  fi
  if [[ $found == *$'\n'* ]]; then
    fail $WRONG_CONFIGURATION "DATABASE_URL differs between app-1 and app-2: restart both"
  fi
  # Its parts are not repeated: they may be the password.
  if [[ ! $found =~ ^postgres(ql)?://([^/?#]*@)?database(:5432)?/($name)(\?[^@]*)?$ || $found =~ [?\&](host|port)= ]]; then
    fail $WRONG_CONFIGURATION "DATABASE_URL in the containers must lead to the container database, and end in @database/NAME"
  fi
  database=${found%%\?*} database=${database##*/}
}

limited() {
  timeout --kill-after=10 60 "$@" < /dev/null 9>&-
}

# A pooler would keep pg_dump's settings, such as its empty search_path, for the instances. Connects more often than it is
# likely to hand out another of its connections each time.
refuse_pooler() {
  local kept
  kept=$(for _ in {1..10}; do
    printf '%s\n' "SET audio.backup = 'kept';" '\connect' "SELECT current_setting('audio.backup', true);"
  done | sql "$database")
  if [[ $kept == *kept* ]]; then
    fail $WRONG_CONFIGURATION "DATABASE_URL leads to a pooler, so nothing was backed up: let DATABASE_DIRECT_URL lead to PostgreSQL itself"
  fi
}

backups() {
  find "$folder" -maxdepth 1 -regextype posix-extended -regex '.*/audio-[0-9]{8}T[0-9]{6}Z[.]dump' -printf '%f\n' | sort
}

# Keeps the newest, however old they are: after months without a backup they are all that there is. Those that are dated
# in the future do not count.
delete_old_backups() {
  local oldest name
  oldest=$(name_at $(($(now) - 14 * DAY_SECONDS)))
  backups | while read -r name; do if [[ ! $folder/$name > $new_backup ]]; then echo "$name"; fi; done |
    head -n "-$kept" | while read -r name; do
    if [[ $name < $oldest ]]; then rm -f "$folder/$name"; fi
  done
}

# Restores the newest backup once a week into a database of its own, and counts the accounts in it.
test_restore() {
  if is_recent "$folder/restored" $((6 * DAY_SECONDS + DAY_SECONDS / 2)); then return; fi
  find_database
  if [[ -z $containers ]]; then become_superuser; fi
  # Of its own for each installation on one server.
  scratch=${database:0:50}_restore_test
  local may_create found restored used
  may_create=$(sql "$database" <<< "SELECT rolsuper OR rolcreatedb FROM pg_roles WHERE rolname = current_user")
  if [[ $may_create != t ]]; then
    if [[ ! -e $folder/not-restored ]]; then
      echo "Backups are not restored for a test, because the role that makes them may not create a database (CREATEDB)" >&2
    fi
    touch "$folder/not-restored"
    return
  fi
  rm -f "$folder/not-restored"
  found=$(sql "$database" <<< "SELECT coalesce(shobj_description(oid, 'pg_database'), '-') FROM pg_database WHERE datname = '$scratch'")
  if [[ -n $found && $found != "$SCRATCH_COMMENT" ]]; then
    fail 1 "No backup was restored for a test: the database $scratch is not this script's. Rename it, or drop it if nobody needs it"
  fi
  trap drop_scratch EXIT
  drop_scratch
  sql "$database" << END
CREATE DATABASE "$scratch" ENCODING 'UTF8' LOCALE 'C.UTF-8' TEMPLATE template0;
COMMENT ON DATABASE "$scratch" IS '$SCRATCH_COMMENT';
END
  # Programs of PostgreSQL 17 and later set what a server 15 or 16 does not know.
  there pg_restore --file=- --no-owner --no-privileges < "$new_backup" | sed '/^SET transaction_timeout = 0;$/d' |
    there psql --no-psqlrc --no-password --quiet --single-transaction --set=ON_ERROR_STOP=1 --dbname="$scratch" > /dev/null ||
    fail 1 "The backup $new_backup cannot be restored"
  restored=$(sql "$scratch" <<< 'SELECT count(*) FROM accounts')
  used=$(sql "$database" <<< 'SELECT count(*) FROM accounts')
  if ((restored == 0 && used > 0)); then fail 1 "The backup holds no account, the database $used"; fi
  trap - EXIT
  drop_scratch
  note restored
  echo "Restored the backup for a test: $restored accounts"
}

# For the test: the role that faces partners need not be allowed to create a database. On another machine it must be.
become_superuser() {
  local said code=0
  said=$(limited audio-database --superuser true 2>&1) || code=$?
  case $code in
    0) command=(audio-database --superuser) ;;
    $WRONG_CONFIGURATION) ;;
    *) fail 1 "$said" ;;
  esac
}

drop_scratch() {
  sql "$database" << END
SET client_min_messages = warning;
DROP DATABASE IF EXISTS "$scratch" WITH (FORCE);
END
}

copy_backups() {
  if [[ -z ${AUDIO_BACKUP_COPY-} ]]; then return; fi
  # It needs none of the instances' secrets.
  unset DATABASE_URL DATABASE_DIRECT_URL JWT_SECRET JWT_SECRET_PREVIOUS PROVIDER_TOKEN_URL STREAM_BASE_URL
  # Not as an argument, which the list of processes would show.
  timeout --kill-after=10 "$limit_seconds" bash -o pipefail -c 'eval "$AUDIO_BACKUP_COPY"' < /dev/null 9>&- ||
    fail 1 "The backups were not copied: AUDIO_BACKUP_COPY ended with $? (124: it took longer than $limit_seconds s)"
  note copied
}

# Made while the clock was wrong. Each would count as one of the newest until its time has come.
look_for_future_backups() {
  local latest name
  latest=$(name_at $(($(now) + DAY_SECONDS)))
  name=$(backups | tail -n 1)
  if [[ $name > $latest ]]; then fail 1 "$folder/$name is dated in the future: correct the clock, then rename or remove it"; fi
}

# A time in the future is not recent: it was written while the clock was wrong.
is_recent() {
  local age
  [[ -e $1 ]] && age=$(($(now) - $(stat --format=%Y "$1"))) && ((age >= 0 && age < $2))
}

# For the alerts AudioBackup…, by the textfile collector of Prometheus's node exporter.
write_metrics() {
  if [[ ! -d $metrics ]]; then return; fi
  local file=$metrics/audio-backup.prom
  {
    echo "audio_backup_timestamp_seconds $finished_at"
    # 0 until the first test has succeeded; nothing where the role may not make one.
    if [[ ! -e $folder/not-restored ]]; then
      echo "audio_backup_restored_timestamp_seconds $(stat --format=%Y "$folder/restored" 2> /dev/null || echo 0)"
    fi
    if [[ -e $folder/copied ]]; then echo "audio_backup_copied_timestamp_seconds $(stat --format=%Y "$folder/copied")"; fi
  } > "$file.part"
  chmod 644 "$file.part"
  mv "$file.part" "$file"
}

main "$@"
