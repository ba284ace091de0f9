#!/usr/bin/env bash
# Builds the package of the engine for JavaScript: OUT/othello-toolkit-VERSION.tgz, as `npm pack` lays it out. Needs
# what scripts/build-web.sh needs, and Python; no npm.
#
#   scripts/build-npm.sh [--quick] [--built] [OUT]      OUT is npm in cargo's target folder by default
#
# --quick builds a slower program sooner; --built takes what scripts/build-web.sh built just before. The small weights are
# made by the othello-trainer that is built, or OTHELLO_TRAINER.
set -euo pipefail
cd "$(dirname "$0")/.."
quick="" made=""
while [[ ${1-} == --* ]]; do
    case $1 in
    --quick) quick=--quick ;;
    --built) made=yes ;;
    *) echo "$1: is no option; there are --quick and --built" >&2 && exit 2 ;;
    esac
    shift
done
built=$(cargo metadata --format-version 1 --no-deps | sed -E 's/.*"target_directory":"([^"]*)".*/\1/')
out=${1:-$built/npm}
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
[[ $made ]] || scripts/build-web.sh $quick "$work/page"

version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
wasm=$built/wasm32-unknown-unknown
profile=web
[[ -z $quick ]] || profile=debug
mkdir -p "$out" "$work/package"
cp engine/web/package/{{engine,index,node,worker,node-worker}.js,{index,worker}.d.ts,example.mjs,README.md} engine/web/page/program.js LICENSE-* "$work/package/"
sed "s/\"version\": \".*\"/\"version\": \"$version\"/" engine/web/package/package.json >"$work/package/package.json"
cp "$wasm/$profile/othello_web.wasm" "$work/package/othello.wasm"
cp "$wasm/played" "$work/package/shipped.weights"
trainer=${OTHELLO_TRAINER:-}
for folder in release debug; do
    [[ -n $trainer || ! -x $built/$folder/othello-trainer ]] || trainer=$built/$folder/othello-trainer
done
[[ -n $trainer ]] || { cargo build --quiet --release -p othello-trainer && trainer=$built/release/othello-trainer; }
"$trainer" quantize engine/weights/tables.weights --share-phases 10 --label-error 80 --count-digits 0 \
    --out "$work/package/small.weights" >&2
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
"${PYTHON:-python3}" scripts/release/pack.py "$work/package" "$out/othello-toolkit-$version.tgz"
