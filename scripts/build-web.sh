#!/usr/bin/env bash
# Builds the page that plays in a browser: a folder of five files that opens from the disk, or from any static
# host. Needs cargo, and rustup for the target wasm32-unknown-unknown; no C compiler for it, no npm.
#
# scripts/build-web.sh [--quick] [OUT]        OUT is page in target/ by default; --quick builds a slower program sooner
#
# OTHELLO_WEIGHTS names other weights for the page, as it does for the program.
set -euo pipefail
cd "$(dirname "$0")/.."
profile=web
[[ ${1:-} == --quick ]] && profile=dev && shift
# Where cargo builds: CARGO_TARGET_DIR, or what a configuration of cargo says.
built=$(cargo metadata --format-version 1 --no-deps | sed -E 's/.*"target_directory":"([^"]*)".*/\1/')
out=${1:-$built/page}
weights=${OTHELLO_WEIGHTS:-engine/weights/default.weights}
target=wasm32-unknown-unknown

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
    printf 'const ENGINE_PROGRAM = "%s";\n' "$(base64 -w0 "$built/$target/${profile/dev/debug}/othello_web.wasm")"
    printf 'const ENGINE_WORKER = `%s`;\n' "$(one_script $page/program.js $page/worker.js | sed 's/[`\\$]/\\&/g')"
    one_script $page/{text,program,engine,game,board,moves,graph,parts,players,analysis,setup,page}.js
} >"$out/page.js"
# What is played by is read at once; how often training met each weight, only when somebody looks at that.
rustc --edition 2024 -O -o "$built/$target/split" engine/web/split.rs >&2
"$built/$target/split" "$weights" "$built/$target/played" "$built/$target/counts"
{ printf 'takeShippedWeights("'; base64 -w0 "$built/$target/played"; printf '");\n'; } >"$out/weights.js"
{ printf 'takeShippedCounts("'; base64 -w0 "$built/$target/counts"; printf '");\n'; } >"$out/counts.js"
du -sh "$out" | sed 's/^/built: /' >&2
