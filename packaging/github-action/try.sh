#!/usr/bin/env bash
# Runs the action's own steps here, as GitHub runs them for a pull request: a repository whose last
# commit makes a shader slower, checked out shallowly, and the action's `run` steps in order.  What
# other actions do (setup-python, cache) is left out.
#
#   packaging/github-action/try.sh
#
# On an empty system: packaging/chroot.sh trixie DIR bash packaging/github-action/try.sh
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

export GIT_CONFIG_GLOBAL="$work/git" HOME="$work/home" RUNNER_TEMP="$work/temp"
mkdir -p "$HOME" "$RUNNER_TEMP"
git config --global user.name tester
git config --global user.email tester@users.noreply.example
git config --global protocol.file.allow always

# The pull request, and the clone that actions/checkout makes of it.
git init --quiet -b main "$work/origin"
cp "$root"/resources/examples/{julia,gradient}.frag "$work/origin/"
cat >"$work/origin/budgets.toml" <<'TOML'
format = 1
files = ["*.frag"]

[[budget]]
targets = {rtx3060 = "10ms"}
max_increase = "10%"
TOML
git -C "$work/origin" add .
git -C "$work/origin" commit --quiet -m base
base=$(git -C "$work/origin" rev-parse HEAD)
sed -i 's/n < 110/n < 400/' "$work/origin/julia.frag"
git -C "$work/origin" commit --quiet --all -m slower
git -C "$work/origin" config uploadpack.allowAnySHA1InWant true
git clone --quiet --depth=1 "file://$work/origin" "$work/checkout"

# The steps, each in a file of its own, as the runner writes them.
python3 -c 'import ensurepip' 2>/dev/null ||
  { apt-get update -q && apt-get install -y -q --no-install-recommends python3-venv; } >/dev/null
python3 -m venv "$work/yaml"
"$work/yaml/bin/pip" install -q pyyaml
"$work/yaml/bin/python" - "$root/packaging/github-action/action.yml" "$work" <<'PYTHON'
import sys
from pathlib import Path

import yaml

steps = yaml.safe_load(Path(sys.argv[1]).read_text())["runs"]["steps"]
for number, step in enumerate(each for each in steps if "run" in each):
    Path(sys.argv[2], f"step{number}.sh").write_text(step["run"])
    print(f"step {number}: {step['name']}")
PYTHON

if ! command -v sudo >/dev/null; then # runners have it
  mkdir "$work/bin"
  printf '#!/bin/sh\nexec "$@"\n' >"$work/bin/sudo"
  chmod +x "$work/bin/sudo"
fi
command -v python >/dev/null || { mkdir -p "$work/bin"; ln -s "$(command -v python3)" "$work/bin/python"; }
export PATH="$work/bin:$PATH"
export ROOT="$root" GITHUB_ACTION_PATH="$root/packaging/github-action"
export GITHUB_ENV="$work/env" GITHUB_OUTPUT="$work/output" GITHUB_STEP_SUMMARY="$work/summary.md"
export PATHS='' BUDGETS=budgets.toml BASE='' PULL_REQUEST_BASE=$base MORE=''
export SARIF=shaderlab.sarif JUNIT=shaderlab.xml
cd "$work/checkout"
status=0
for step in "$work"/step*.sh; do
  # The shell of `shell: bash`.
  bash --noprofile --norc -eo pipefail "$step" || { status=$? && break; }
done

cat "$work/summary.md"
cat "$work/output"
ls -l shaderlab.sarif shaderlab.xml
[ "$status" -eq 1 ] || { echo "The check ended with $status, not with 1: the shader grew by more than 10 %." >&2; exit 1; }
grep -q 'julia.frag' "$work/summary.md"
echo "The pull request fails, as it should."
