#!/usr/bin/env bash
# The weights from a seed: generations of self-play and fits, from nothing but moves and corners, and
# at last what their searches know of moves and of deeper searches.
#
#   scripts/regenerate.sh [--small] [--seed S] [--out DIR] [--threads N] [--profile PROFILE] [--built]
#
# Without --small it is the recipe of engine/weights/default.weights: ten million games of the fifth
# generation and half a million strong ones of the sixth, an estimated 18 hours of a core. The file
# names the commit that it was made at, and at another the name differs. --small takes seconds. Everything
# is written to DIR (default: data/generations) and kept: a run that was killed goes on where it stopped.
# Prints the sha256 of shipped.weights, which depends on the seed alone: not on threads (default:
# all), nor on cargo's profile (default: release). --built takes the binaries of the profile as they
# are. CI compares the sha256 of --small --seed 1 with scripts/regenerate-small.sha256.
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
    *) sed -n '2,13s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
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
    local name="$out/generation-$1" values=--no-values
    (($1 < valued)) || values=--values
    engine openings --plies "$6" --score-depth "$7" --weights "$2" --out "$name.openings"
    engine selfplay --games "$3" --seed $((seed + $1)) --depth "$4" --exact "$5" \
        --random-plies "$random_plies" --selectivity 100 "$values" --weights "$2" --out "$name.games"
}

# explore NUMBER PLAYER GAMES: games that leave good play all along, with the values of the searches.
explore() {
    engine selfplay --games "$3" --seed $((seed + 1000 + $1)) --depth 4 --exact 12 --random-plies 8..12 \
        --exploration all:softmax=1 --selectivity 100 --values --weights "$2" --out "$out/generation-$1.exploring.games"
}

# deepen NUMBER PLAYER GAMES DEPTH EXACT: games whose positions are searched deeper than they were played.
deepen() {
    local name="$out/generation-$1"
    trainer calibrate probcut "$2" --seed "$seed" --out "$name.player.weights"
    engine selfplay --games "$3" --seed $((seed + 2000 + $1)) --depth 4 --exact 12 \
        --random-plies "$random_plies" --selectivity 100 --values --weights "$2" --out "$name.shallow.games"
    trainer relabel "$name.shallow.games" --depth "$4" --exact "$5" --selectivity 87 --weights "$name.player.weights" \
        --out "$name.deep.games"
}

# examine PLAYER GAMES DEPTH EXACT: games to test the last fit on, of a seed and schedule of their
# own, played better than those it learns from. By 8 to 16 random moves, 9,997 of 10,000 differ; by 0 to 12, 5,903.
examine() {
    engine selfplay --games "$2" --seed $((seed + 1000000)) --depth "$3" --exact "$4" \
        --random-plies 8..16 --selectivity 100 --no-values --weights "$1" --out "$out/test.games"
}

# learn NUMBER [ARGUMENTS...]: weights fitted to a generation's games and openings; more data and
# flags of `fit` as they come.
learn() {
    local name="$out/generation-$1"
    trainer fit "$name.games" "$name.openings" "${@:2}" --labels "$labels" --seed "$seed" --patterns "$patterns" \
        --out "$name.weights"
}

# compete NUMBER: whether a generation beats the one before.
compete() {
    trainer match "$out/generation-$1.weights" "$out/generation-$(($1 - 1)).weights" --depth 4 --exact 12 \
        --openings datasets/openings/balanced-8.txt --pairs 1000 --seed "$seed" --out "$out/generation-$1.match"
}

# calibrate NUMBER: the weights of a generation with what searches by them need to know of moves, and of deeper searches.
calibrate() {
    local name="$out/generation-$1"
    order "$1"
    trainer calibrate probcut "$out/ordered.weights" --seed "$seed" --out "$out/selective.weights"
    trainer calibrate realization "$out/selective.weights" --data "$name.exploring.games" --out "$out/calibrated.weights"
}

# order NUMBER [ARGUMENTS...]: the weights of a generation with what exact searches order moves by.
order() {
    trainer calibrate ordering "$out/generation-$1.weights" --seed "$seed" "${@:2}" --out "$out/ordered.weights"
}

# strengthen NUMBER PLAYER EVEN WILD: games of good play, so many parts that begin near even and so many after up to 24 moves
# by chance.
strengthen() {
    local name="$out/generation-$1" part
    for ((part = 0; part < $3; part++)); do
        engine selfplay --games 51200 --seed $((seed + 300 + part)) --depth 6 --exact 16 --selectivity 73 --values \
            --openings datasets/openings/balanced-8.txt --random-plies 8..14 --weights "$2" --out "$name.even-$part.games"
    done
    for ((part = 0; part < $4; part++)); do
        engine selfplay --games 20480 --seed $((seed + 1300 + part)) --depth 6 --exact 16 --selectivity 73 --values \
            --random-plies 8..24 --weights "$2" --out "$name.wild-$part.games"
    done
}

# refine NUMBER WEIGHTS: the phases of the middle game and the end fitted on to strong games, and what searches by them may leave out.
refine() {
    local name="$out/generation-$1"
    trainer fit "$name".even-*.games "$name".wild-*.games --init "$2" --phases 20..54 --epochs 4 \
        --labels "all:exact, all:lambda0.95" --seed "$seed" --out "$name.weights"
    trainer calibrate probcut "$name.weights" --seed "$seed" --out "$name.probcut.weights"
    trainer calibrate ends "$name.probcut.weights" --seed "$seed" --out "$name.selective.weights"
}

# ship NAME FILE [ARGUMENTS...]: weights in coarser steps, for a smaller file, which names the revision of this recipe.
ship() {
    local revision
    revision=$(git describe --always --dirty --abbrev=40 --exclude '*' || echo unknown)
    trainer quantize "$out/$1.weights" --revision "$revision" --force "${@:3}" --out "$out/$2.weights"
}

if [[ $small ]]; then
    patterns=small valued=1
    play 0 mobility 1024 2 8 5 2
    learn 0
    play 1 "$out/generation-0.weights" 1024 2 8 5 2
    examine "$out/generation-0.weights" 128 3 10
    learn 1 --test "$out/test.games"
    order 1 --positions 1000 --searches 8
    ship ordered shipped
else
    patterns=scalars
    play 0 mobility 60000 4 12 9 3
    learn 0
    play 1 "$out/generation-0.weights" 100000 4 12 9 4
    learn 1
    compete 1
    play 2 "$out/generation-1.weights" 200000 4 12 9 4
    learn 2
    compete 2
    play 3 "$out/generation-2.weights" 400000 4 12 9 4
    learn 3
    compete 3
    play 4 "$out/generation-3.weights" 1000000 4 12 9 6
    explore 4 "$out/generation-3.weights" 500000
    learn 4 "$out/generation-4.exploring.games"
    compete 4
    play 5 "$out/generation-4.weights" 6000000 4 12 11 2
    explore 5 "$out/generation-4.weights" 3400000
    deepen 5 "$out/generation-4.weights" 1000000 6 14
    examine "$out/generation-4.weights" 10000 8 16
    patterns=factors
    learn 5 "$out/generation-5.exploring.games" "$out/generation-5.deep.games" --epochs 5 --test "$out/test.games"
    compete 5
    calibrate 5
    ship calibrated generation-5.shipped
    strengthen 6 "$out/generation-5.shipped.weights" 8 7
    refine 6 "$out/generation-5.shipped.weights"
    # The fifth generation's steps stay: the sixth counts its own games alone, and would forget what they do not show.
    ship generation-6.selective shipped --label-error 0
fi
# The first sha256 is the file's own, those after it are of its inputs.
engine weights "$out/shipped.weights" --json | grep -o '"sha256":"[0-9a-f]*"' | sed -n '1s/.*"\([0-9a-f]*\)"/\1/p'
