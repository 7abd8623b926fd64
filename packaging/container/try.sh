#!/usr/bin/env bash
# Builds the container with buildah and checks a shader in it, where no registry of images is reached:
# the base image is an empty Debian 13 from packaging/chroot.sh, which has git and Python already.
#
#   packaging/container/try.sh DIR      DIR: a folder for the system and the images (3 GB)
#
# Needs root and buildah.  Nothing but DIR is written to.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
dir=$(realpath -m "${1:?Usage: $0 DIR}")
mkdir -p "$dir"

[ -e "$dir/base/.debootstrapped" ] || bash "$root/packaging/chroot.sh" trixie "$dir/base" true
rm -rf "$dir/source"
git clone --quiet "$root" "$dir/source" # HEAD, as in the other packages

image() { buildah --root "$dir/images" --runroot "$dir/run" --storage-driver vfs "$@"; }
base=$(image from scratch)
image add --quiet "$base" "$dir/base" / >/dev/null
image commit --quiet "$base" docker.io/library/debian:13-slim >/dev/null
image rm "$base" >/dev/null

# Where pip finds packages on this machine; chroot.sh has brought its configuration along.
folders=()
while read -r folder; do
  [ ! -d "$folder" ] || folders+=(--volume "$folder:$folder:ro")
done < <(python3 -m pip config list | tr " '" '\n\n' | sed -n 's|^file://||; s|/simple/*$||; /^\//p' | sort -u)
image build --isolation chroot --pull=never --layers=false "${folders[@]}" \
  -f "$dir/source/packaging/container/Containerfile" -t shaderlab "$dir/source"
image images

work=$(image from --pull=never localhost/shaderlab)
trap 'image rm "$work" >/dev/null' EXIT
inside() { image run --isolation chroot --volume "$root/resources/examples:/work:ro" "$work" -- "$@"; }
inside id -un
inside shaderlab version
inside shaderlab check julia.frag --budget rtx3060=1s --device llvmpipe
