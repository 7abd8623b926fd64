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

# From the call to the window on the screen.  Processor time says what a quiet machine would take.
window() {
  xvfb-run -a -s "-screen 0 1920x1080x24" bash -c '
    from=$EPOCHREALTIME id=
    "$1" >/dev/null 2>&1 &
    child=$!
    until [ -n "$id" ] && xwininfo -id "$id" 2>/dev/null | grep -q IsViewable; do
      kill -0 "$child" 2>/dev/null || exit 1
      sleep 0.02
      id=$(xwininfo -root -tree 2>/dev/null |
        awk "/shaderlab/ && / [0-9][0-9][0-9]+x[0-9][0-9][0-9]+/ { print \$1; exit }")
    done
    awk -v a="$from" -v b="$EPOCHREALTIME" -v hz="$(getconf CLK_TCK)" \
      "{ printf \"%5.2f s, of them %.2f s of processor time\\n\", b - a, (\$14 + \$15) / hz }" \
      "/proc/$child/stat"
    kill "$child"
    wait "$child" 2>/dev/null || true' window "$program"
}
if command -v xwininfo >/dev/null; then
  for _ in 1 2 3 4; do echo "window     $(timeout 120 bash -c "$(declare -f window); program=$program; window")"; done
fi

timed version "$program" version --json >"$out/version.txt"
timed version "$program" --version
timed doctor "$program" doctor >"$out/doctor.txt" || tail -3 "$out/doctor.txt"
timed predict "$program" predict "$example" --json --device llvmpipe >"$out/predict.json"
timed check "$program" check "$example" --target rtx3060 --device llvmpipe
timed report xvfb-run -a -s "-screen 0 1920x1080x24" "$program" report "$example" --output "$out/report"
ls -la "$out/report"
