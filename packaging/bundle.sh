#!/usr/bin/env bash
# Makes a portable folder and archive for Linux with PyInstaller: shaderlab, Python, Qt, glslang and
# a software Vulkan driver (lavapipe).  Debian 12 or Ubuntu 22.04; what is built on a system runs on
# that glibc and newer ones.  Needs root only for system packages that are missing.
#
#   packaging/bundle.sh [OUT]        OUT: a folder for the results; out/bundle
#
# LEVEL (0 to 9, else 6): how hard the archive is packed.  The same commit on a system with the same
# packages gives the same bytes.
# COMPILERS: a folder that packaging/compilers.sh made on this system; without it they are built first
# (half an hour); "none" leaves them out.
#
# On an empty system: packaging/chroot.sh bookworm DIR bash packaging/bundle.sh
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

to=$(realpath -m "${1:-$root/out/bundle}")
work=$to/work
mkdir -p "$work"
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct)}
export SOURCE_DATE_EPOCH PYTHONHASHSEED=0 PIP_DISABLE_PIP_VERSION_CHECK=1
umask 022

packages=("${run_packages[@]}" binutils xz-utils)
python=$(find_python)
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
[ "$(readlink -f "$python")" != "/usr/bin/python$version" ] ||
  packages+=("python$version-venv" "libpython$version")
install_system_packages "${packages[@]}"

if [ ! -e "$work/venv/.ready" ]; then
  "$python" -m venv --clear "$work/venv"
  PIP_CONSTRAINT="$root/packaging/constraints.txt" "$work/venv/bin/pip" install -q pyinstaller
  touch "$work/venv/.ready"
fi
# Built in from a wheel, as users get it, not from the checkout.
PIP_CONSTRAINT="$root/packaging/constraints.txt" "$work/venv/bin/pip" install -q --force-reinstall \
  --no-deps "$root"
PIP_CONSTRAINT="$root/packaging/constraints.txt" "$work/venv/bin/pip" install -q "$root"

rm -rf "$work/build" "$work/dist"
(cd "$work" && "$work/venv/bin/pyinstaller" --noconfirm --log-level ERROR \
  --distpath "$work/dist" --workpath "$work/build" "$root/packaging/bundle/shaderlab.spec")
made=$work/dist/shaderlab

# --- Vulkan drivers --------------------------------------------------------------------------------

inside=$made/_internal
mkdir -p "$inside/vulkan"
cp -L "$(ldconfig -p | awk '$1 == "libvulkan.so.1" { print $NF; exit }')" "$inside/"
# lavapipe runs shaders without a GPU; RADV, too, compiles without one, and the best forecasts use it.
# What a library needs, less what is there and what every system has.
of_the_system='^(linux-vdso|ld-linux|libc|libm|libdl|libpthread|librt|libresolv|libstdc\+\+|libgcc_s)[.-]'
copy_needed() { # LIBRARY
  ldd "$1" | awk '$2 == "=>" && $3 ~ /^\// { print $1, $3 }' | while read -r library path; do
    [[ $library =~ $of_the_system || -e $inside/$library ]] || cp -L "$path" "$inside/$library"
  done
}
for kind in lvp radeon; do
  manifest=$(ls /usr/share/vulkan/icd.d/"$kind"_icd*.json | head -1)
  driver=$(sed -n 's/.*"library_path": *"\([^"]*\)".*/\1/p' "$manifest")
  [[ $driver == /* ]] || driver=$(ls /usr/lib/*-linux-gnu/"$driver" | head -1)
  cp -L "$driver" "$inside/vulkan/"
  sed 's|"library_path": *"[^"]*"|"library_path": "./'"$(basename "$driver")"'"|' "$manifest" \
    >"$inside/vulkan/${kind}_icd.json"
  copy_needed "$driver"
done

# Compilers of all vendors, where `locations.compilers` looks for what is shipped.
if [ "${COMPILERS:-}" != none ]; then
  if [ -n "${COMPILERS:-}" ]; then
    [ -e "$COMPILERS/manifest.json" ] || die "$COMPILERS has no manifest.json: it holds no compilers."
  else
    COMPILERS=$work/compilers
    bash "$root/packaging/compilers.sh" --to "$COMPILERS" --work "$work/compilers-build"
  fi
  cp -r "$COMPILERS" "$inside/shaderlab/compilers"
  for library in "$inside"/shaderlab/compilers/*.so; do copy_needed "$library"; done
fi

# What Qt's platform plugins ask for, found by the linker only when they are loaded.
find "$inside/PySide6" -name '*.so*' -print0 | xargs -0 -n 40 ldd 2>/dev/null |
  awk '$2 == "=>" && $3 ~ /^\/(usr\/)?lib/ { print $1, $3 }' | sort -u | while read -r library path; do
  [[ $library =~ $of_the_system || -e $inside/$library ]] || cp -L "$path" "$inside/$library"
done

# Wheels hold a library once for each of its names; here the shorter names are links.
find "$inside/cmeel.prefix" "$inside/pyarrow" -name '*.so.*' -type f | sort -r | while read -r file; do
  [ ! -L "$file" ] || continue
  for other in "${file%%.so.*}".so*; do
    [ "$other" = "$file" ] || [ -L "$other" ] || ! cmp -s "$file" "$other" ||
      ln -sf "$(basename "$file")" "$other"
  done
done

# --- launcher, licences, archive -------------------------------------------------------------------

mkdir -p "$made/share/applications" "$made/share/icons/hicolor/scalable/apps"
cp "$root/packaging/bundle/shaderlab.desktop" "$made/share/applications/"
cp "$root/resources/icons/shaderlab.svg" "$made/share/icons/hicolor/scalable/apps/"
cp "$root/LICENSE" "$made/"
cp "$root/packaging/bundle/README.txt" "$made/"
"$work/venv/bin/python" "$root/packaging/bundle/licences.py" "$made" \
  "$("$work/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"

number=$(sed -n 's/^__version__ = "\(.*\)"/\1/p' "$root/src/shaderlab/__init__.py")
archive=$to/shaderlab-$number-linux-$(uname -m).tar.xz
tar -C "$work/dist" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" \
  -c shaderlab | xz -T2 "-${LEVEL:-6}" >"$archive" # -T0 packs otherwise on one core
(cd "$to" && sha256sum "$(basename "$archive")")
rm -rf "$to/shaderlab"
mv "$made" "$to/shaderlab"
du -sh "$to/shaderlab" "$archive"
du -sh "$to/shaderlab/_internal"/* | sort -h | tail -15
