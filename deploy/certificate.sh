#!/usr/bin/env bash
# Takes a certificate that certbot renewed, reloads nginx, and looks until when the certificate is valid that partners get.
#   certificate.sh NAME [COMMAND…]
# NAME is the public name. COMMAND… reloads nginx; leave it out where a balancer has the certificate. certbot starts it
# after a renewal, and deploy/audio-certificate@.timer every day, so that a hook that failed once is made up for. Needs
# openssl. Exit codes: 1 it failed, or the certificate ends within 3 days; 2 wrong usage.
set -euo pipefail
umask 077
letsencrypt=${AUDIO_LETSENCRYPT:-/etc/letsencrypt}
tls=${AUDIO_TLS:-/etc/audio/tls}
metrics=${TEXTFILE_DIRECTORY:-/var/lib/prometheus/node-exporter}
alarm_days=3
DAY_SECONDS=86400
# After a reload nginx needs a moment to answer with the new certificate.
TRIES=10

# The journal files a line that begins with <3> as an error.
error=
if [[ -n ${JOURNAL_STREAM-} && $JOURNAL_STREAM == "$(stat --dereference --format=%d:%i /dev/stderr)" ]]; then error='<3>'; fi

main() {
  if (($# < 1)); then
    echo "Usage: $0 NAME [COMMAND…]" >&2
    exit 2
  fi
  local name=$1 failed=0 installed=0 served=0 tries place dead
  shift
  # Where partners find it, unless this machine cannot reach its own public address.
  local address=${AUDIO_CERTIFICATE_AT:-$name:443}
  if (($# > 0)); then
    take_renewed "$name"
    installed=$(end_of "$tls/fullchain.pem")
    timeout --kill-after=10 60 "$@" < /dev/null || {
      failed=1
      echo "${error}nginx was not reloaded: nginx -t says what is wrong" >&2
    }
  fi
  for ((tries = 0; tries < TRIES; tries++)); do
    dead=()
    for place in $(addresses_of "$address"); do
      served=$(end_served "$name" "$place")
      if ((served > 0)); then break; fi
      dead+=("$place")
    done
    if ((served >= installed && served > 0)); then break; fi
    sleep 1
  done
  if ((served == 0)); then
    echo "${error}No certificate is served at $address" >&2
    exit 1
  fi
  if ((${#dead[@]} > 0)); then
    echo "No certificate is served at ${dead[*]}, which $address names too: callers who try it first must wait" >&2
  fi
  write_metric "$name" "$served"
  if ((served < installed)); then
    failed=1
    echo "${error}At $address an older certificate is served than $tls/fullchain.pem: restart nginx" >&2
  fi
  echo "The certificate of $name is valid for $(((served - $(now)) / DAY_SECONDS)) days"
  if ((served - $(now) <= alarm_days * DAY_SECONDS)); then
    failed=1
    echo "${error}It ends soon, and partners are shut out then: certbot renew says why it was not renewed" >&2
  fi
  exit "$failed"
}

now() {
  date +%s
}

# certbot writes into a folder with a number once the list of names was changed, and then renews both. A certificate of
# another authority stays until certbot has a newer one.
take_renewed() {
  local folder file missing
  for folder in "$letsencrypt/live/$1" "$letsencrypt/live/$1"-[0-9]*; do
    if [[ ! -e $folder/fullchain.pem ]]; then continue; fi
    if [[ ! $folder/fullchain.pem -nt $tls/fullchain.pem ]] &&
      (($(end_of "$folder/fullchain.pem") <= $(end_of "$tls/fullchain.pem"))); then continue; fi
    missing=$(comm -23 <(names_of "$tls/fullchain.pem") <(names_of "$folder/fullchain.pem") | paste -sd ' ')
    if [[ -n $missing ]]; then
      failed=1
      echo "${error}Not taken: $folder lacks $missing, which the certificate in $tls has. If nobody asks for that name" \
        "any more, copy the folder's fullchain.pem and privkey.pem to $tls; else certbot delete --cert-name ${folder##*/}" >&2
      continue
    fi
    for file in fullchain.pem privkey.pem; do
      cp -L "$folder/$file" "$tls/$file.part"
      mv "$tls/$file.part" "$tls/$file"
    done
    echo "Took the certificate of $folder"
  done
}

# Prints the names for which a certificate is, sorted, one a line.
names_of() {
  { openssl x509 -noout -ext subjectAltName -in "$1" 2> /dev/null || true; } |
    { grep --only-matching 'DNS:[^,[:space:]]*' || true; } | cut --characters=5- | sort --unique
}

# Prints when a certificate ends, in seconds since 1970; 0 if there is none.
end_of() {
  local end
  end=$(openssl x509 -noout -enddate -in "$1" 2> /dev/null) || end=
  if [[ -z $end ]]; then echo 0; else date --date="${end#notAfter=}" +%s; fi
}

# Prints the addresses of NAME:PORT, each with the port.
addresses_of() {
  local host=${1%:*}
  host=${host#[}
  { getent ahosts "${host%]}" || true; } |
    awk -v port="${1##*:}" '!seen[$1]++ { print ($1 ~ /:/ ? "[" $1 "]" : $1) ":" port }'
}

end_served() {
  { timeout --kill-after=5 10 openssl s_client -connect "$2" -servername "$1" < /dev/null 2> /dev/null || true; } |
    end_of /dev/stdin
}

# For the alerts AudioCertificate…, by the textfile collector of Prometheus's node exporter: one file for each name.
write_metric() {
  if [[ ! -d $metrics ]]; then return; fi
  local file=$metrics/audio-certificate-$1.prom
  echo "audio_certificate_expiry_timestamp_seconds{name=\"$1\"} $2" > "$file.part"
  chmod 644 "$file.part"
  mv "$file.part" "$file"
  # Of release 2.1.1 and earlier: it would keep its time for ever.
  rm -f "$metrics/audio-certificate.prom"
}

main "$@"
