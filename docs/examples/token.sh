#!/usr/bin/env bash
# Creates a token and prints the stream's address. Needs bash and curl.
#   AUDIO_KEY=… docs/examples/token.sh
# With AUDIO_USERNAME and AUDIO_PASSWORD instead of a key it signs in before and signs out afterwards.
# Waits as long as a limit says. Ends with 75 when the same may work later, with 1 when it will not.
set -euo pipefail
api=${AUDIO_API:-http://127.0.0.1:4000/graphql}
username=${AUDIO_USERNAME:-}
password=${AUDIO_PASSWORD:-}
# Sent as Bearer: the key, or the jwt of login.
bearer=${AUDIO_KEY:-}

# Sends a query with its variables and stores the response, head and body, in $answer; asks again after the wait of a
# limit. Passes password, session and key through pipes, because the list of processes shows arguments.
ask() {
  local status=0 wait=''
  answer=$(printf '{"query":"%s","variables":%s}' "$1" "$2" |
    curl --silent --show-error --include --max-time 21 --data-binary @- --header 'content-type: application/json' \
      --header @<(printf '%s' "${bearer:+authorization: Bearer $bearer}") "$api") || status=$?
  if ((status == 3)); then misused 'AUDIO_API is not an address'; fi
  case $status in
    # curl has said why; 77 means that it cannot read the file of authorities.
    51 | 60 | 77) misused "The certificate of AUDIO_API is not accepted (curl ended with $status)" ;;
  esac
  if ((status != 0)); then fail NO_ANSWER "curl ended with $status"; fi
  if [[ $answer == *'"errors":'* ]]; then
    wait=$(field retryAfterSeconds)
    if [[ -z $wait ]]; then fail "$(field code)" "$(field message)"; fi
    echo "$(failure "$(field code)" "$(field message)"); waiting $wait s" >&2
    sleep "$wait"
    ask "$@"
    return
  fi
  if [[ $answer != *'"data":'* ]]; then fail NO_ANSWER "no JSON, but ${answer%%$'\r'*}"; fi
}

# Prints the first field of that name in $answer. Enough for these operations; use jq for more.
field() {
  local pattern="\"$1\":(\"(([^\"\\]|\\\\.)*)\"|[0-9]+)"
  if [[ $answer =~ $pattern ]]; then
    local text=${BASH_REMATCH[2]:-${BASH_REMATCH[1]}}
    printf '%s' "${text//\\\"/\"}"
  fi
}

# Prints a code with its message and the request's id.
failure() {
  local id=''
  if [[ $answer =~ [Xx]-[Rr]equest-[Ii]d:\ ([^[:space:]]+) ]]; then id=${BASH_REMATCH[1]}; fi
  echo "$1: $2${id:+ (x-request-id $id)}"
}

fail() {
  failure "$@" >&2
  case $1 in
    INVALID_CREDENTIALS | UNAUTHENTICATED | BAD_USER_INPUT | GRAPHQL_* | OPERATION_RESOLUTION_FAILURE) exit 1 ;;
    PERSISTED_QUERY_NOT_SUPPORTED | BAD_REQUEST | NOT_FOUND | METHOD_NOT_ALLOWED) exit 1 ;;
    PAYLOAD_TOO_LARGE | UNSUPPORTED_MEDIA_TYPE) exit 1 ;;
    *) exit 75 ;;
  esac
}

misused() {
  echo "$1" >&2
  exit 1
}

# Prints a text as a JSON string.
json() {
  local text=${1//\\/\\\\}
  printf '"%s"' "${text//\"/\\\"}"
}

# In a subshell, so that a failure here does not change the exit code.
sign_out() {
  (ask 'mutation { logout }' '{}') || echo 'The session was not ended.' >&2
}

if ! [[ $api =~ ^https://[^/]|^http://(127\.0\.0\.1|localhost|\[::1\])(:[0-9]+)?(/|$) ]]; then
  misused 'AUDIO_API has to be an https:// address; http:// leads to this machine alone'
fi
# This machine is never asked through a proxy, which would see the key.
if [[ $api == http:* ]]; then export no_proxy='*'; fi

if [[ -z $bearer ]]; then
  for name in AUDIO_USERNAME AUDIO_PASSWORD; do
    if [[ -z ${!name:-} ]]; then misused "$name is missing, or AUDIO_KEY"; fi
  done
  sign_in='mutation SignIn($username: String!, $password: String!) { login(username: $username, password: $password) { jwt } }'
  ask "$sign_in" "{\"username\":$(json "$username"),\"password\":$(json "$password")}"
  bearer=$(field jwt)
  trap sign_out EXIT
fi

ask 'mutation { createToken { streamUrl expiry } }' '{}'
echo "Connect before $(field expiry)" >&2
field streamUrl
echo
