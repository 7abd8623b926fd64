#!/usr/bin/env bash
# Installs the commands without the window's libraries, as the GitHub Action and the container do,
# and checks an example twice: the second run must give the same bytes.
#
#   packaging/cli.sh
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

python=${PYTHON:-$(find_python)}
packages=(libvulkan1 mesa-vulkan-drivers)
"$python" -c 'import ensurepip' 2>/dev/null ||
  packages+=("$("$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')")
install_system_packages "${packages[@]}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PIP_CONSTRAINT="$root/packaging/constraints.txt" PIP_DISABLE_PIP_VERSION_CHECK=1
"$python" -m venv "$work/venv"
"$work/venv/bin/pip" install -q -r "$root/packaging/requirements-cli.txt" hatchling
"$work/venv/bin/pip" install -q --no-deps --no-build-isolation "$root"
du -sh "$work/venv"
if "$work/venv/bin/python" -c 'import PySide6' 2>/dev/null; then die "Qt is there after all."; fi
mkdir "$work/shaders"
cp "$root"/resources/examples/{julia,gradient}.frag "$work/shaders/"
cd "$work"
for n in 1 2; do
  XDG_CACHE_HOME="$work/cache" "$work/venv/bin/shaderlab" check shaders --target rtx3060 \
    --budget uhd630=1s --device llvmpipe --json --markdown "$n.md" >"$n.json"
done
cmp 1.json 2.json
cat 1.md
