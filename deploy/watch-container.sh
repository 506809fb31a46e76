#!/usr/bin/env bash
# The health check of compose.yaml's instances: ends an instance that hangs, and Docker starts it again. An instance hangs
# if it accepts connections but answers nothing for 20 s (AUDIO_WATCH_SILENCE). While it starts or stops, it refuses
# connections.
#   watch-container.sh [OTHER]
# OTHER is the instance that is asked first, so that both never restart at once. Exit codes: 0 it answers, 1 it does not.
silence_seconds=${AUDIO_WATCH_SILENCE:-20}

main() {
  ask 127.0.0.1
  if is_silent "$silence_seconds" &&
    { [[ -z ${1-} ]] || (ask "$1" && ! is_silent 5 && [[ $answer == y ]]) || is_silent $((3 * silence_seconds)); }; then
    echo 'The instance accepts connections but answers nothing: Docker restarts it' | tee /proc/1/fd/2
    # All processes of the container, except Docker's init.
    kill -KILL -- -1
  fi
  [[ $answer == y ]]
}

# Writes y or n to descriptor 4, from a process of its own, since connecting may take long too.
ask() {
  exec 4< <(answers "$1" 2> /dev/null && printf y || printf n)
}

answers() {
  local status
  exec 3<> "/dev/tcp/$1/4000" &&
    printf 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&3 &&
    read -r _ status _ <&3 && [[ $status == 200 ]]
}

# Waits second by second, so that a pause of the container or the machine counts as one.
is_silent() {
  local seconds code
  for ((seconds = $1; seconds > 0; seconds--)); do
    read -r -t 1 -n 1 -u 4 answer
    code=$?
    # More than 128: the second is over.
    if [[ -n $answer ]] || ((code <= 128)); then return 1; fi
  done
}

main "$@"
