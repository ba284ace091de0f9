#!/usr/bin/env bash
# Tests the verdicts of `compare`. If a recipe is compared with itself under other seeds, the verdict must be `equal`.
# If it is compared with a recipe that is known to be worse, the verdict must name the better recipe.
#
#   docs/log/studies/compare-study.sh [RUNS] [OUT]
#
# RUNS is the number of comparisons of each kind (default: 20). Each has its own training and test games from
# self-play. The worse recipe has the same settings and a quarter of the games. OUT (default: data/compare-study) is
# the folder of all files; files that exist are not made again. If BINARIES is set, the script uses the programs in
# that folder instead of building them. The exit status is 1 if more than one of 20 verdicts of a kind is wrong.
set -euo pipefail
cd "$(dirname "$0")/../../.."
runs=${1:-20} out=${2:-data/compare-study}
profile=${PROFILE:-release}
if [[ -z ${BINARIES:-} ]]; then
    cargo build --profile "$profile" --bins
    BINARIES=$PWD/target/${profile/#dev/debug}
fi
mkdir -p "$out" && cd "$out"

games() { # NAME COUNT SEED
    "$BINARIES/othello-engine" selfplay --games "$2" --seed "$3" --random-plies 8..12 --exploration all:softmax=1 \
        --depth 2 --exact 8 --weights mobility --out "$1" --json 2>/dev/null >/dev/null
}

recipe() { # NAME DATA SEED SHARE
    cat >"$1.toml" <<END
data = ["$2"]
patterns = "small"
[settings]
seed = $3
share = $4
END
}

verdict() { # FIRST SECOND TEST OUT
    "$BINARIES/othello-trainer" compare "$1.toml" "$2.toml" --seeds 3 --phases 30..34 --test "$3" --out "$4" --json \
        2>"$4.log" | tee "$4.json" | sed 's/.*"verdict":"\([a-z]*\)".*/\1/'
}

equal=0 right=0
for run in $(seq "$runs"); do
    games "train-$run.games" 4000 "$((2 * run))"
    games "test-$run.games" 1000 "$((2 * run + 1))"
    recipe "one-$run" "train-$run.games" 1 1
    recipe "again-$run" "train-$run.games" 101 1
    recipe "less-$run" "train-$run.games" 1 0.25
    same=$(verdict "one-$run" "again-$run" "test-$run.games" "same-$run")
    other=$(verdict "less-$run" "one-$run" "test-$run.games" "better-$run")
    echo "run $run: against itself $same, against the better one $other" >&2
    [[ $same == equal ]] && equal=$((equal + 1))
    [[ $other == second ]] && right=$((right + 1))
done
echo "one recipe by other seeds: equal in $equal of $runs; four times the games: found better in $right of $runs"
((20 * equal >= 19 * runs && 20 * right >= 19 * runs))
