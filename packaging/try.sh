#!/usr/bin/env bash
# Starts a bundle (or any shaderlab) on this system, which needs nothing but Xvfb for the picture:
#
#   packaging/try.sh PROGRAM OUT
#
# Writes OUT/version.json, doctor.txt, predict.json, and what `report` draws, the window among it;
# prints the seconds each took.
set -euo pipefail

program=$1 out=$2
example=${EXAMPLE:-$(dirname "${BASH_SOURCE[0]}")/../resources/examples/julia.frag}
mkdir -p "$out"

timed() { # NAME COMMAND...
  local name=$1 from=$EPOCHREALTIME status=0
  shift
  "$@" || status=$?
  awk -v a="$from" -v b="$EPOCHREALTIME" -v n="$name" -v s="$status" \
    'BEGIN { printf "%-10s %5.1f s, exit code %d\n", n, b - a, s }'
  return "$status"
}

timed version "$program" version --json >"$out/version.txt"
timed version "$program" --version
timed doctor "$program" doctor >"$out/doctor.txt" || tail -3 "$out/doctor.txt"
timed predict "$program" predict "$example" --json --device llvmpipe >"$out/predict.json"
timed check "$program" check "$example" --target rtx3060 --device llvmpipe
timed report xvfb-run -a -s "-screen 0 1920x1080x24" "$program" report "$example" --output "$out/report"
ls -la "$out/report"
