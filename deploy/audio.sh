#!/usr/bin/env bash
# Runs a command of the service: audio account …, audio check, audio migrate.
#   audio.sh COMMAND [ARGUMENT…]
# deploy/install.sh installs it as `audio`. In containers it also works beside compose.yaml: deploy/audio.sh account list.
# Commands read standard input, but not your files.
set -euo pipefail
release=/opt/audio
beside=$(dirname "$(dirname "$(readlink -f "$0")")")
if [[ -n ${AUDIO_FOLDER-} ]]; then
  release=$AUDIO_FOLDER
elif [[ -e $beside/compose.yaml ]]; then
  release=$beside
fi
caller=${SUDO_USER:-$(id -un)}

if (($# == 0)) || [[ ! $1 =~ ^(account|check|migrate)$ ]]; then
  echo "Usage: audio account …, audio check or audio migrate" >&2
  exit 2
fi

if [[ -e $release/compose.yaml ]]; then
  options=(--env SUDO_USER="$caller")
  if [[ ! -t 0 || ! -t 1 ]]; then
    options+=(-T)
    # Docker takes all input, also that of a loop around it, so only commands that read it get it.
    if [[ -t 0 || ! "${*:2} " =~ ^(add|set-password|import|tokens.*--token)\  || $* == *--generate* ]]; then
      exec < /dev/null
    fi
  fi
  exec docker compose --project-directory "$release" exec "${options[@]}" "${AUDIO_INSTANCE:-app-1}" \
    node "dist/server/$1.js" "${@:2}"
fi

arguments=("${@:2}")
# systemd takes $ for its own.
exec systemd-run --pipe --pty --quiet --collect --description="audio $1" --property=EnvironmentFile=/etc/audio.env \
  --property=WorkingDirectory="$release" --property=DynamicUser=yes --setenv=SUDO_USER="$caller" \
  /usr/bin/node "dist/server/$1.js" "${arguments[@]//\$/\$\$}"
