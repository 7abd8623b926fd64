#!/usr/bin/env bash
# Builds the wheel twice and compares the bytes, installs it into an empty environment outside the
# checkout, as pipx and uvx do, and starts it there.
#
#   packaging/wheel.sh [OUT]         OUT: a folder for the results; out/wheel
#
# PYTHON names the interpreter.  On an empty system:
#   packaging/chroot.sh trixie DIR bash packaging/wheel.sh
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

to=$(realpath -m "${1:-$root/out/wheel}")
python=${PYTHON:-$(find_python)}
packages=("${run_packages[@]}" xvfb xauth x11-utils)
"$python" -c 'import ensurepip' 2>/dev/null ||
  packages+=("$("$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')")
install_system_packages "${packages[@]}"

SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct)}
export SOURCE_DATE_EPOCH PIP_DISABLE_PIP_VERSION_CHECK=1
export PIP_CONSTRAINT="$root/packaging/constraints.txt"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$python" -m venv "$work/build"
"$work/build/bin/pip" install -q build
for n in 1 2; do
  "$work/build/bin/python" -m build --wheel --outdir "$work/$n" "$root" >/dev/null
done
(cd "$work/1" && sha256sum ./*.whl) | tee "$work/sums"
(cd "$work/2" && sha256sum --quiet -c "$work/sums") || die "The two wheels differ."
mkdir -p "$to"
cp "$work"/1/*.whl "$to/"
du -h "$to"/*.whl

"$python" -m venv "$work/venv"
"$work/venv/bin/pip" install -q "$to"/*.whl
du -sh "$work/venv"
cp "$root/resources/examples/julia.frag" "$work/"
cd "$work" # nothing of the checkout is beside it
EXAMPLE="$work/julia.frag" bash "$root/packaging/try.sh" "$work/venv/bin/shaderlab" "$to/tried"
