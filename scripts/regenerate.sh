#!/usr/bin/env bash
# The weights from a seed: generations of self-play and fits, from nothing but moves and corners.
#
#   scripts/regenerate.sh [--small] [--seed S] [--out DIR]
#
# Without --small it is the recipe of engine/weights/default.weights: about an hour on two cores.
# --small takes a minute. Everything is written to DIR (default: data/generations) and kept: a run
# that was killed goes on where it stopped. Prints the sha256 of the last generation's weights.
set -euo pipefail
cd "$(dirname "$0")/.."

seed=1 out=data/generations small=
while (($#)); do
    case $1 in
    --small) small=1 ;;
    --seed) seed=$2 && shift ;;
    --out) out=$2 && shift ;;
    *) sed -n '2,8s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
    esac
    shift
done

cargo build --release
engine=target/release/othello-engine trainer=target/release/othello-trainer
mkdir -p "$out"
random_plies="8..=24*3,25..=45"

# generation NUMBER PLAYER GAMES DEPTH EXACT OPENING_PLIES OPENING_DEPTH: games and openings of a
# player, and the weights fitted to them.
generation() {
    local number=$1 player=$2 games=$3 depth=$4 exact=$5 plies=$6 opening_depth=$7
    local name="$out/generation-$number"
    "$engine" openings --plies "$plies" --score-depth "$opening_depth" --weights "$player" --out "$name.openings"
    "$engine" selfplay --games "$games" --seed $((seed + number)) --depth "$depth" --exact "$exact" \
        --random-plies "$random_plies" --weights "$player" --out "$name.games"
    "$trainer" fit "$name.games" "$name.openings" --seed "$seed" ${patterns:+--patterns "$patterns"} --out "$name.weights"
}

if [[ $small ]]; then
    patterns=small
    generation 0 mobility 1024 2 8 5 2
    generation 1 "$out/generation-0.weights" 1024 2 8 5 2
    last=1
else
    patterns=
    generation 0 mobility 60000 4 12 7 3
    generation 1 "$out/generation-0.weights" 50000 4 12 8 4
    generation 2 "$out/generation-1.weights" 150000 5 14 8 6
    last=2
fi
"$engine" weights "$out/generation-$last.weights" --json | sed 's/.*"sha256":"\([0-9a-f]*\)".*/\1/'
