#!/usr/bin/env bash
# Watches the instance on a port: restarts it when it hangs, and starts the alarm when it has not been ready for five
# minutes although it should run.
#   watch.sh PORT
# It hangs if it accepts connections but does not answer /healthz for 15 s. It should run if it is enabled and was not
# stopped by hand; while a migration waits for a lock, it cannot be ready. deploy/audio-watch@.service runs it. Needs curl.
set -uo pipefail
port=$1
unit=audio@$port.service
address=${AUDIO_WATCH_ADDRESS:-127.0.0.1}
alarm_seconds=${AUDIO_WATCH_ALARM:-300}
CURL_TIMED_OUT=28
# The unit does not start it again then, so that `systemctl --failed` shows it.
UNAVAILABLE=69

main() {
  local ready_at=$SECONDS
  while sleep 5; do
    ask healthz
    case $? in
      "$CURL_TIMED_OUT") restart ;;
      126 | 127)
        echo '<3>Nothing is watched, because curl cannot be run'
        exit $UNAVAILABLE
        ;;
    esac
    if ask readyz || ! should_be_ready; then ready_at=$SECONDS; fi
    if ((SECONDS - ready_at >= alarm_seconds)); then
      echo "<3>$unit has not been ready for $((SECONDS - ready_at)) s: journalctl --unit=$unit says why"
      # It sends one message an hour, however often it is started.
      systemctl start --no-block "audio-alarm@$unit.service"
      ready_at=$SECONDS
    fi
  done
}

ask() {
  curl --disable --noproxy '*' --silent --fail --output /dev/null --max-time 15 "http://$address:$port/$1"
}

# One instance at a time: under a flood both may be slow. try-restart starts no instance that somebody stops meanwhile.
restart() {
  echo "<4>$unit hangs: restarting it"
  flock --nonblock "$RUNTIME_DIRECTORY/lock" systemctl try-restart "$unit"
}

# Stopped by hand it is inactive, or failed if it did not end by itself. After exit code 78 it is failed too, and its unit
# has started the alarm.
should_be_ready() {
  systemctl is-enabled --quiet "$unit" &&
    [[ $(systemctl show --property=ActiveState --value "$unit") =~ ^(active|activating)$ ]] &&
    [[ $(journalctl --unit="$unit" --since=-60s --output=cat --quiet) != *'waits for a lock'* ]]
}

main
