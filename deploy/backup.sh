#!/usr/bin/env bash
# Backs up the instances' database into $STATE_DIRECTORY, checks the backup, and removes those of more than 14 days ago.
#   backup.sh FILE COMMAND…
# FILE holds the instances' variables, of which only the database's name is used. COMMAND… runs PostgreSQL's programs
# where they need no password as an argument, since the list of processes shows arguments. deploy/audio-backup.service
# calls it.
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
read_variables

# Any part of an address may be the password, so a wrong one is refused without repeating it.
name_pattern='[A-Za-z0-9_][A-Za-z0-9_.-]*'
host_pattern='(\[[0-9A-Fa-f:.]+\]|[^]:@/?#[]*)(:[0-9]*)?'
address_pattern="^postgres(ql)?://([^/?#]*@)?$host_pattern/($name_pattern)(\?[^@]*)?$"
database=
for variable in DATABASE_DIRECT_URL DATABASE_URL POSTGRES_DATABASE; do
  value=${values[$variable]-}
  if [[ -z $value ]]; then continue; fi
  if [[ $variable == POSTGRES_DATABASE && $value =~ ^$name_pattern$ ]]; then
    database=$value
  elif [[ $variable != POSTGRES_DATABASE && $value =~ $address_pattern ]]; then
    database=${BASH_REMATCH[5]}
  else
    echo "$variable in $variables must end in the name of a database, of letters, digits and _.- only:" \
      "postgresql://user:password@host/database" >&2
    exit 78
  fi
  break
done
# The default of compose.yaml.
if [[ -z $database && -n ${values[POSTGRES_PASSWORD]-} ]]; then database=audio; fi
file=$STATE_DIRECTORY/audio-$(date --utc +%Y%m%dT%H%M%SZ).dump

# Under another name until it is whole.
trap 'rm -f "$file.part"' EXIT
"$@" pg_dump --format=custom --no-owner --no-privileges "${database:?no database in $variables}" > "$file.part"
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
