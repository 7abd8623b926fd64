#!/usr/bin/env bash
# Draws the window, its panels and dialogs in both themes at 100, 200 and 250 %, and renews the
# pictures of the README and the manual, in the environment that has shaderlab.  Needs xvfb-run.
#
#   bash packaging/screenshots.sh [FOLDER]     # all pictures; out/screenshots by default
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-out/screenshots}
for scale in 1 2 2.5; do
  QT_SCALE_FACTOR=$scale xvfb-run -a -s "-screen 0 3840x2160x24" \
    python tests/screenshots.py "$folder"
done
for name in half-light keys-light; do
  cp "$folder/$name-100.png" "resources/screenshots/$name.png"
done
xvfb-run -a -s "-screen 0 1920x1200x24" python tests/screenshot.py
xvfb-run -a -s "-screen 0 1920x1400x24" python tests/study_pictures.py
