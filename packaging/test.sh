#!/usr/bin/env bash
# Runs all checks, installing what is missing first.  Arguments go to pytest.
# With SHADERLAB_TRAINING=1 what training needs (torch and more, a gigabyte) is installed too;
# without it the tests of training are skipped.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

test_packages=(xvfb xauth)
# SwiftShader, the second software driver, comes inside Debian's chromium; elsewhere its tests are skipped.
. /etc/os-release 2>/dev/null || true
[ "${ID:-}" = debian ] && test_packages+=(chromium)

prepare test "[test]" "${run_packages[@]}" "${test_packages[@]}"
if [ -n "${SHADERLAB_TRAINING:-}" ]; then
  (prepare training "[test,training]") || echo "Tests of training are skipped." >&2
fi
cd "$root"
"$venv/bin/ruff" check
"$venv/bin/ruff" format --check
"$venv/bin/lint-imports"
exec "$venv/bin/python" -m pytest "$@"
