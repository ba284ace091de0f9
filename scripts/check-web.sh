#!/usr/bin/env bash
# Tests the page of scripts/build-web.sh in Chromium without a window, by playwright-core. Missing ones are
# installed, playwright-core into target/; if that fails, the script prints so and succeeds.
#
# scripts/check-web.sh [--pictures DIR | --times]
#
# The page is target/page, built if it is missing; results are compared with the programs of target/release, or of
# target/debug. --times tests nothing, and prints the time until the page's first move.
set -euo pipefail
cd "$(dirname "$0")/.."
skip() { echo "skipped: the page in a browser: $*" | tee -a "${OTHELLO_SKIPPED:-/dev/null}" >&2; exit 0; }
times=
[[ ${1:-} == --times ]] && times=yes
[[ ${1:-} == --pictures ]] && export WEB_PICTURES=${2:?a folder}

built=$(cargo metadata --format-version 1 --no-deps | sed -E 's/.*"target_directory":"([^"]*)".*/\1/')
export WEB_CHECK=$built/web-check OTHELLO_PAGE=${OTHELLO_PAGE:-$built/page}
command -v node >/dev/null && command -v npm >/dev/null || skip "it needs node and npm"
[[ $(node -p 'parseInt(process.versions.node)') -ge 20 ]] || skip "it needs node 20 or later"

browser() { command -v "${CHROMIUM:-}" chromium-headless-shell chromium chromium-browser google-chrome | head -n 1; }
if [[ -z $(browser) && $(id -u) == 0 ]]; then
    { apt-get update -q && apt-get install -qy --no-install-recommends chromium-headless-shell; } >&2 || true
fi
CHROMIUM=$(browser) || true
[[ -n $CHROMIUM ]] || skip "Chromium is not here, and cannot be installed"
export CHROMIUM
if [[ ! -d $WEB_CHECK/node_modules/playwright-core ]]; then
    mkdir -p "$WEB_CHECK" && echo '{"private": true}' >"$WEB_CHECK/package.json"
    (cd "$WEB_CHECK" && npm install --silent --no-audit --no-fund playwright-core@1 >&2) ||
        skip "npm cannot install playwright-core"
fi

[[ -f $OTHELLO_PAGE/page.js ]] || scripts/build-web.sh "$OTHELLO_PAGE"
[[ -z $times ]] || exec node engine/web/tests/times.mjs
for folder in "$built/release" "$built/debug"; do
    [[ -z ${OTHELLO_PROGRAMS:-} && -x $folder/othello-engine && -x $folder/othello-trainer ]] && OTHELLO_PROGRAMS=$folder
done
[[ -n ${OTHELLO_PROGRAMS:-} ]] || { cargo build && OTHELLO_PROGRAMS=$built/debug; }
export OTHELLO_PROGRAMS

node --test --test-reporter spec engine/web/tests/*.test.mjs
