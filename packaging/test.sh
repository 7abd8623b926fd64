#!/usr/bin/env bash
# Runs all checks, installing what is missing first.  Arguments go to pytest; with any, types are not
# checked (minutes).
# With SHADERLAB_TRAINING=1 what training needs (torch and more, a gigabyte) is installed too;
# without it the tests of training are skipped, and so are types, which rest on those packages.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

test_packages=(xvfb xauth)
# For a stand-in of a device that hangs (tests/stuck_layer); without them its tests are skipped.
command -v apt-get >/dev/null && test_packages+=(gcc libc6-dev libvulkan-dev)
# SwiftShader, the second software driver, comes inside Debian's chromium; elsewhere its tests are skipped.
. /etc/os-release 2>/dev/null || true
[ "${ID:-}" = debian ] && test_packages+=(chromium)
# RenderDoc, programs to capture a frame of and a decompiler; elsewhere (Debian 13 has no RenderDoc) the tests of
# captures are skipped.
[ "${ID:-}:${VERSION_ID:-}" = debian:12 ] &&
  test_packages+=(renderdoc python3-renderdoc vulkan-tools mesa-utils spirv-cross)

# As on every system shaderlab is for, at once: each takes two minutes of one core.
check_types() {
  local platform outcome=0 running=()
  local reports
  reports=$(mktemp -d)
  for platform in Linux Windows Darwin; do
    PYRIGHT_PYTHON_IGNORE_WARNINGS=1 "$venv/bin/pyright" --pythonpath "$venv/bin/python" \
      --pythonplatform "$platform" >"$reports/$platform" 2>&1 &
    running+=("$platform:$!")
  done
  for platform in "${running[@]}"; do
    wait "${platform#*:}" || outcome=1
    echo "Types on ${platform%:*}: $(cat "$reports/${platform%:*}")"
  done
  rm -r "$reports"
  return "$outcome"
}

prepare test "[test]" "${run_packages[@]}" "${test_packages[@]}"
if [ -n "${SHADERLAB_TRAINING:-}" ]; then
  (prepare training "[test,training]") || echo "Tests of training are skipped." >&2
fi
cd "$root"
"$venv/bin/ruff" check
"$venv/bin/ruff" format --check
"$venv/bin/lint-imports"
if [ $# -eq 0 ] && "$venv/bin/python" -c 'import torch, sklearn, matplotlib' 2>/dev/null; then
  check_types
fi
exec "$venv/bin/python" -m pytest "$@"
