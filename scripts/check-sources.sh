#!/usr/bin/env bash
# Runs the commands of engine/docs/sources.md, which print the figures of ours beside those of the sources: the
# fourth column of its tables, but for what is marked "by hand" or needs what is not shipped. Each command once,
# in a folder of its own that has the datasets. Exit status 1 where one of them fails; figures are read by eye.
#
#   scripts/check-sources.sh [BINARIES [LOG]]
#
# LOG gets each command and what it printed. BINARIES (default: target/release) has the programs, and the
# examples in its folder examples/:
#   cargo build --release && cargo build --release -p othello-testing --examples
set -euo pipefail
cd "$(dirname "$0")/.."
binaries=$(realpath "${1:-target/release}")
page=$PWD/engine/docs/sources.md
log=$(realpath "${2:-/dev/null}") && : >"$log"
export PATH=$binaries:$binaries/examples:$PATH
for program in othello-engine othello-trainer plain_search line_board stoner; do
    command -v $program >/dev/null || { echo "$binaries: no $program; build the programs and the examples" >&2; exit 2; }
done
place=$(mktemp -d) && trap 'rm -rf "$place"' EXIT
datasets=$PWD/datasets

mapfile -t commands < <(awk -F'|' '/^\| / { print $5 }' "$page" | sed -n 's/^ `\(.*\)` $/\1/p' | awk '!seen[$0]++')
failed=0
for number in "${!commands[@]}"; do
    command=${commands[number]} begun=$SECONDS
    mkdir "$place/$number" && cd "$place/$number" && ln -s "$datasets" .
    if bash -euo pipefail -c "$command" >log 2>&1 </dev/null; then
        printf 'ok %4d s  %s\n' $((SECONDS - begun)) "$command"
    else
        failed=$((failed + 1))
        printf 'FAILED     %s\n' "$command"
        tail -n 5 log
    fi
    { echo "\$ $command" && cat log; } >>"$log"
    cd "$place" && rm -r "${place:?}/$number"
done
echo "${#commands[@]} commands, $failed failed"
# A table that is read wrongly has no commands.
[[ $failed == 0 && ${#commands[@]} -ge 20 ]]
