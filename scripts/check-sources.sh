#!/usr/bin/env bash
# Runs the commands of docs/log/published-claims.txt, which print our figures on docs/log/published-claims.md, except
# those marked "h" (longer, or with files that are not shipped). Each runs in a folder of its own that has the datasets.
# Exit status 1 if one of them fails; figures are compared by eye.
#
#   scripts/check-sources.sh [BINARIES [LOG]]
#
# LOG gets each command and its output. BINARIES (default: target/release) has the programs.
set -euo pipefail
cd "$(dirname "$0")/.."
binaries=$(realpath "${1:-target/release}")
list=$PWD/docs/log/published-claims.txt
log=$(realpath "${2:-/dev/null}") && : >"$log"
export PATH=$binaries:$PATH
for program in othello-engine othello-trainer; do
    command -v $program >/dev/null || { echo "$binaries: $program is missing; build the programs" >&2; exit 2; }
done
place=$(mktemp -d) && trap 'rm -rf "$place"' EXIT
datasets=$PWD/datasets

commands=0 failed=0
while IFS=$'\t' read -r number command <&3; do
    [[ $number =~ ^[0-9]+$ ]] || continue
    commands=$((commands + 1)) begun=$SECONDS
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
done 3<"$list"
echo "$commands commands, $failed failed"
# A list that is read wrongly has no commands.
[[ $failed == 0 && $commands -ge 20 ]]
