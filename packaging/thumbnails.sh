#!/usr/bin/env bash
# Renders the pictures of File > Examples into resources/thumbnails/, one per example.
# Run it after an example was added or changed, in the environment that has shaderlab.
#
#   bash packaging/thumbnails.sh [NAME...]
set -euo pipefail
cd "$(dirname "$0")/.."
names=("$@")
if [ ${#names[@]} -eq 0 ]; then
  for file in resources/examples/*.frag; do names+=("$(basename "$file" .frag)"); done
fi
mkdir -p resources/thumbnails
for name in "${names[@]}"; do
  python -m shaderlab render "resources/examples/$name.frag" --size 192x108 --time 2 \
    --output "resources/thumbnails/$name.png"
done
