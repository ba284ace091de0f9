#!/usr/bin/env bash
# Builds the page that plays in a browser: a folder of five files that opens from the disk, or from any static
# host. Needs cargo, and rustup for the target wasm32-unknown-unknown; no C compiler for it, no npm.
#
#   scripts/build-web.sh [--quick] [--npm FOLDER] [OUT]        OUT is page in cargo's target folder by default
#
# --quick builds a slower program sooner. --npm also makes the package for JavaScript, FOLDER/othello-toolkit-VERSION.tgz,
# as `npm pack` lays it out; OTHELLO_TRAINER, or the built release, makes its small weights.
# OTHELLO_WEIGHTS names other weights for the page, as it does for the program.
set -euo pipefail
cd "$(dirname "$0")/.."
profile=web npm=""
[[ ${1-} != --quick ]] || { profile=dev && shift; }
[[ ${1-} != --npm ]] || { npm=$2 && shift 2; }
# Where cargo builds: CARGO_TARGET_DIR, or what a configuration of cargo says.
built=$(cargo metadata --format-version 1 --no-deps | sed -E 's/.*"target_directory":"([^"]*)".*/\1/')
out=${1:-$built/page}
weights=${OTHELLO_WEIGHTS:-engine/weights/default.weights}
target=wasm32-unknown-unknown
program=$built/$target/${profile/dev/debug}/othello_web.wasm played=$built/$target/played counts=$built/$target/counts

rustup target list --installed 2>/dev/null | grep -qx $target || rustup target add $target >&2

# The weights are files beside the page, and not inside the program. The vector instructions are those that
# browsers have had since 2021 (Safari: 2023). An environment's own RUSTFLAGS are not for this target. Where it was
# built is not in it.
prefixes="--remap-path-prefix=$PWD=/othello --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo"
env RUSTFLAGS="-C target-feature=+simd128 $prefixes --remap-path-prefix=$built=/target" \
    cargo build --quiet --profile "$profile" -p othello-web --target $target >&2

# Browsers load neither modules nor WebAssembly from the disk: everything is put into plain scripts.
one_script() { # Modules in the order in which they need each other, without what binds them.
    sed -E '/^import .* from /d; s/^export //' "$@"
}
page=engine/web/page
mkdir -p "$out"
cp $page/index.html "$out/"
cat $page/style.css $page/panels.css >"$out/style.css"
{
    echo '"use strict";'
    printf 'const ENGINE_PROGRAM = "%s";\n' "$(base64 -w0 "$program")"
    printf 'const ENGINE_WORKER = `%s`;\n' "$(one_script $page/program.js $page/worker.js | sed 's/[`\\$]/\\&/g')"
    one_script $page/{text,program,engine,game,board,moves,graph,parts,players,analysis,setup,page}.js
} >"$out/page.js"
# What is played by is read at once; how often training met each weight, only when somebody looks at that.
rustc --edition 2024 -O -o "$built/$target/split" engine/web/split.rs >&2
"$built/$target/split" "$weights" "$played" "$counts"
printf 'takeShippedWeights("%s");\n' "$(base64 -w0 "$played")" >"$out/weights.js"
printf 'takeShippedCounts("%s");\n' "$(base64 -w0 "$counts")" >"$out/counts.js"
du -sh "$out" | sed 's/^/built: /' >&2
[[ -n $npm ]] || exit 0

version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
package=$work/package
mkdir -p "$npm" "$package"
cp engine/web/package/{{engine,index,node,worker,node-worker}.js,{index,worker}.d.ts,example.mjs,README.md} \
    $page/program.js LICENSE-* "$package/"
sed "s/\"version\": \".*\"/\"version\": \"$version\"/" engine/web/package/package.json >"$package/package.json"
cp "$program" "$package/othello.wasm"
cp "$played" "$package/shipped.weights"
trainer=${OTHELLO_TRAINER:-$built/release/othello-trainer}
[[ -x $trainer ]] || cargo build --quiet --release -p othello-trainer
"$trainer" quantize engine/weights/tables.weights --share-phases 10 --label-error 80 --count-digits 0 \
    --out "$package/small.weights" >&2
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
"${PYTHON:-python3}" scripts/release/pack.py "$package" "$npm/othello-toolkit-$version.tgz"
