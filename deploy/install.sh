#!/usr/bin/env bash
# Installs the release in whose folder this file lies, or upgrades to it: the same command does both.
set -euo pipefail
umask 022
export LC_ALL=C.UTF-8

usage() {
  cat << 'END'
install.sh --public-name NAME [OPTION…]    installs this release as services of systemd behind nginx, or upgrades to it
install.sh --containers FOLDER [OPTION]    installs what the machine of the containers in FOLDER needs: backup,
                                           certificate, alarm and the command `audio`
install.sh --monitor                       installs only what listens as a partner does, on a machine of its own
install.sh --remove                        takes away what was installed, but no data

  --public-name NAME   a name under which partners reach the service; repeat it for several
  --instance PORT      an instance on this machine (4000 and 4001), or HOST:PORT for one that runs elsewhere; repeat it
  --http               no https here: a balancer in front has it, or this is a first try; --https takes that back
  --skip-check         installs although `audio check` fails

Run it as root. What was given once need not be given again. Where DESTDIR is set, files are written into that folder
and nothing is started. Exit codes: 0, 1 it failed (what was there before is back, unless it says otherwise), 2 wrong
usage, 78 a wrong configuration.
END
}

WRONG_USAGE=2
WRONG_CONFIGURATION=78
# Longer than the ten minutes in which a migration waits for a lock.
READY_SECONDS=660
# An instance that ends this often ends always: a migration that waits for a lock ends it once in ten minutes.
MOST_RESTARTS=5

release=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
version=$(sed -n '/^ *"version": "\(.*\)",\{0,1\}$/ { s//\1/p; q }' "$release/package.json")
root=${DESTDIR:-}
state=$root/var/lib/audio-install
units=/etc/systemd/system
nginx_main=/etc/nginx/nginx.conf
nginx_site=/etc/nginx/conf.d/audio.conf
nginx_https=/etc/nginx/audio.d/nginx-https.conf

# Answers, from the options or the last run.
public_names=()
instances=()
https=
containers=
monitor=
# The ports of instances that were started.
started=()
# What to say at the end.
told=()

main() {
  local remove='' check=yes
  while (($# > 0)); do
    case $1 in
      --public-name | --instance | --containers)
        if (($# < 2)) || [[ -z $2 || $2 == --* ]]; then wrong_usage "$1 needs a value"; fi
        case $1 in
          --public-name) public_names+=("$2") ;;
          --instance) instances+=("$2") ;;
          --containers) containers=$2 ;;
        esac
        shift
        ;;
      --monitor) monitor=yes ;;
      --http) https=no ;;
      --https) https=yes ;;
      --skip-check) check=no ;;
      --remove) remove=yes ;;
      --help) usage && exit 0 ;;
      *) wrong_usage "Unknown option $1" ;;
    esac
    shift
  done
  if [[ -z $root ]] && ((EUID != 0)); then fail 1 'Run this as root'; fi
  mkdir -p "$state"
  exec 9> "$state/lock"
  flock --nonblock 9 || fail 1 'install.sh is already running'
  work=$(mktemp -d)
  trap tidy_up EXIT
  trap 'exit 143' TERM
  trap 'exit 130' INT
  trap 'exit 129' HUP
  complete_answers
  if [[ -n $remove ]]; then
    remove_all
    return
  fi
  require_answers
  require_machine
  if [[ -z $root && -z $containers && -z $monitor ]]; then
    make_environment
    if [[ $check == yes ]]; then check_configuration; fi
  fi
  render
  classify
  put_files
  if [[ -z $root ]]; then systemctl daemon-reload; fi
  if [[ -z $root && -z $containers && -z $monitor ]]; then
    try_nginx
    start_instances
  fi
  finish
  if [[ -n $root ]]; then return; fi
  if [[ -z $monitor ]]; then stop_former; fi
  start_timers
  report
}

fail() {
  printf '%s\n' "$2" >&2
  exit "$1"
}

wrong_usage() {
  fail $WRONG_USAGE "$1. install.sh --help lists the options"
}

tidy_up() {
  local code=$?
  trap - EXIT
  # A second Ctrl-C must not end it half-way.
  trap '' TERM INT HUP
  if [[ -n ${has_begun-} && -z ${is_whole-} ]]; then put_back || true; fi
  rm -rf "$work"
  exit "$code"
}

# From here on nothing is put back any more.
finish() {
  keep_answers
  is_whole=yes
}

# The answers of the last run, or what an installation by hand (2.1.1 and earlier) shows.
complete_answers() {
  host=$(variable HOST)
  case $host in '' | 0.0.0.0 | ::) host=127.0.0.1 ;; *:*) host=[$host] ;; esac
  local given_names=("${public_names[@]}") given_instances=("${instances[@]}") given_https=$https given_containers=$containers
  local given_monitor=$monitor
  if [[ -e $state/answers ]]; then
    . "$state/answers"
  elif [[ -e $root$nginx_site ]]; then
    read -ra public_names <<< "$(sed -nE '/server_name (_|localhost)/d; s/^ *server_name (.*[^ ;"])[" ]*;$/\1/p' "$root$nginx_site")"
    mapfile -t instances < <(sed -nE 's/^ *server ([^ ]+) max_fails=0;$/\1/p' "$root$nginx_site")
    instances=("${instances[@]#"$host:"}")
    https=$([[ -e $root$nginx_https ]] && echo yes || echo no)
  elif [[ -n $containers && -e $root$units/audio-backup.service.d/containers.conf ]]; then
    https=$(has_https_in_containers && echo yes || echo no)
  fi
  if [[ -e $root$nginx_site && -z $root && -n $given_monitor$given_containers ]]; then
    fail $WRONG_USAGE 'The service itself is installed on this machine, with backup, certificate and monitor'
  fi
  if [[ -n $monitor && -z $given_monitor && -n ${given_names[*]}$given_containers ]]; then
    fail $WRONG_USAGE 'This machine has the monitor alone: install.sh --remove takes that away'
  fi
  former_names=("${public_names[@]}")
  former_https=$https
  if ((${#given_names[@]} > 0)); then public_names=("${given_names[@]}"); fi
  https=${given_https:-${https:-yes}}
  containers=${given_containers:-$containers}
  monitor=${given_monitor:-$monitor}
  former_instances=$(local_instances)
  if ((${#given_instances[@]} > 0)); then instances=("${given_instances[@]}"); fi
  if ((${#instances[@]} == 0)); then instances=(4000 4001); fi
}

# Prints the value of a variable of the instances.
variable() {
  local file=$root/etc/audio.env
  if [[ -n $containers ]]; then file=$containers/.env; fi
  if [[ -e $file ]]; then sed -nE "s/^$1=['\"]?([^'\"]*)['\"]?\$/\1/p" "$file" | tail -n 1; fi
}

has_https_in_containers() {
  grep --quiet --no-messages /etc/audio/tls "$containers"/{docker-,}compose.override.y{a,}ml
}

keep_answers() {
  cat > "$state/answers.part" << END
public_names=(${public_names[*]})
instances=(${instances[*]})
https=$https
containers=${containers@Q}
monitor=$monitor
END
  mv "$state/answers.part" "$state/answers"
}

require_answers() {
  local name instance
  if [[ -n $monitor ]]; then return; fi
  if [[ -n $containers ]]; then
    containers=$(readlink -f "$containers")
    if [[ ! -e $containers/compose.yaml ]]; then fail $WRONG_USAGE "There is no compose.yaml in $containers"; fi
    if [[ $containers == *[[:space:]]* ]]; then fail $WRONG_USAGE "The name of the folder $containers must hold no blank"; fi
    read -ra public_names <<< "$(variable PUBLIC_HOST)"
    if ((${#public_names[@]} == 0)); then
      fail $WRONG_USAGE "$containers/.env has no line PUBLIC_HOST=name, without export, blanks around = or a comment after it"
    fi
  fi
  if ((${#public_names[@]} == 0)); then wrong_usage 'Say by --public-name under which name partners reach the service'; fi
  for name in "${public_names[@]}"; do
    if [[ ! $name =~ ^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$ || $name =~ ^[0-9.]+$ ]]; then
      fail $WRONG_USAGE "$name is not a name as browsers send it: no address, without https://, port and path, and a letter such as ñ in the xn-- form (docs/operations.md, \"Install\")"
    fi
  done
  for instance in "${instances[@]}"; do
    if [[ ! $instance =~ ^([A-Za-z0-9.-]+:)?[0-9]{1,5}$ ]]; then fail $WRONG_USAGE "$instance is neither PORT nor HOST:PORT"; fi
    if [[ $instance != *:* ]] && ((instance > 9999)); then
      fail $WRONG_USAGE "$instance: an instance of audio@.service needs a port of up to four digits, since its metrics take that port with a 1 in front"
    fi
  done
}

local_instances() {
  printf '%s\n' "${instances[@]}" | grep -v : || true
}

require_machine() {
  local program missing=() needed=(flock install)
  if [[ -n $monitor ]]; then
    needed+=(curl)
  elif [[ -z $containers ]]; then
    if [[ ! -e $release/dist/server/main.js ]]; then
      fail 1 "$release is not a built release: npm ci && npm run assemble -- /opt/audio-$version makes one, and this command lies in its deploy/"
    fi
    if [[ -z $root ]]; then needed+=(curl nginx systemctl systemd-run /usr/bin/node); fi
  elif [[ -z $root ]]; then
    needed+=(docker systemctl)
  fi
  if [[ -z $root ]]; then needed+=(openssl); fi
  for program in "${needed[@]}"; do
    command -v "$program" > /dev/null || missing+=("$program")
  done
  if ((${#missing[@]} > 0)); then fail 1 "Install first: ${missing[*]} (docs/operations.md, \"Install\")"; fi
  if [[ -n $root || -n $containers || -n $monitor ]]; then return; fi
  /usr/bin/node --eval '
    const [major, minor] = process.versions.node.split(".").map(Number);
    process.exit(major > 20 || (major === 20 && minor >= 19) ? 0 : 1);' ||
    fail 1 "/usr/bin/node is $(/usr/bin/node --version): version 20.19 or later is needed"
  if [[ -e /opt/audio && ! -L /opt/audio ]]; then
    fail 1 '/opt/audio is a folder, where a link to the release in use should be: move it away'
  fi
  if ! setpriv --reuid=65534 --regid=65534 --clear-groups test -r "$release/dist/server/main.js"; then
    fail 1 "The services may not read $release: make the release's folder in /opt (docs/operations.md, \"Install\")"
  fi
  local port
  for port in $(local_instances); do
    require_free "$port" "audio@$port" 'take another by --instance'
    require_free "1$port" "audio@$port" "the metrics of audio@$port need it; take another by --instance"
  done
  for port in 80 443; do require_free "$port" nginx 'nginx needs it'; done
}

# Only a port of a service of ours that is not running can be taken by another program.
require_free() {
  if ! systemctl is-active --quiet "$2" && (exec 3<> "/dev/tcp/${host//[][]/}/$1") 2> /dev/null; then
    fail 1 "Another program listens on port $1: $3"
  fi
}

as_postgres() {
  (cd / && setpriv --reuid=postgres --regid=postgres --init-groups -- "$@")
}

# Makes role, database and /etc/audio.env where none of them is there yet.
make_environment() {
  local port found password variables=/etc/audio.env
  if [[ -e $variables ]]; then return; fi
  local by_hand="copy $release/.env.example to $variables (mode 0600), fill it in, and run this again"
  if ! id postgres > /dev/null 2>&1 || ! port=$(as_postgres psql --no-psqlrc --tuples-only --no-align --command='SHOW port' 2> /dev/null); then
    fail 1 "No PostgreSQL answers on this machine. Start it, or if it is on another one, $by_hand"
  fi
  found=$(as_postgres psql --no-psqlrc --tuples-only --no-align --command="
    SELECT 'the role audio' FROM pg_roles WHERE rolname = 'audio' UNION
    SELECT 'the database audio' FROM pg_database WHERE datname = 'audio'" | paste -sd ,)
  # This file is of an interrupted run, and nothing uses yet what that made.
  if [[ -n $found && ! -e $variables.part ]]; then
    fail 1 "PostgreSQL has ${found/,/ and } already, but $variables is missing: $by_hand"
  fi
  password=$(openssl rand -hex 24)
  # Secrets go through the input, because the list of processes shows arguments.
  (umask 077 && sed -E --file=/dev/stdin "$release/.env.example" > "$variables.part") << END
s|^NODE_ENV=.*|NODE_ENV=production|
s|^TRUST_PROXY=.*|TRUST_PROXY=1|
s|^PUBLIC_HOST=.*|PUBLIC_HOST='${public_names[*]}'|
s|^DATABASE_URL=.*|DATABASE_URL=postgresql://audio:$password@localhost:$port/audio|
s|^JWT_SECRET=.*|JWT_SECRET=$(openssl rand -base64 48 | tr -d '\n')|
END
  as_postgres psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 << END
SELECT 'CREATE ROLE audio LOGIN' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'audio') \\gexec
ALTER ROLE audio PASSWORD '$password';
SELECT 'CREATE DATABASE audio OWNER audio ENCODING ''UTF8'' LOCALE ''C.UTF-8'' TEMPLATE template0'
  WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'audio') \\gexec
END
  mv "$variables.part" "$variables"
  echo "Made the role and the database audio, and $variables with their password and a new JWT_SECRET"
}

check_configuration() {
  local code=0
  echo 'Checking the configuration:'
  # Its line about installed files is about the release before.
  AUDIO_FOLDER=$release "$release/deploy/audio.sh" check < /dev/null | sed '/^WARN files:/d' || code=$?
  if ((code == WRONG_CONFIGURATION)); then fail $code 'Correct /etc/audio.env, and run this again. Nothing was installed'; fi
  if ((code != 0)); then
    fail $code 'Nothing was installed. Correct what FAILED and run this again, or install all the same by --skip-check'
  fi
}

# Files to install, a line each: mode, where it belongs, and the file of the release or of $work, whose path may hold blanks.
files() {
  cat << END
755 /usr/local/bin/audio-monitor deploy/monitor.sh
755 /usr/local/bin/audio-token docs/examples/token.sh
644 $units/audio-monitor.service deploy/audio-monitor.service
644 $units/audio-monitor.timer deploy/audio-monitor.timer
644 $units/audio-alarm@.service deploy/audio-alarm@.service
END
  if [[ -n $monitor ]]; then return; fi
  cat << END
755 /usr/local/sbin/audio deploy/audio.sh
755 /usr/local/sbin/audio-backup deploy/backup.sh
755 /usr/local/sbin/audio-database deploy/database.mjs
755 /usr/local/sbin/audio-certificate deploy/certificate.sh
644 $units/audio-backup.service deploy/audio-backup.service
644 $units/audio-backup.timer deploy/audio-backup.timer
644 $units/audio-certificate@.service deploy/audio-certificate@.service
644 $units/audio-certificate@.timer deploy/audio-certificate@.timer
END
  if [[ -d $root/etc/prometheus ]]; then echo '644 /etc/prometheus/audio-alerts.yml deploy/alerts.yml'; fi
  if [[ -n $containers ]]; then
    echo "644 $units/audio-backup.service.d/containers.conf $work/backup.conf"
    echo "644 $units/audio-certificate@.service.d/containers.conf $work/certificate.conf"
    return
  fi
  cat << END
755 /usr/local/sbin/audio-watch deploy/watch.sh
644 $units/audio@.service deploy/audio@.service
644 $units/audio-watch@.service deploy/audio-watch@.service
644 /etc/needrestart/conf.d/audio.conf deploy/needrestart.conf
END
  # Before the site, by which an interrupted first installation is known.
  if [[ $https == yes ]]; then echo "644 $nginx_https $work/nginx-https.conf"; fi
  echo "644 $nginx_site $work/nginx.conf"
  if [[ $host != 127.0.0.1 ]]; then echo "644 $units/audio-watch@.service.d/address.conf $work/watch.conf"; fi
  if is_main_ours; then echo "644 $nginx_main deploy/nginx-main.conf"; fi
}

# Makes the files that differ from machine to machine.
render() {
  local compose="docker compose --project-directory $containers"
  printf '[Service]\nExecStart=\nExecStart=%s\n' "/usr/local/sbin/audio-backup --containers $containers" > "$work/backup.conf"
  printf '[Service]\nExecStart=\nExecStart=%s\n' "/usr/local/sbin/audio-certificate %i $compose exec -T proxy nginx -s reload" > "$work/certificate.conf"
  printf '[Service]\nEnvironment=AUDIO_WATCH_ADDRESS=%s\n' "$host" > "$work/watch.conf"
  local instance servers='' no_ipv6=''
  for instance in "${instances[@]}"; do
    if [[ $instance != *:* ]]; then instance=$host:$instance; fi
    servers+="    server $instance max_fails=0;\\n"
  done
  if [[ ! -e /proc/net/if_inet6 ]]; then no_ipv6='/^ *listen \[::\]/d'; fi
  sed "/^ *server app-1:4000 /c\\
${servers%\\n}
    /^ *server app-2:4000 /d; s/\${PUBLIC_HOST}/${public_names[*]}/; $no_ipv6" "$release/deploy/nginx.conf" > "$work/nginx.conf"
  sed "$no_ipv6" "$release/deploy/nginx-https.conf" > "$work/nginx-https.conf"
}

# nginx.conf is replaced only if it is ours, or the package's as it came, and leads to no other site.
is_main_ours() {
  local file=$root$nginx_main package
  if [[ ! -e $file || -e $state/files$nginx_main ]] || cmp --quiet "$release/deploy/nginx-main.conf" "$file" ||
    is_of_former_release "$file" deploy/nginx-main.conf; then return 0; fi
  package=$(dpkg-query --show --showformat='${Conffiles}\n' 'nginx*' 2> /dev/null | awk -v file="$nginx_main" '$1 == file { print $2 }')
  [[ -n $package && $(md5sum < "$file") == "$package "* ]] && ! has_other_sites
}

has_other_sites() {
  find "$root/etc/nginx/sites-enabled" "$root/etc/nginx/conf.d" -mindepth 1 -not -name default -not -name audio.conf 2> /dev/null | grep --quiet .
}

# Prints what a file does, without comments, and without what differs from machine to machine.
essence() {
  sed -E '/^[[:space:]]*([#;].*)?$/d; /^ *listen \[::\]/d; /^ *server [^ ]+ max_fails=0;$/d
    /^ *server_name (_|localhost)/! s/^( *server_name ).*;$/\1NAME;/' "$1"
}

# Settings of a unit that an operator may have changed in the file itself, as earlier manuals said. They are carried over.
CARRIED='^(ExecStart|Environment)='

essence_without_carried() {
  essence "$1" | grep -vE "$CARRIED" || true
}

is_known() {
  grep --quiet --fixed-strings --line-regexp "$(sha256sum | cut -d ' ' -f 1)  $1" "$release/deploy/earlier-releases.txt"
}

is_of_former_release() {
  essence "$1" | is_known "$2"
}

# Decides for each file what to do, before anything is changed.
classify() {
  local mode source place changed=() original places=' '
  to_write=() carried=() to_remove=()
  while read -r mode place source; do
    if [[ $source != /* ]]; then source=$release/$source; fi
    places+="$place "
    original=$state/files$place
    if [[ ! -e $root$place ]]; then
      to_write+=("$mode $place $source")
    elif cmp --quiet "$source" "$root$place"; then
      to_write+=("$mode $place $source")
    elif [[ -e $original ]] && cmp --quiet <(essence "$original") <(essence "$root$place"); then
      to_write+=("$mode $place $source")
    elif [[ ! -e $original ]] && is_replaceable "$place" "${source#"$release/"}"; then
      to_write+=("$mode $place $source")
    elif [[ $place == "$units"/*.service ]] && is_only_carried_changed "$place" "${source#"$release/"}" &&
      [[ ! -e $root$place.d/carried-over.conf ]]; then
      carried+=("$place")
      to_write+=("$mode $place $source")
    elif [[ $place == */audio-alerts.yml ]]; then
      # The manual has operators take alerts out of it.
      told+=("$place was changed on this machine and stays; this release's is $source")
    else
      changed+=("$place")
    fi
  done < <(files)
  # Installed by an earlier run, and not by this one: with --http after https, for example.
  while read -r place; do
    if [[ $places == *" $place "* ]]; then
      continue
    elif [[ ! -e $root$place ]] || cmp --quiet "$state/files$place" "$root$place"; then
      to_remove+=("$place")
    else
      changed+=("$place")
    fi
  done < <(find "$state/files" -type f -printf '/%P\n' 2> /dev/null)
  if ((${#changed[@]} > 0)); then
    {
      echo 'Nothing was installed, because these files were changed on this machine:'
      printf '  %s\n' "${changed[@]}"
      echo 'Rename each, run this again, and put your changes into the new file; or better, where there is a place for'
      echo "additions, there: systemctl edit UNIT, /etc/nginx/audio.d/. What this release has: $release/deploy/"
    } >&2
    exit 1
  fi
}

# Whether a file that no earlier run has recorded is of an earlier release, as it came, or the package's nginx.conf.
is_replaceable() {
  case $1 in
    "$nginx_site") is_of_former_release "$root$1" deploy/nginx.conf ;;
    "$nginx_https") is_of_former_release "$root$1" deploy/nginx-https.conf ;;
    "$nginx_main") true ;;
    *.d/containers.conf) cmp --quiet <(grep -v '^ExecStart=' "$root$1") <(echo '[Service]') ;;
    *) is_of_former_release "$root$1" "$2" ;;
  esac
}

is_only_carried_changed() {
  if [[ -e $state/files$1 ]]; then
    cmp --quiet <(essence_without_carried "$state/files$1") <(essence_without_carried "$root$1")
  else
    essence_without_carried "$root$1" | is_known "$2 without ExecStart and Environment"
  fi
}

put_files() {
  local line mode source place
  has_begun=yes
  created=()
  if [[ -L $root/opt/audio ]]; then former=$(readlink "$root/opt/audio"); fi
  if [[ -z $root && -z $monitor && $https == yes ]]; then make_first_certificate; fi
  for place in "${carried[@]}"; do carry_over "$place"; done
  for line in "${to_write[@]}"; do
    read -r mode place source <<< "$line"
    if [[ $place == "$nginx_main" && -e $root$place && ! -e $root$place.~1~ && ! -e $state/files$place ]] &&
      ! is_of_former_release "$root$place" deploy/nginx-main.conf; then
      remember "$place.~1~"
      cp --preserve "$root$place" "$root$place.~1~"
    fi
    if [[ $place == *.d/containers.conf && -e $root$place && ! -e $state/files$place ]] && ! cmp --quiet "$source" "$root$place"; then
      remember "$place.old"
      cp --preserve "$root$place" "$root$place.old"
      told+=("$place was replaced; $place.old has what was there")
    fi
    put "$mode" "$source" "$place"
    put 644 "$source" "/var/lib/audio-install/files$place"
  done
  for place in "${to_remove[@]}"; do
    remember "$place"
    remember "/var/lib/audio-install/files$place"
    rm -f "$root$place" "$state/files$place"
  done
  remember /var/lib/audio-install/enabled
  echo "$version" > "$work/release"
  put 644 "$work/release" /var/lib/audio-install/release
  take_away_former_backup
  if [[ -n $monitor ]]; then
    return
  elif [[ -z $containers ]]; then
    mkdir -p "$root/etc/nginx/audio.d"
    link "$release"
  else
    if [[ ! -e $root/opt/audio || -L $root/opt/audio ]]; then link "$containers"; fi
    if [[ ! $root/opt/audio -ef $containers ]]; then told+=("/opt/audio is another folder: call audio with AUDIO_FOLDER=$containers"); fi
    if [[ $https == yes ]] && ! compgen -G "$containers/*compose.override.y*ml" > /dev/null; then
      cp "$release/deploy/compose.https.yaml" "$containers/compose.override.yaml"
      told+=("Made $containers/compose.override.yaml for https. Next: docker compose up --detach --no-deps --wait proxy")
    fi
  fi
}

# Puts a file at its place at once, never half of it, and remembers what was there.
put() {
  remember "$3"
  mkdir -p "$(dirname "$root$3")"
  part=$root$3.part
  install -m "$1" "$2" "$part"
  mv --no-target-directory "$part" "$root$3"
}

remember() {
  if [[ ! -e $root$1 ]]; then
    created+=("$1")
  elif [[ ! -e $work/before$1 ]]; then
    mkdir -p "$(dirname "$work/before$1")"
    cp --preserve "$root$1" "$work/before$1"
  fi
}

link() {
  mkdir -p "$root/opt"
  part=$root/opt/audio.part
  ln --symbolic --force --no-dereference "$1" "$part"
  mv --no-target-directory "$part" "$root/opt/audio"
}

# Writes what was changed in a unit's own file into a drop-in.
carry_over() {
  local place=$1 line original=$state/files$1
  if [[ ! -e $original ]]; then original=$release/deploy/${place##*/}; fi
  echo '[Service]' > "$work/carried"
  while read -r line; do
    case $place:$line in
      */audio-backup.service:ExecStart=*) told+=("The command of $place was not kept, since the backup finds the instances' database by itself") ;;
      # Up to 2.1.1 the watch's address stood in it.
      */audio-watch@.service:ExecStart=*/healthz*) told+=("The command of $place was not kept: the watch asks at $host") ;;
      *:ExecStart=*) printf 'ExecStart=\n%s\n' "$line" >> "$work/carried" ;;
      *) echo "$line" >> "$work/carried" ;;
    esac
  done < <(grep -E "$CARRIED" "$root$place" | grep -vxFf <(grep -E "$CARRIED" "$original"))
  if (($(wc -l < "$work/carried") > 1)); then
    put 644 "$work/carried" "$place.d/carried-over.conf"
    told+=("What was changed in $place is in $place.d/carried-over.conf now")
  fi
}

# Manuals up to 2.1.1 had drop-ins that said where the backup finds the database.
take_away_former_backup() {
  local file place
  for file in "$root$units/audio-backup.service.d"/*.conf; do
    place=${file#"$root"}
    if [[ ! -e $file || $place == */containers.conf && -n $containers ]] || ! grep --quiet '^ExecStart=.*audio-backup' "$file"; then continue; fi
    remember "$place"
    remember "$place.old"
    cp --preserve "$file" "$file.old"
    sed -i '/^ExecStart=/d' "$file"
    if ! grep --quiet '^[A-Za-z]' "$file"; then rm "$file"; fi
    if [[ -e $root/etc/audio.pgpass ]]; then told+=('/etc/audio.pgpass is not needed any more'); fi
    told+=("The command in $place was taken away, since the backup finds the instances' database by itself; $place.old has it")
  done
}

# nginx starts with it until certbot has one.
make_first_certificate() {
  local tls=/etc/audio/tls
  install -d -m 755 /var/www/acme
  if [[ -e $tls/fullchain.pem ]]; then return; fi
  (
    umask 077
    mkdir -p "$tls"
    openssl req -x509 -newkey rsa:2048 -nodes -days 7 -subj "/CN=${public_names[0]:0:64}" \
      -keyout "$tls/privkey.pem" -out "$tls/fullchain.pem" 2> /dev/null
  )
}

try_nginx() {
  local said advice=''
  if said=$(nginx -t 2>&1); then return; fi
  if [[ $said == *server_names_hash* ]]; then advice="
Write server_names_hash_bucket_size 512; into the http block of $nginx_main, since the public name is long, and run this again"; fi
  fail 1 "nginx refuses its configuration, so nothing was changed:
$said$advice"
}

# Undoes what this run has changed.
put_back() {
  local place
  echo 'Putting back what was there before' >&2
  for place in "${created[@]}"; do rm -f "$root$place"; done
  rm -f "${part-}"
  if [[ -d $work/before ]]; then cp --recursive --preserve "$work/before/." "$root/"; fi
  if [[ -n ${former-} ]]; then link "$former"; elif [[ -z $containers && -z $monitor ]]; then rm -f "$root/opt/audio"; fi
  if [[ -n $root ]]; then return; fi
  systemctl daemon-reload
  if [[ -z ${first-} ]]; then return; fi
  if [[ -z ${former-} ]]; then
    systemctl disable --quiet --now "audio@$first" "audio-watch@$first"
  else
    systemctl reset-failed "audio@$first" 2> /dev/null
    systemctl restart "audio@$first"
    systemctl try-restart "audio-watch@$first"
    trap - TERM INT HUP
    if is_ready "$first"; then
      echo 'The former release runs as before' >&2
    else
      echo "audio@$first is not ready with the former release either. Other instances were not touched" >&2
    fi
  fi
}

# Starts units, and restarts those that run. What the operator disabled is not started.
start() {
  local unit
  for unit in "$@"; do
    enable "$unit"
    if is_disabled_by_hand "$unit"; then systemctl try-restart "$unit"; else systemctl restart "$unit"; fi
  done
}

enable() {
  if is_disabled_by_hand "$1"; then
    told+=("$1 was disabled on this machine and stays so: systemctl enable --now $1 changes that")
    return
  fi
  if [[ -n ${former-} ]] && ! systemctl is-enabled --quiet "$1"; then told+=("$1 is enabled now"); fi
  systemctl enable --quiet "$1"
  is_recorded "$1" || echo "$1" >> "$state/enabled"
}

disable() {
  local unit
  for unit in "$@"; do
    systemctl disable --quiet --now "$unit"
    if is_recorded "$unit"; then sed -i "/^$unit\$/d" "$state/enabled"; fi
  done
}

# An earlier run enabled it, and it is not enabled any more.
is_disabled_by_hand() {
  case $(systemctl is-enabled "$1" 2> /dev/null || true) in
    masked*) true ;;
    disabled) is_recorded "$1" ;;
    *) false ;;
  esac
}

is_recorded() {
  grep --quiet --no-messages --fixed-strings --line-regexp "$1" "$state/enabled"
}

# One after the other, so that no request is lost.
start_instances() {
  local port
  for port in $(local_instances); do
    if is_disabled_by_hand "audio@$port" && ! systemctl is-active --quiet "audio@$port"; then
      enable "audio@$port"
      continue
    fi
    if [[ -z ${first-} ]]; then
      first=$port
      start_instance "$port" || fail 1 "audio@$port does not become ready"
      finish
      start_nginx
    else
      start_instance "$port" || fail 1 "Release $version is installed and audio@$first serves, but audio@$port does not become ready: run this again once you know why"
    fi
    started+=("$port")
  done
  if [[ -z ${first-} ]]; then systemctl try-reload-or-restart nginx; fi
}

start_instance() {
  echo "Starting audio@$1"
  systemctl reset-failed "audio@$1" 2> /dev/null || true
  start "audio@$1" "audio-watch@$1"
  if is_ready "$1"; then return; fi
  journalctl --identifier="audio@$1" --lines=5 --output=cat --no-pager >&2
  return 1
}

# Waits until an instance is ready. Returns 1 when it has failed, ends again and again, or its time is over.
is_ready() {
  local deadline=$((SECONDS + READY_SECONDS)) active restarts
  while ! curl --disable --noproxy '*' --silent --fail --output /dev/null --max-time 15 "http://$host:$1/readyz"; do
    active=$(systemctl show --property=ActiveState --value "audio@$1")
    restarts=$(systemctl show --property=NRestarts --value "audio@$1")
    if [[ $active == failed ]] || ((restarts >= MOST_RESTARTS || SECONDS >= deadline)); then return 1; fi
    sleep 1
  done
}

# A reload that fails is told by nginx's log alone, for example where another program has port 443.
start_nginx() {
  local deadline=$((SECONDS + 10))
  enable nginx
  # Its errors are written to stderr, which is the journal only if nginx starts with that: a reload leaves it the file that
  # it had, also after logrotate has deleted that.
  if is_main_ours && ! writes_to_journal; then
    if [[ -z ${former-} ]]; then
      systemctl restart nginx || true
    else
      told+=("nginx writes its errors into an old file until systemctl restart nginx, which takes a moment")
    fi
  fi
  systemctl reload-or-restart nginx
  until serves --header 'Host: checks.invalid' http://127.0.0.1/readyz &&
    { [[ $https != yes ]] || serves --insecure --resolve "${public_names[0]}:443:127.0.0.1" "https://${public_names[0]}/"; }; do
    if ((SECONDS >= deadline)); then
      tail -n 3 /var/log/nginx/error.log >&2 || true
      fail 1 "Release $version is installed and audio@$first is ready, but nginx does not serve it: journalctl --unit=nginx and its error.log say why"
    fi
    sleep 1
  done
}

writes_to_journal() {
  [[ $(readlink "/proc/$(systemctl show --property=MainPID --value nginx)/fd/2") == socket:* ]]
}

serves() {
  curl --disable --noproxy '*' --silent --fail --output /dev/null --max-time 5 "$@"
}

stop_former() {
  local port name
  for name in "${former_names[@]}"; do
    if [[ ($former_https/$https == yes/no || $name != "${public_names[0]}") && -e $units/timers.target.wants/audio-certificate@$name.timer ]]; then
      disable "audio-certificate@$name.timer"
      told+=("The certificate of $name is not looked after any more")
    fi
  done
  name=$(variable PUBLIC_HOST)
  if [[ -n $name && $name != "${public_names[*]}" ]]; then
    told+=("PUBLIC_HOST in /etc/audio.env, by which audio check asks the stream, is not ${public_names[*]}")
  fi
  for port in $former_instances; do
    if [[ " ${instances[*]} " != *" $port "* ]]; then
      disable "audio@$port" "audio-watch@$port"
      told+=("audio@$port was stopped, and is not started any more")
    fi
  done
}

start_timers() {
  if [[ -e /etc/audio-monitor.env ]]; then start audio-monitor.timer; fi
  if [[ -n $monitor ]]; then return; fi
  start audio-backup.timer
  if [[ $https == yes ]]; then start "audio-certificate@${public_names[0]}.timer"; fi
  if systemctl is-active --quiet prometheus && ! systemctl reload prometheus; then
    told+=('Prometheus was not reloaded: promtool check config /etc/prometheus/prometheus.yml says why')
  fi
}

is_self_signed() {
  local subject issuer
  subject=$(openssl x509 -noout -subject -in /etc/audio/tls/fullchain.pem)
  issuer=$(openssl x509 -noout -issuer -in /etc/audio/tls/fullchain.pem)
  [[ ${subject#subject} == "${issuer#issuer}" ]]
}

# Prints what to set in an nginx.conf that is not ours.
lines_for_main() {
  local name
  if ! nginx -T 2> /dev/null | grep --quiet -E '^ *worker_connections +([0-9]{5,}|[89][0-9]{3});'; then
    echo "in the events block of $nginx_main: worker_connections 8192;"
  fi
  if ! nginx -T 2> /dev/null | grep --quiet '^ *worker_rlimit_nofile'; then
    echo "at the beginning of $nginx_main: worker_rlimit_nofile 16384;"
  fi
}

# Says what runs, and what is missing.
report() {
  local missing=() line
  if ! systemctl show --property=ExecStart audio-alarm@test | grep --quiet --invert-match 'tells nobody'; then
    missing+=('an alarm that tells somebody (docs/operations.md, "Tell whoever is on call")')
  fi
  if [[ -n $monitor ]]; then
    echo "The monitor of release $version is installed"
    if ! command -v ffmpeg > /dev/null; then missing+=('ffmpeg, without which it does not hear silence'); fi
    if [[ ! -e /etc/audio-monitor.env ]]; then missing+=('its key (docs/operations.md, "Know of an outage before kick-off")'); fi
  else
    if [[ -n $containers ]]; then
      echo "Release $version is installed for the containers in $containers"
      if [[ $https == yes ]] && ! has_https_in_containers; then
        missing+=("https: the lines of $containers/deploy/compose.https.yaml, under the one services: of your compose.override.yaml, then docker compose up --detach --no-deps --wait proxy")
      fi
    else
      if ((${#started[@]} > 0)); then
        echo "Release $version runs on ports ${started[*]}, behind nginx as ${public_names[*]}"
      else
        echo "Release $version is installed, and no instance was started"
      fi
      while read -r line; do missing+=("$line"); done < <(is_main_ours || lines_for_main)
    fi
    if [[ $https == yes ]] && is_self_signed; then
      missing+=("a certificate: certbot certonly --webroot --webroot-path /var/www/acme$(printf ' --domain %s' "${public_names[@]}") --deploy-hook 'systemctl start audio-certificate@${public_names[0]}'")
    fi
    if [[ $(systemctl show --property=Environment audio-backup) != *AUDIO_BACKUP_COPY=* ]]; then
      missing+=('a copy of the backups on another machine (docs/operations.md, "Back up and restore")')
    fi
  fi
  if ((${#told[@]} > 0)); then printf '%s\n' "${told[@]}"; fi
  if ((${#missing[@]} > 0)); then printf 'Missing: %s\n' "${missing[@]}"; fi
}

# Data and secrets stay.
remove_all() {
  local file
  systemctl stop 'audio@*' 'audio-*'
  rm -rf "$units"/*.wants/audio{@,-}* /var/lib/systemd/timers/stamp-audio-* /var/lib/prometheus/node-exporter/audio-*
  local installed=("$units"/audio@.service* "$units"/audio-*@.* "$units"/audio-{backup,monitor}.*)
  if [[ -z $monitor ]]; then installed+=(/etc/nginx/audio.d); fi
  if [[ -L /opt/audio ]]; then installed+=(/opt/audio); fi
  # In containers the proxy still has the first, and the second may be its folder.
  if [[ -z $containers ]]; then installed+=(/var/www/acme /opt/audio-[0-9]*); fi
  echo 'Removed:'
  for file in $(files | cut -d ' ' -f 2) "${installed[@]}"; do
    rm -f "$file.part"
    if [[ $file == "$nginx_main" ]]; then
      if [[ -e $file.~1~ ]]; then mv "$file.~1~" "$file"; fi
    elif [[ -e $file || -L $file ]]; then
      rm -rf "$file"
      echo "  $file"
    fi
  done
  rm -rf "$state"
  systemctl daemon-reload
  systemctl reset-failed 'audio*' 2> /dev/null || true
  if [[ -n $monitor ]]; then
    echo 'Left is its key in /etc/audio-monitor.env, which on the server audio account revoke-key ends'
    return
  fi
  if [[ -n $containers ]]; then
    cat << END
The containers still run: in $containers, docker compose down stops them, and with --volumes deletes the data.
Left are /etc/audio, .env, compose.override.yaml, the images, the backups in /var/lib/audio-backup, and the renewal of the
certificate (certbot delete --cert-name ${public_names[0]-NAME}).
END
    return
  fi
  if nginx -t 2> /dev/null; then systemctl try-reload-or-restart nginx; fi
  cat << 'END'
Left are:
  the renewal of the certificate: certbot delete --cert-name NAME
  secrets: /etc/audio.env, /etc/audio-monitor.env and /etc/audio
  backups in /var/lib/audio-backup, and their copies
  the database and its role: sudo -u postgres dropdb audio && sudo -u postgres dropuser audio (after a restore the new name)
  what you wrote into the configuration of Prometheus and PgBouncer
END
}

main "$@"
