#!/usr/bin/env bash
# The action's last step: its inputs, in variables, as arguments of `shaderlab check`.
set -euo pipefail

shaderlab=${SHADERLAB:-$RUNNER_TEMP/shaderlab/bin/shaderlab}
words=(check --device llvmpipe --json)
mapfile -t paths < <(grep -v '^[[:space:]]*$' <<<"${PATHS:-}" || true)
mapfile -t more < <(grep -v '^[[:space:]]*$' <<<"${MORE:-}" || true)
# As one word each, so that a value is never an option.
[ -z "${BUDGETS:-}" ] || words+=("--budgets=$BUDGETS")
[ -z "${SARIF:-}" ] || words+=("--sarif=$SARIF")
[ -z "${JUNIT:-}" ] || words+=("--junit=$JUNIT")
base=${BASE:-${PULL_REQUEST_BASE:-}}
if [ -n "$base" ]; then
  is_here() { git rev-parse --verify --quiet --end-of-options "$base^{commit}" >/dev/null; }
  # checkout's default clone is shallow and lacks the base.
  if ! is_here; then
    # Of what can be fetched, a commit or the name of one: no option, pattern or second name.
    if ! git check-ref-format --allow-onelevel "$base" || [[ $base == [-+]* ]]; then
      printf 'not a revision: %q\n' "$base" >&2
      exit 2
    fi
    git fetch --quiet --depth=1 -- origin "$base"
    is_here || base=FETCH_HEAD
  fi
  words+=("--base=$base")
fi
summary=$RUNNER_TEMP/shaderlab.md
words+=(--markdown "$summary" "${more[@]}")
[ ${#paths[@]} -eq 0 ] || words+=(-- "${paths[@]}")

status=0
"$shaderlab" "${words[@]}" >"$RUNNER_TEMP/shaderlab.json" || status=$?
echo "json=$RUNNER_TEMP/shaderlab.json" >>"$GITHUB_OUTPUT"
if [ -s "$summary" ]; then
  cat "$summary" >>"$GITHUB_STEP_SUMMARY"
else
  cat "$RUNNER_TEMP/shaderlab.json" >&2
fi
exit "$status"
