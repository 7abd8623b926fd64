#!/usr/bin/env bash
# Installs the extension into VS Code as code-server serves it to a browser, and uses it there: lenses,
# shares, hover, an edit's change, completion, problems, a server that does not start.
#
#   packaging/vscode/try.sh DIR      DIR: a folder for code-server, settings and pictures (0.4 GB)
#
# Needs Node 20 with its headers, a C++ compiler, chromium, and shaderlab.vsix (build.sh).  PROGRAM:
# words that start shaderlab, else "shaderlab".  Nothing but DIR is written to.
set -euo pipefail
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
dir=$(realpath -m "${1:?Usage: $0 DIR}")
read -ra program <<<"${PROGRAM:-shaderlab}"
export HOME=$dir/home XDG_DATA_HOME=$dir/home/.local/share XDG_CONFIG_HOME=$dir/home/.config
mkdir -p "$HOME" "$dir/shaders" "$dir/data/User" "$dir/data/Machine" "$dir/pictures"

[ -e "$here/shaderlab.vsix" ] || { echo "No extension: packaging/vscode/build.sh" >&2; exit 2; }
major=$(node -p 'process.versions.node.split(".")[0]')
[ "$major" = 20 ] || { echo "code-server 4.100 needs Node 20, this is $major." >&2; exit 2; }
browser=$(command -v chromium) || { echo "chromium is missing." >&2; exit 2; }

# What code-server's own script installs, less parts of VS Code that fetch programs from elsewhere.
code=$dir/node_modules/code-server
if [ ! -e "$dir/.ready" ]; then
  export npm_config_nodedir
  npm_config_nodedir=$(dirname "$(dirname "$(realpath "$(command -v node)")")")
  npm install --prefix "$dir" --ignore-scripts --no-audit --no-fund code-server@4.100.3 \
    playwright-core@1.61.1
  npm rebuild --prefix "$dir" argon2
  (cd "$code/lib/vscode" && npm install --omit=dev --ignore-scripts --no-audit --no-fund &&
    npm rebuild @vscode/spdlog native-watchdog && ln -sfn node_modules node_modules.asar)
  touch "$dir/.ready"
fi

cp "$here/../../resources/examples/julia.frag" "$dir/shaders/"
cat >"$dir/data/User/settings.json" <<'TEXT'
{
  "workbench.startupEditor": "none",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "security.workspace.trust.enabled": false,
  "telemetry.telemetryLevel": "off",
  "editor.minimap.enabled": false,
  "files.autoSave": "off"
}
TEXT
code_server=(node "$code/out/node/entry.js" --user-data-dir "$dir/data" --extensions-dir "$dir/extensions")
"${code_server[@]}" --install-extension "$here/shaderlab.vsix" --force
"${code_server[@]}" --list-extensions --show-versions
port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => {
  console.log(s.address().port); s.close(); })')
# It gives its own child 10 s to answer, which a busy machine may miss.
for _ in 1 2 3 4 5; do
  "${code_server[@]}" --auth none --disable-telemetry --disable-update-check \
    --bind-addr "127.0.0.1:$port" >"$dir/code-server.log" 2>&1 &
  server=$!
  trap 'kill "$server" 2>/dev/null || true' EXIT
  while kill -0 "$server" 2>/dev/null && ! grep -q "server listening" "$dir/code-server.log"; do
    sleep 0.1
  done
  ! kill -0 "$server" 2>/dev/null || break
done
kill -0 "$server" 2>/dev/null || { cat "$dir/code-server.log" >&2; exit 1; }
NODE_PATH=$dir/node_modules node "$here/look.cjs" "http://127.0.0.1:$port" "$browser" "$dir" "${program[@]}"
