#!/usr/bin/env bash
# Build the extension: type check, bundle, and pack it as packaging/vscode/shaderlab.vsix.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
command -v npm >/dev/null || { echo "npm is missing: install Node 18 or newer" >&2; exit 1; }
cp ../../LICENSE LICENSE
npm ci --no-audit --no-fund
mkdir -p out
# What esbuild bundles, with the licences that go along.
for package in vscode-languageclient vscode-languageserver-protocol vscode-languageserver-types \
  vscode-jsonrpc semver minimatch brace-expansion balanced-match; do
  for text in "node_modules/$package"/{LICENSE,License.txt,LICENSE.md}; do
    if [[ -f $text ]]; then printf '%s\n\n' "$package" && cat "$text" && printf '\n\n'; fi
  done
done >out/LICENSES.txt
npm run package
