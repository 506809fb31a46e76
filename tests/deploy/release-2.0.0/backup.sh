#!/usr/bin/env bash
# Backs up the instances' database into $STATE_DIRECTORY, checks the backup, and removes those of more than 14 days ago.
#   backup.sh FILE COMMAND…
#   backup.sh --containers FOLDER
# FILE holds the instances' variables, of which only the database's name is used. COMMAND… runs PostgreSQL's programs
# where they need no password as an argument, since the list of processes shows arguments. FOLDER is that of
# compose.yaml. deploy/audio-backup.service calls it.
set -euo pipefail
umask 077
variables=$1
shift

# Reads a file into the array `values`, as systemd reads an EnvironmentFile.
read_variables() {
  local LC_ALL=C state=start name='' value='' blanks='' character
  end_line() {
    if [[ $state != start && $state != name && $state != comment* && $name =~ ^[A-Za-z_][A-Za-z_0-9]*$ ]]; then
      values[$name]=$value
    fi
    state=start name='' value='' blanks=''
  }
  while IFS= read -r -d '' -N 1 character; do
    case $state:$character in
      start:[\#\;]) state=comment ;;
      start:[[:space:]]) ;;
      start:*) state=name name=$character ;;
      comment:[$'\n\r'] | name:[$'\n\r'] | before_value:[$'\n\r'] | value:[$'\n\r']) end_line ;;
      comment:\\) state=comment_escape ;;
      comment_escape:*) state=comment ;;
      comment:*) ;;
      name:=) state=before_value name=${name%"${name##*[![:space:]]}"} ;;
      name:*) name+=$character ;;
      before_value:\') state=single ;;
      before_value:\") state=double ;;
      before_value:\\ | value:\\) state=escape value+=$blanks blanks='' ;;
      before_value:[[:space:]]) ;;
      value:[[:space:]]) blanks+=$character ;;
      before_value:* | value:*) state=value value+=$blanks$character blanks='' ;;
      escape:[$'\n\r']) state=value ;;
      escape:*) state=value value+=$character ;;
      single:\' | double:\") state=before_value ;;
      double:\\) state=double_escape ;;
      double_escape:[\"\\\`\$]) state=double value+=$character ;;
      double_escape:$'\n') state=double ;;
      double_escape:*) state=double value+=\\$character ;;
      single:* | double:*) value+=$character ;;
    esac
  done < "$variables"
  end_line
}
declare -A values=()
if [[ $variables == --containers ]]; then
  # Only Compose knows how it reads .env. Asks the instances, or where none runs, one like them.
  compose=(docker compose --project-directory "$1")
  read_address=(sh -c 'echo "${DATABASE_DIRECT_URL:-$DATABASE_URL}"')
  variables="the containers"
  addresses=$(for instance in app-1 app-2; do "${compose[@]}" exec -T "$instance" "${read_address[@]}" || true; done | sort -u)
  values[DATABASE_URL]=${addresses:-$("${compose[@]}" run --rm --no-deps -T app-1 "${read_address[@]}")}
  if [[ ${values[DATABASE_URL]} == *$'\n'* ]]; then
    echo "DATABASE_URL differs between app-1 and app-2: restart both" >&2
    exit 78
  fi
  set -- "${compose[@]}" exec -T --env PGUSER=audio database
elif [[ $* == *docker[\ -]compose* ]]; then
  echo "For containers write the drop-in of docs/operations.md anew: audio-backup --containers /opt/audio" >&2
  exit 78
else
  read_variables
fi

# Any part of an address may be the password, so a wrong one is refused without repeating it.
name_pattern='[A-Za-z0-9_][A-Za-z0-9_.-]*'
host_pattern='(\[[0-9A-Fa-f:.]+\]|[^]:@/?#[]*)(:[0-9]*)?'
address_pattern="^postgres(ql)?://([^/?#]*@)?$host_pattern/($name_pattern)(\?[^@]*)?$"
database=
for variable in DATABASE_DIRECT_URL DATABASE_URL; do
  value=${values[$variable]-}
  if [[ -z $value ]]; then continue; fi
  if [[ ! $value =~ $address_pattern ]]; then
    echo "$variable in $variables must end in the name of a database, of letters, digits and _.- only, and no comment:" \
      "postgresql://user:password@host/database" >&2
    exit 78
  fi
  database=${BASH_REMATCH[5]}
  if [[ $variables == 'the containers' && ${BASH_REMATCH[3]} != database ]]; then
    echo "$variable in $variables leads to another host than the container database" >&2
    exit 78
  fi
  break
done
if [[ -z $database ]]; then
  echo "$variables names no database: write DATABASE_URL=address, without export or blanks around =" >&2
  exit 78
fi
file=$STATE_DIRECTORY/audio-$(date --utc +%Y%m%dT%H%M%SZ).dump

# Under another name until it is whole.
trap 'rm -f "$file.part"' EXIT
"$@" pg_dump --format=custom --no-owner --no-privileges "$database" > "$file.part"
"$@" pg_restore --file=/dev/null < "$file.part"
mv "$file.part" "$file"
find "$STATE_DIRECTORY" -name 'audio-*.dump' -mtime +14 -delete

# For the alert AudioBackupOld, by the textfile collector of Prometheus's node exporter.
metrics=${TEXTFILE_DIRECTORY:-/var/lib/prometheus/node-exporter}
if [[ -d $metrics ]]; then
  echo "audio_backup_timestamp_seconds $(date +%s)" > "$metrics/audio-backup.prom.part"
  chmod 644 "$metrics/audio-backup.prom.part"
  mv "$metrics/audio-backup.prom.part" "$metrics/audio-backup.prom"
fi
