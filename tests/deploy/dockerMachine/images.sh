#!/usr/bin/env bash
# Makes the stand-ins in the machine's Docker, named as compose.yaml and Dockerfile name the official images.
set -euo pipefail
cd "$(dirname "$0")"
tar --directory=/ --one-file-system --exclude='./opt/*' --exclude='./root/*' --exclude='./tmp/*' --exclude=./usr/libexec/docker \
  --exclude='./usr/*bin/docker*' --exclude='./usr/bin/containerd*' --exclude=./usr/bin/ctr --exclude=./usr/sbin/runc --create . |
  docker import --change "ENV PATH=$PATH" - debian
build() {
  docker build --quiet --target "$1" --build-arg "MAJOR=${3-}" --tag "$2" .
}
image_in() {
  sed -n "s/^.*\($1:[^ }]*\).*/\1/p" "$2" | head -n 1
}
build node "$(image_in node /opt/audio/Dockerfile)"
build postgres "$(image_in postgres /opt/audio/compose.yaml)" 18
build postgres postgres:19.1 19
build nginx "$(image_in nginx /opt/audio/compose.yaml)"
