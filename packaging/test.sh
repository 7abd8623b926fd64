#!/usr/bin/env bash
# Runs all checks, installing what is missing first.  Arguments go to pytest.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

test_packages=(xvfb xauth)
# SwiftShader, the second software driver, comes inside Debian's chromium; elsewhere its tests are skipped.
. /etc/os-release 2>/dev/null || true
[ "${ID:-}" = debian ] && test_packages+=(chromium)

prepare test "[test]" "${run_packages[@]}" "${test_packages[@]}"
cd "$root"
"$venv/bin/ruff" check
"$venv/bin/ruff" format --check
"$venv/bin/lint-imports"
exec "$venv/bin/python" -m pytest "$@"
