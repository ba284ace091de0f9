#!/usr/bin/env bash
# Runs the torture tests: the parsers below a fuzzer, and the programs under attack from outside.
#
#   scripts/torture.sh fuzz [SECONDS [TARGET...]]      every parser for 600 seconds
#   scripts/torture.sh attack [OPTIONS...]      every command; a few minutes
#
# The fuzzer starts from the corpora in the repository, which it does not change. It needs the nightly toolchain and
# cargo-fuzz (`cargo install cargo-fuzz`). An input that takes 10 seconds or asks for more than 1 GiB is also a finding.
# Findings stay in target/fuzz/findings. Correct the fault, and add the input to the target's corpus under the name of
# the fault.
#
# Attacks need Linux and a C compiler; `attack --help` lists them. Files that showed a fault stay in
# ${TMPDIR:-/tmp}/othello-torture. Exit status 1 if there is a finding.
set -euo pipefail
cd "$(dirname "$0")/.."

fuzz() { # [SECONDS [TARGET...]]
    local seconds=${1:-600} found=0 target
    local targets=("${@:2}")
    [[ $# -gt 1 ]] || targets=(trainer/fuzz/corpus/*)
    export CARGO_TARGET_DIR=$PWD/target/fuzz
    # If gcc compiles zstd, its checks of scopes on the stack report tables that are not on it.
    export CFLAGS="${CFLAGS:-} -fno-sanitize-address-use-after-scope"
    local work=$CARGO_TARGET_DIR/work findings=$CARGO_TARGET_DIR/findings
    (cd trainer && cargo +nightly fuzz build --features libfuzzer)
    for target in "${targets[@]##*/}"; do
        printf '\n== %s, %s seconds\n' "$target" "$seconds"
        mkdir -p "$work/$target" "$findings"
        OTHELLO_TARGET=$target "$CARGO_TARGET_DIR/x86_64-unknown-linux-gnu/release/target" "$work/$target" "trainer/fuzz/corpus/$target" \
            -max_total_time="$seconds" -timeout=10 -malloc_limit_mb=1024 -rss_limit_mb=2048 -max_len=16384 \
            -artifact_prefix="$findings/$target-" -print_final_stats=1 -close_fd_mask=1 \
            >"$findings/$target.log" 2>&1 || { found=1; echo "FOUND, see $findings/$target.log"; }
        grep -aE 'Done [0-9]+ runs|stat::number_of_executed_units|stat::peak_rss_mb|SUMMARY' "$findings/$target.log" || true
    done
    return $found
}

binaries=${CARGO_TARGET_DIR:-target}/release
case ${1-} in
    fuzz) "$@" ;;
    attack) cargo build --release --workspace --bins && "$binaries/torture" --binaries "$binaries" "${@:2}" ;;
    *) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2 && exit 2 ;;
esac
