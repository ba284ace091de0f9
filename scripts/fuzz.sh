#!/usr/bin/env bash
# Fuzzes every parser for a while, on top of the corpora in the repository, which stay as they are.
#
#   scripts/fuzz.sh [SECONDS [TARGET...]]      600 seconds each, all of them
#
# Needs the nightly toolchain and cargo-fuzz (`cargo install cargo-fuzz`). A finding stays in
# target/fuzz/findings, and ends the script with status 1; an input that takes 10 seconds or asks
# for more than 1 GiB is one too. Fix it, and put the input into the target's corpus under the
# name of what it found.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-600}
shift $(($# > 0))
export CARGO_TARGET_DIR=$PWD/target/fuzz
# Where gcc compiles zstd, its checks of scopes on the stack see faults in tables that are not on it.
export CFLAGS="${CFLAGS:-} -fno-sanitize-address-use-after-scope"
work=$CARGO_TARGET_DIR/work findings=$CARGO_TARGET_DIR/findings
mkdir -p "$findings"

if [[ $# -eq 0 ]]; then
    for corpus in trainer/fuzz/corpus/*; do
        set -- "$@" "$(basename "$corpus")"
    done
fi
(cd trainer && cargo +nightly fuzz build --features libfuzzer)

found=0
for target in "$@"; do
    printf '\n== %s, %s seconds\n' "$target" "$seconds"
    mkdir -p "$work/$target"
    OTHELLO_TARGET=$target "$CARGO_TARGET_DIR/x86_64-unknown-linux-gnu/release/target" "$work/$target" "trainer/fuzz/corpus/$target" \
        -max_total_time="$seconds" -timeout=10 -malloc_limit_mb=1024 -rss_limit_mb=2048 -max_len=16384 \
        -artifact_prefix="$findings/$target-" -print_final_stats=1 -close_fd_mask=1 \
        >"$findings/$target.log" 2>&1 || { found=1; echo "FOUND, see $findings/$target.log"; }
    grep -aE 'Done [0-9]+ runs|stat::number_of_executed_units|stat::peak_rss_mb|SUMMARY' "$findings/$target.log" || true
done
exit $found
