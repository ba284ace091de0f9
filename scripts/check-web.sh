#!/usr/bin/env bash
# Tests what scripts/build-web.sh makes, with Node and in Chromium without a window. Without node, npm, its registry or
# Chromium, it prints so and succeeds.
#
#   scripts/check-web.sh [--times]                       the page
#   scripts/check-web.sh --npm ARCHIVE [BINARIES]        the package for npm
#
# The page is OTHELLO_PAGE, or target/page, built if it is missing. --times tests nothing, and prints the time until its
# first move; WEB_PICTURES names a folder for pictures of it. The package is installed into a separate folder: the
# example, values, the types by TypeScript, bundlers. Results are compared with the programs in BINARIES, or
# OTHELLO_PROGRAMS, or target/release.
set -euo pipefail
archive="" what="the page in a browser"
if [[ ${1-} == --npm ]]; then
    archive=$(realpath "${2:?an archive}") what="the package for npm" OTHELLO_PROGRAMS=${3:-${OTHELLO_PROGRAMS-}}
fi
OTHELLO_PROGRAMS=${OTHELLO_PROGRAMS:+$(realpath "$OTHELLO_PROGRAMS")}
cd "$(dirname "$0")/.."
skip() { echo "skipped: $what: $*" | tee -a "${OTHELLO_SKIPPED:-/dev/null}" >&2; exit 0; }
install() { npm install --silent --no-audit --no-fund "$@" >&2; }
[[ $(node -p 'parseInt(process.versions.node)') -ge 20 ]] && command -v npm >/dev/null ||
    skip "it needs node 20 or later, and npm"
browser() { command -v "${CHROMIUM:-}" chromium-headless-shell chromium chromium-browser google-chrome | head -n 1; }
if [[ -z $archive && -z $(browser) && $(id -u) == 0 ]]; then
    { apt-get update -q && apt-get install -qy --no-install-recommends chromium-headless-shell; } >&2 || true
fi
CHROMIUM=$(browser) || true
built=$(cargo metadata --format-version 1 --no-deps | sed -E 's/.*"target_directory":"([^"]*)".*/\1/')
[[ $OTHELLO_PROGRAMS ]] || { cargo build --release && OTHELLO_PROGRAMS=$built/release; }
export CHROMIUM OTHELLO_PROGRAMS WEB_CHECK=$built/web-check OTHELLO_PAGE=${OTHELLO_PAGE:-$built/page}

if [[ -z $archive ]]; then
    [[ -n $CHROMIUM ]] || skip "Chromium is not here, and cannot be installed"
    if [[ ! -d $WEB_CHECK/node_modules/playwright-core ]]; then
        install --prefix "$WEB_CHECK" playwright-core@1 || skip "npm cannot install playwright-core"
    fi
    [[ -f $OTHELLO_PAGE/page.js ]] || scripts/build-web.sh "$OTHELLO_PAGE"
    [[ ${1-} != --times ]] || exec node engine/web/tests/times.mjs
    exec node --test --test-reporter spec engine/web/tests/*.test.mjs
fi

tests=$PWD/engine/web/tests work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cd "$work"
echo '{"private": true, "type": "module"}' >package.json
install --offline "$archive"
cp node_modules/othello-toolkit/example.mjs . && node example.mjs
diff <(sed -n '/^```js$/,/^```$/{/^```/!p}' node_modules/othello-toolkit/README.md) example.mjs
cp "$tests"/{package.mjs,types.ts,bundlers.mjs} . && node --test --test-reporter spec package.mjs
install typescript@5 || skip "npm cannot install TypeScript: types and bundlers were not checked"
npx tsc --noEmit --strict --module nodenext --target es2022 types.ts && echo "the types hold"
[[ -n $CHROMIUM ]] || skip "Chromium is not here: bundlers were not tried"
install playwright-core@1 vite@8 esbuild@0.28 rollup@4 @rollup/plugin-node-resolve@16 ||
    skip "npm cannot install Vite, esbuild and Rollup: bundlers were not tried"
node --test --test-reporter spec bundlers.mjs
