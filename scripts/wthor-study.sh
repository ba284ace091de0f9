#!/usr/bin/env bash
# What scalar features are worth, on games of people: fits of 24 empty squares to WTHOR until 2018, tested on
# 2019 to 2022.
#
#   scripts/wthor-study.sh WTHOR_FOLDER [OUT]
#
# WTHOR_FOLDER has the files WTH_1977.wtb to WTH_2022.wtb of the Fédération Française d'Othello; they are not
# part of this project. All choices (the ridge of each pattern set) are made on the validation part of the
# years until 2018. Then the test is opened, once: its positions have 24 empty squares and exact scores, and
# none occurs in the earlier years. Everything is kept in OUT (default: data/wthor-study).
set -euo pipefail
wthor=$(cd "${1:?usage: scripts/wthor-study.sh WTHOR_FOLDER [OUT]}" && pwd)
cd "$(dirname "$0")/.."
out=${2:-data/wthor-study}
profile=${PROFILE:-release}
cargo build --profile "$profile" --bins
trainer=$PWD/target/${profile/#dev/debug}/othello-trainer
mkdir -p "$out" && cd "$out"

years() { for year in $(seq "$1" "$2"); do echo "$wthor/WTH_$year.wtb"; done; }
"$trainer" import wthor $(years 1977 2018) --out train.games
"$trainer" import wthor --solved-only --except train.games $(years 2019 2022) --out test.positions

# The validation error of a fit, as `fit` reports it.
validation() { sed -n 's/.*"validation_mse":\([0-9.]*\).*/\1/p' "$1.json" | head -n 1; }

for set in standard scalars; do
    best=
    for ridge in 10 30 100; do
        name=$set-$ridge
        "$trainer" fit train.games --patterns $set --phases 36 --labels "34..38:solved" --window 1,1 --ridge $ridge \
            --epochs 80 --out "$name.weights" --json >"$name.json"
        if [[ -z $best ]] || awk "BEGIN { exit !($(validation "$name") < $(validation "$best")) }"; then best=$name; fi
    done
    echo "$set: ridge ${best#*-}, validation MSE $(validation "$best")" >&2
    cat >"$set.toml" <<END
data = ["train.games"]
patterns = "$set"
[settings]
labels = "34..38:solved"
window = "1,1"
ridge = ${best#*-}
[settings.least_squares]
epochs = 80
END
done
"$trainer" compare scalars.toml standard.toml --seeds 3 --phases 36 --test test.positions --out compared
