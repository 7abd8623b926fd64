#!/usr/bin/env bash
# Makes a .deb of the portable bundle, which has to be there: packaging/bundle.sh [OUT].
#
#   packaging/deb.sh [OUT]           OUT: the bundle's folder of results; out/bundle
#
# Installed on an empty system and started: packaging/chroot.sh trixie DIR bash packaging/deb.sh --try FILE.deb
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

if [ "${1:-}" = --try ]; then
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -q
  apt-get install -y -q --no-install-recommends "$(realpath "$2")" xvfb xauth x11-utils
  bash "$root/packaging/try.sh" /usr/bin/shaderlab "$root/out/deb-tried"
  exit
fi

to=$(realpath -m "${1:-$root/out/bundle}")
[ -x "$to/shaderlab/shaderlab" ] || { echo "No bundle in $to: packaging/bundle.sh" >&2; exit 2; }
number=$(sed -n 's/^__version__ = "\(.*\)"/\1/p' "$root/src/shaderlab/__init__.py")
architecture=$(dpkg --print-architecture)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct)}
export SOURCE_DATE_EPOCH DPKG_DEB_THREADS_MAX=2 # as many on any machine: it decides the bytes
umask 022
# The C library's version that the bundle was built on is the oldest it runs on.
libc=$(ldd --version | sed -n '1s/.* //p')

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
chmod 755 "$tree"
mkdir -p "$tree"/{DEBIAN,opt,usr/bin,usr/share/doc/shaderlab}
cp -a "$to/shaderlab" "$tree/opt/shaderlab"
mv "$tree/opt/shaderlab/share"/* "$tree/usr/share/"
rmdir "$tree/opt/shaderlab/share"
ln -s /opt/shaderlab/shaderlab "$tree/usr/bin/shaderlab"
cat >"$tree/usr/share/doc/shaderlab/copyright" <<TEXT
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: shaderlab
Comment: The licences of everything inside are listed in /opt/shaderlab/licences/LIST.tsv.

Files: *
Copyright: the shaderlab authors
License: GPL-3.0-or-later
 On Debian systems the text is in /usr/share/common-licenses/GPL-3.
TEXT
cat >"$tree/DEBIAN/control" <<TEXT
Package: shaderlab
Version: $number
Architecture: $architecture
Maintainer: shaderlab maintainers <maintainers@users.noreply.a-seed-d9c0cee2.example>
Installed-Size: $(find "$tree" -type f -printf '%s\n' | awk '{ kb += int(($1 + 1023) / 1024) } END { print kb }')
Depends: libc6 (>= $libc), libstdc++6, libgcc-s1
Recommends: fonts-dejavu-core | fonts-noto-core, mesa-vulkan-drivers
Suggests: renderdoc
Section: devel
Priority: optional
Description: shader editor that says what every line costs
 Execution counts, a live preview and predicted times beside the source, on
 this machine and on GPUs that are not here. Includes a software Vulkan driver.
TEXT
find "$tree" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
file=$to/shaderlab_${number}_$architecture.deb
dpkg-deb --root-owner-group -Zxz "-z${LEVEL:-6}" --build "$tree" "$file" >/dev/null
du -h "$file"
sha256sum "$file"
