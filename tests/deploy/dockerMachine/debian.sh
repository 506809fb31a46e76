#!/usr/bin/env bash
# Makes the folder ROOT: a Debian with Docker, and with what dockerMachine/Dockerfile takes out of it.
#   debian.sh ROOT
set -euo pipefail
root=$1
suite=trixie
packages=(ca-certificates curl docker.io docker-cli docker-compose docker-buildx iptables iproute2 openssl procps busybox
  gettext-base nginx-light postgresql)
# The mirror that this machine's apt uses, if it is a Debian; otherwise debootstrap takes its own.
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' 'Label: Debian' 'Component: main' | head -n 1)
debootstrap --variant=minbase --include="$(IFS=, && echo "${packages[*]}")" $suite "$root.part" ${mirror:+"$mirror"}
rm -rf "$root.part"/var/cache/apt/archives/*.deb "$root.part"/var/lib/apt/lists/* "$root.part"/usr/share/{doc,man,locale}/*
mv --no-target-directory "$root.part" "$root"
