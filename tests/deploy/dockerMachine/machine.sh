#!/usr/bin/env bash
# Starts Docker in a machine of its own: in ROOT, of which nothing is changed, with all that it writes in STATE.
#   unshare --mount --net --uts --fork --pid --kill-child machine.sh ROOT STATE PROXY CGROUP
set -euo pipefail
root=$1 state=$2 proxy=$3 cgroup=$4
mkdir "$state"/{changes,work,machine,docker}
mount --make-rprivate /
mount -t overlay -o "lowerdir=$root,upperdir=$state/changes,workdir=$state/work" overlay "$state/machine"
cd "$state/machine"
mount -t proc proc proc
mount -t tmpfs tmpfs run
for folder in dev sys; do mount --rbind "/$folder" $folder; done
# Docker cannot keep its files on an overlay.
mkdir -p var/lib/docker
mount --bind "$state/docker" var/lib/docker
mkdir mnt/outside
pivot_root . mnt/outside
umount --lazy /mnt/outside
hostname dockermachine
ip link set lo up
# Docker asks registries by the proxy, which refuses and notes it.
export HTTPS_PROXY=$proxy HTTP_PROXY=$proxy
exec docker-init -- dockerd --cgroup-parent "/$cgroup"
