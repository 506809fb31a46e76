#!/usr/bin/env bash
# Creates a token with docs/examples/token.sh, installed beside it as audio-token, and listens to the stream for a few
# seconds, as a player would. Says on standard error why it failed: no token, no answer, a status other than 200 or 206,
# an early end, no audio, or silence. Needs curl; without ffmpeg it does not hear silence. deploy/audio-monitor.service
# runs it, and then as root:
#   monitor.sh --record     writes the metric, by the EXIT_STATUS that systemd hands over
set -euo pipefail
metrics=${TEXTFILE_DIRECTORY:-/var/lib/prometheus/node-exporter}
listen_seconds=${AUDIO_LISTEN_SECONDS:-8}
# Digital silence is -91 dB, and a studio where nobody speaks is louder than this.
silence_db=-80
CURL_TIMED_OUT=28
# The journal files a line that begins with <3> as an error.
error=
if [[ -n ${JOURNAL_STREAM-} && $JOURNAL_STREAM == "$(stat --dereference --format=%d:%i /dev/stderr)" ]]; then error='<3>'; fi

fail() {
  echo "$error$1" >&2
  exit 1
}

# For the alert AudioNoSound, by the textfile collector of Prometheus's node exporter: 0 until something was heard.
write_metric() {
  local file=$metrics/audio-monitor.prom heard=0
  if [[ ! -d $metrics ]]; then return; fi
  if [[ $EXIT_STATUS == 0 ]]; then
    heard=$(date +%s)
  elif [[ -e $file ]]; then
    return
  fi
  echo "audio_monitor_success_timestamp_seconds $heard" > "$file.part"
  chmod 644 "$file.part"
  mv "$file.part" "$file"
}

if [[ ${1-} == --record ]]; then
  write_metric
  exit
fi
address=$("$(dirname "$0")/audio-token")
audio=$(mktemp)
trap 'rm -f "$audio"' EXIT
# Through a pipe, because the list of processes shows arguments, and the address opens the stream.
ended=0
answer=$(printf 'url = "%s"\n' "$address" |
  curl --config - --globoff --silent --location --max-time "$listen_seconds" --output "$audio" \
    --write-out '%{http_code} %{content_type}') || ended=$?
read -r status type <<< "$answer"

case $status in
  200 | 206) ;;
  000) fail "The stream does not answer (curl ended with $ended)" ;;
  *) fail "The stream answers with status $status" ;;
esac
if ! [[ -s $audio ]]; then fail 'The stream sends nothing'; fi
if ! command -v ffmpeg > /dev/null; then
  if [[ $type != audio/* ]]; then fail "The stream is not audio: $type"; fi
else
  # From a pipe alone, so that a playlist in place of audio cannot make ffmpeg open anything else.
  loudest_db=$(ffmpeg -hide_banner -nostats -protocol_whitelist pipe -i pipe:0 -map 0:a:0 -af volumedetect -f null - < "$audio" 2>&1 |
    sed -nE 's/.*max_volume: (-?[0-9]+).*/\1/p') || true
  if [[ -z $loudest_db ]]; then fail "The stream is not audio: $type"; fi
  if ((loudest_db <= silence_db)); then fail 'The stream carries silence'; fi
fi
# A live stream has no end, so listening ends by its own time limit.
if ((ended != CURL_TIMED_OUT)); then fail "The stream ended within $listen_seconds s (curl ended with $ended)"; fi
echo "Heard the stream for $listen_seconds s: status $status, $type${loudest_db:+, loudest $loudest_db dB}"
