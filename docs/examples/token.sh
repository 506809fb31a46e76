#!/usr/bin/env bash
# Signs in, creates a token, prints the stream's address and signs out. Needs bash and curl.
#   AUDIO_USERNAME=… AUDIO_PASSWORD=… docs/examples/token.sh
# Ends with 75 when the same may work later, with 1 when it will not.
set -euo pipefail
api=${AUDIO_API:-http://127.0.0.1:4000/graphql}
username=${AUDIO_USERNAME:-}
password=${AUDIO_PASSWORD:-}
jwt=

# Sends a query and its variables, and leaves what comes back in $answer. Password and session go by pipes: whoever
# lists the machine's processes sees arguments.
ask() {
  answer=$(printf '{"query":"%s","variables":%s}' "$1" "$2" |
    curl --silent --show-error --max-time 15 --data-binary @- --header 'content-type: application/json' \
      --header @<(printf '%s' "${jwt:+authorization: Bearer $jwt}") "$api") || fail NO_ANSWER
  if [[ $answer == *'"errors":'* ]]; then fail "$(field code)" "$(field retryAfterSeconds)"; fi
  if [[ $answer != *'"data":'* ]]; then fail NO_ANSWER; fi
}

# The first field of that name in $answer; enough for these operations, jq is for the rest.
field() {
  local pattern="\"$1\":(\"[^\"]*\"|[0-9]+)"
  if [[ $answer =~ $pattern ]]; then printf '%s' "${BASH_REMATCH[1]//\"/}"; fi
}

fail() {
  echo "$1${2:+, again in $2 s}" >&2
  case $1 in
    RATE_LIMITED | PROVIDER_UNAVAILABLE | PROVIDER_BAD_ANSWER | DATABASE_UNAVAILABLE | NO_ANSWER) exit 75 ;;
    *) exit 1 ;;
  esac
}

# A text as JSON has it.
json() {
  local text=${1//\\/\\\\}
  printf '"%s"' "${text//\"/\\\"}"
}

sign_in='mutation SignIn($username: String!, $password: String!) { login(username: $username, password: $password) { jwt } }'
ask "$sign_in" "{\"username\":$(json "$username"),\"password\":$(json "$password")}"
jwt=$(field jwt)
trap 'ask "mutation { logout }" "{}"' EXIT

ask 'mutation { createToken { streamUrl expiry } }' '{}'
echo "Connect before $(field expiry)" >&2
field streamUrl
echo
