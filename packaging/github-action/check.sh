#!/usr/bin/env bash
# The action's last step: its inputs, in variables, as arguments of `shaderlab check`.
set -euo pipefail

shaderlab=${SHADERLAB:-$RUNNER_TEMP/shaderlab/bin/shaderlab}
words=(check --device llvmpipe --json)
mapfile -t paths < <(grep -v '^[[:space:]]*$' <<<"${PATHS:-}" || true)
mapfile -t more < <(grep -v '^[[:space:]]*$' <<<"${MORE:-}" || true)
[ -z "${BUDGETS:-}" ] || words+=(--budgets "$BUDGETS")
[ -z "${SARIF:-}" ] || words+=(--sarif "$SARIF")
[ -z "${JUNIT:-}" ] || words+=(--junit "$JUNIT")
base=${BASE:-${PULL_REQUEST_BASE:-}}
if [ -n "$base" ]; then
  # checkout's default clone is shallow and lacks the base.
  git rev-parse --verify --quiet "$base^{commit}" >/dev/null ||
    git fetch --quiet --depth=1 origin "$base"
  git rev-parse --verify --quiet "$base^{commit}" >/dev/null || base=FETCH_HEAD
  words+=(--base "$base")
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
