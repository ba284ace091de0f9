#!/usr/bin/env bash
# Installs the package of `scripts/build-web.sh --npm` into a separate folder and tests it with Node: the example, values
# compared with those of the native program, the types by TypeScript, bundlers in Chromium. Without npm, its registry
# or Chromium, it prints so and succeeds.
#
#   scripts/check-npm.sh ARCHIVE [BINARIES]     BINARIES is a folder with othello-engine; target/release by default
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
skip() { echo "skipped: the package for npm: $*" | tee -a "${OTHELLO_SKIPPED:-/dev/null}" >&2; exit 0; }
archive=$(realpath "${1:?an archive}")
OTHELLO_PROGRAMS=$(cd "${2:-$root/target/release}" && pwd)
export OTHELLO_PROGRAMS
command -v node >/dev/null && command -v npm >/dev/null || skip "it needs node and npm"
[[ $(node -p 'parseInt(process.versions.node)') -ge 20 ]] || skip "it needs node 20 or later"
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cd "$work"
echo '{"private": true, "type": "module"}' >package.json
npm install --silent --no-audit --no-fund --offline "$archive"
cp node_modules/othello-toolkit/example.mjs . && node example.mjs
diff <(sed -n '/^```js$/,/^```$/{/^```/!p}' node_modules/othello-toolkit/README.md) example.mjs
cp "$root/engine/web/tests/package.mjs" . && node --test --test-reporter spec package.mjs
if npm install --silent --no-audit --no-fund typescript@5 2>/dev/null; then
    cp "$root/engine/web/tests/types.ts" .
    npx tsc --noEmit --strict --module nodenext --target es2022 types.ts && echo "the types hold"
else
    skip "npm cannot install TypeScript: the types were not checked"
fi
CHROMIUM=$(command -v "${CHROMIUM:-}" chromium-headless-shell chromium chromium-browser google-chrome | head -n 1) || true
export CHROMIUM
if [[ -z $CHROMIUM ]]; then
    skip "Chromium is not here: bundlers were not tried"
elif npm install --silent --no-audit --no-fund playwright-core@1 vite@8 esbuild@0.28 rollup@4 @rollup/plugin-node-resolve@16 \
    2>/dev/null; then
    cp "$root/engine/web/tests/bundlers.mjs" . && node --test --test-reporter spec bundlers.mjs
else
    skip "npm cannot install Vite, esbuild and Rollup: bundlers were not tried"
fi
