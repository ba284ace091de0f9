#!/usr/bin/env bash
# The weights from a seed: generations of self-play and fits, from nothing but moves and corners, and
# at last what their searches order moves by.
#
#   scripts/regenerate.sh [--small] [--seed S] [--out DIR] [--threads N] [--profile PROFILE] [--built]
#
# Without --small it is the recipe of engine/weights/default.weights, made by an earlier search.
# --small takes seconds. Everything is written to DIR (default: data/generations) and kept: a run
# that was killed goes on where it stopped. Prints the sha256 of the last weights, which
# depends on the seed alone: not on threads (default: all), nor on cargo's profile (default:
# release). --built takes the binaries of the profile as they are. CI compares the sha256 of --small --seed 1
# with scripts/regenerate-small.sha256.
set -euo pipefail
cd "$(dirname "$0")/.."

seed=1 out=data/generations small= threads=() profile=release built=
while (($#)); do
    case $1 in
    --small) small=1 ;;
    --seed) seed=$2 && shift ;;
    --out) out=$2 && shift ;;
    --threads) threads=(--threads "$2") && shift ;;
    --profile) profile=$2 && shift ;;
    --built) built=1 ;;
    *) sed -n '2,12s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
    esac
    shift
done

[[ $built ]] || cargo build --profile "$profile"
binaries=${CARGO_TARGET_DIR:-target}/${profile/#dev/debug}
engine() { "$binaries/othello-engine" "$@" "${threads[@]}"; }
trainer() { "$binaries/othello-trainer" "$@" "${threads[@]}"; }
mkdir -p "$out"
random_plies="8..24*3,25..45"
# λ-returns: what the search of a move found, blended with what searches later in the game did. They need a
# player whose values are better than a game's result: from generation `valued` on. Other games have results.
labels="all:exact, all:lambda0.85, all:result"
valued=2

# play NUMBER PLAYER GAMES DEPTH EXACT OPENING_PLIES OPENING_DEPTH: games and openings of a player.
play() {
    local name="$out/generation-$1" values=()
    (($1 < valued)) || values=(--values)
    engine openings --plies "$6" --score-depth "$7" --weights "$2" --out "$name.openings"
    engine selfplay --games "$3" --seed $((seed + $1)) --depth "$4" --exact "$5" \
        --random-plies "$random_plies" "${values[@]}" --weights "$2" --out "$name.games"
}

# examine PLAYER GAMES DEPTH EXACT: games to test the last fit on, of a seed and schedule of their
# own, played better than those it learns from.
examine() {
    engine selfplay --games "$2" --seed $((seed + 1000000)) --depth "$3" --exact "$4" \
        --random-plies 0..12 --weights "$1" --out "$out/test.games"
}

# learn NUMBER [ARGUMENTS...]: weights fitted to a generation's games and openings; more data and
# flags of `fit` as they come.
learn() {
    local name="$out/generation-$1"
    trainer fit "$name.games" "$name.openings" "${@:2}" --labels "$labels" --seed "$seed" --patterns "$patterns" \
        --out "$name.weights"
}

# order NUMBER [ARGUMENTS...]: the weights of a generation with what exact searches order moves by.
order() {
    trainer calibrate ordering "$out/generation-$1.weights" --seed "$seed" "${@:2}" --out "$out/ordered.weights"
}

if [[ $small ]]; then
    patterns=small valued=1
    play 0 mobility 1024 2 8 5 2
    learn 0
    play 1 "$out/generation-0.weights" 1024 2 8 5 2
    examine "$out/generation-0.weights" 128 3 10
    learn 1 --test "$out/test.games"
    order 1 --positions 1000 --searches 8
else
    patterns=standard
    play 0 mobility 60000 4 12 7 3
    learn 0
    play 1 "$out/generation-0.weights" 50000 4 12 8 4
    learn 1
    play 2 "$out/generation-1.weights" 120000 4 12 8 6
    learn 2
    play 3 "$out/generation-2.weights" 200000 4 12 8 6
    examine "$out/generation-2.weights" 10000 8 16
    learn 3 "$out/generation-2.games*0.5" --test "$out/test.games"
    order 3
fi
# The first sha256 is the file's own, those after it are of its inputs.
engine weights "$out/ordered.weights" --json | grep -o '"sha256":"[0-9a-f]*"' | sed -n '1s/.*"\([0-9a-f]*\)"/\1/p'
