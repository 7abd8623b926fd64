#!/usr/bin/env bash
# Builds the Flatpak, installs and starts it, where Flathub is not reached: its runtime is then an
# empty Debian 13 from packaging/chroot.sh under the runtime's name.  That tries the manifest, what
# the sandbox lets through, and the bundle in it; not the libraries of the real runtime.
#
#   packaging/flatpak/try.sh DIR     DIR: a folder for all of it (4 GB)
#
# Needs root, flatpak, flatpak-builder and appstreamcli, xvfb for the picture, and a bundle in
# out/bundle (packaging/bundle.sh).  Nothing but DIR is written to.
set -euo pipefail
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
root=$(realpath "$here/../..")
dir=$(realpath -m "${1:?Usage: $0 DIR}")
id=io.github.shaderlab.Shaderlab
branch=$(sed -n 's/^runtime-version: "\(.*\)"/\1/p' "$here/$id.yml")
export FLATPAK_USER_DIR=$dir/flatpak XDG_CACHE_HOME=$dir/cache
mkdir -p "$dir"

[ -x "$root/out/bundle/shaderlab/shaderlab" ] || { echo "No bundle: packaging/bundle.sh" >&2; exit 2; }
appstreamcli validate --no-net "$here/$id.metainfo.xml"
desktop-file-validate "$root/packaging/bundle/shaderlab.desktop"

# flatpak-builder asks the SDK for appstream-compose.
[ -e "$dir/base/usr/bin/appstream-compose" ] ||
  bash "$root/packaging/chroot.sh" --again trixie "$dir/base" bash -c \
    'apt-get update -q && apt-get install -y -q --no-install-recommends appstream-util librsvg2-common'
if [ ! -e "$dir/repo" ]; then
  for name in Platform Sdk; do
    rm -rf "$dir/runtime"
    mkdir -p "$dir/runtime/files" "$dir/runtime/var"
    cp -a "$dir/base/usr" "$dir/runtime/usr"
    cp -a "$dir/base/etc" "$dir/runtime/usr/etc"
    cat >"$dir/runtime/metadata" <<TEXT
[Runtime]
name=org.freedesktop.$name
runtime=org.freedesktop.Platform/$(uname -m)/$branch
sdk=org.freedesktop.Sdk/$(uname -m)/$branch
TEXT
    flatpak build-export --runtime "$dir/repo" "$dir/runtime" "$branch"
  done
  rm -rf "$dir/runtime"
fi
flatpak --user remote-add --if-not-exists --no-gpg-verify here "$dir/repo"
flatpak --user install -y --noninteractive --or-update here "org.freedesktop.Platform//$branch" "org.freedesktop.Sdk//$branch"

flatpak-builder --disable-rofiles-fuse --force-clean --state-dir="$dir/state" --repo="$dir/repo" \
  "$dir/build" "$here/$id.yml"
flatpak --user install -y --noninteractive --or-update here "$id"
flatpak --user info --show-permissions "$id"
flatpak --user info "$id" | grep -i installed

cat >"$dir/shaderlab" <<TEXT
#!/bin/sh
exec dbus-run-session -- flatpak --user run --filesystem=$dir --filesystem=$root $id "\$@"
TEXT
chmod +x "$dir/shaderlab"
bash "$root/packaging/try.sh" "$dir/shaderlab" "$dir/tried"
