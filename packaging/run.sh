#!/usr/bin/env bash
# Starts shaderlab, installing what is missing first.  Arguments go to shaderlab.
# Without a display and without arguments it reports on an example shader in the terminal.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

prepare run "" "${run_packages[@]}"
if [ $# -gt 0 ] || [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
  exec "$venv/bin/shaderlab" "$@"
fi
echo "No display (neither DISPLAY nor WAYLAND_DISPLAY is set): reporting in the terminal instead."
exec "$venv/bin/shaderlab" report "$root/resources/examples/clouds.frag" --output "$root/out"
