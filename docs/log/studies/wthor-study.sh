#!/usr/bin/env bash
# Measures ideas on human games. Weights for positions with 24 empty squares are fitted to the games of WTHOR until
# 2018, and tested on those of 2019 to 2022.
#
#   docs/log/studies/wthor-study.sh WTHOR_FOLDER [OUT]
#
# WTHOR_FOLDER has the files WTH_1977.wtb to WTH_2022.wtb of the Fédération Française d'Othello, which are not part of
# this project. For each idea, the ridge with the least error on validation games until 2018 is chosen. Then the idea
# is compared once with the patterns alone, on test positions that have 24 empty squares and exact scores and that do
# not occur in the earlier years. Each idea is added to those before it:
#
#   standard   the patterns alone
#   moves      counts of legal moves, potential moves and odd quadrants
#   scalars    counts of legal moves at corners and X squares
#   pulled     initial weights, towards which the ridge pulls, that were fitted to 900,000 exploring self-play games
#              at depth 4 (half an hour of one core) without WTHOR
#   together   factors: pattern set `factors`, with initial weights that were fitted to 400,000 such games
#
# OUT (default: data/wthor-study) is the folder of all files; files that exist are not made again. If BINARIES is set,
# the script uses the programs in that folder instead of building them.
set -euo pipefail
wthor=$(cd "${1:?usage: docs/log/studies/wthor-study.sh WTHOR_FOLDER [OUT]}" && pwd)
cd "$(dirname "$0")/../../.."
patterns=$PWD/datasets/patterns
out=${2:-data/wthor-study}
profile=${PROFILE:-release}
if [[ -z ${BINARIES:-} ]]; then
    cargo build --profile "$profile" --bins
    BINARIES=$PWD/target/${profile/#dev/debug}
fi
mkdir -p "$out" && cd "$out"
trainer() { "$BINARIES/othello-trainer" "$@"; }

years() { for year in $(seq "$1" "$2"); do echo "$wthor/WTH_$year.wtb"; done; }
trainer import wthor $(years 1977 2018) --out train.games
trainer import wthor --solved-only --except train.games $(years 2019 2022) --out test.positions
for thousands in 400 900; do
    # The longer file extends the shorter one.
    [[ $thousands == 400 || -e self-play-900.games ]] || cp self-play-400.games self-play-900.games
    "$BINARIES/othello-engine" selfplay --games ${thousands}000 --seed 4001 --depth 4 --exact 12 --selectivity 100 \
        --random-plies 8..12 --exploration all:softmax=1 --out self-play-$thousands.games
done
sed -e 's/, "corner_moves", "x_square_moves"//' -e 's/"scalars"/"moves"/' "$patterns/scalars.toml" >moves-set.toml
[[ -e self-play.weights ]] ||
    trainer fit self-play-900.games --patterns scalars --phases 36 --window 1,1 --epochs 80 --out self-play.weights
[[ -e self-play-factors.weights ]] ||
    trainer fit self-play-400.games --patterns factors --phases 35..39 --window 1,1 --out self-play-factors.weights

# The validation error of a fit with 24 empty squares.
validation() {
    python3 -c 'import json, sys
print(next(row["validation_mse"] for row in json.load(open(sys.argv[1]))["phases"] if row["phase"] == 36))' "$1.json"
}
best() { # NAME RIDGE...: prints the ridge whose fit NAME-RIDGE has the least validation error
    local name=$1 ridge; shift
    ridge=$(for ridge in "$@"; do echo "$(validation "$name-$ridge") $ridge"; done | sort -g | sed 's/.* //;q')
    echo "$name: ridge $ridge, validation MSE $(validation "$name-$ridge")" >&2
    echo "$ridge"
}

idea() { # NAME KEY VALUE: writes the recipe of an idea, with KEY (`patterns` or `init`) = VALUE and the best ridge
    local ridge ridges=(10 30 60 120 240)
    for ridge in "${ridges[@]}"; do
        [[ -e $1-$ridge.json ]] || trainer fit train.games --$2 "$3" --phases 36 --labels "34..38:solved" --window 1,1 \
            --ridge $ridge --epochs 80 --out "$1-$ridge.weights" --json >"$1-$ridge.json"
    done
    ridge=$(best "$1" "${ridges[@]}")
    cat >"$1.toml" <<END
data = ["train.games"]
$2 = "$3"
[settings]
labels = "34..38:solved"
window = "1,1"
ridge = $ridge
[settings.least_squares]
epochs = 80
END
}
# Factors belong to groups of five phases, each of which is fitted to its own positions.
together() {
    local ridge ridges=(100 300 1000)
    settings() { # PREFIX RIDGE
        printf '%s\n' 'labels = "35..39:solved"' 'window = "0"' "[$1factors]" 'epochs = 4' 'batch = 16384' \
            'learning_rate = 0.004' "ridge = $2.0"
    }
    for ridge in "${ridges[@]}"; do
        settings "" $ridge >together-$ridge.toml
        [[ -e together-$ridge.json ]] || trainer fit train.games --init self-play-factors.weights --phases 35..39 \
            --settings together-$ridge.toml --out together-$ridge.weights --json >together-$ridge.json
    done
    ridge=$(best together "${ridges[@]}")
    { printf '%s\n' 'data = ["train.games"]' 'init = "self-play-factors.weights"' '[settings]' && settings settings. "$ridge"; } >together.toml
}
idea standard patterns standard
idea moves patterns moves-set.toml
idea scalars patterns scalars
idea pulled init self-play.weights
together

for idea in moves scalars pulled; do
    trainer compare $idea.toml standard.toml --seeds 3 --phases 36 --test test.positions --out compared-$idea
done
trainer compare together.toml standard.toml --seeds 3 --phases 35..39 --test test.positions --out compared-together
