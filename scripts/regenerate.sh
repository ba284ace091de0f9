#!/usr/bin/env bash
# Makes the weights of a recipe from a seed: generations of self-play and fits, starting with an evaluation by hand,
# and in the end the models for move ordering and pruning.
#
#   scripts/regenerate.sh [--small | --recipe FILE] [--seed S] [--out DIR] [--threads N]
#                         [--profile PROFILE] [--built] [--print]
#
# The default recipe is scripts/recipe/default.toml, which makes engine/weights/default.weights: fourteen generations
# from scratch, and fits of their games to the weights of an earlier generation 9; some eight core-hours. The file
# contains the commit of the sources, so another commit gives another file. --small is scripts/recipe/small.toml, which
# takes seconds. The script keeps all files in DIR (default: data/generations), each with the output of its command
# (.json); a run that was killed resumes. It prints the sha256 of the last file. This depends only on the recipe and the
# seed, neither on threads (default: all) nor on cargo's profile (default: release). --built uses the binaries of the
# profile without compiling; --print prints the commands without running them. CI compares the sha256 of
# --small --seed 1 with scripts/regenerate-small.sha256. scripts/workflow/ runs the same steps in parallel.
set -euo pipefail
cd "$(dirname "$0")/.."

seed=1 out=data/generations recipe=scripts/recipe/default.toml threads=() profile=release built= print=
while (($#)); do
    case $1 in
    --small) recipe=scripts/recipe/small.toml ;;
    --recipe) recipe=$2 && shift ;;
    --seed) seed=$2 && shift ;;
    --out) out=$2 && shift ;;
    --threads) threads=(--threads "$2") && shift ;;
    --profile) profile=$2 && shift ;;
    --built) built=1 ;;
    --print) print=1 ;;
    *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
    esac
    shift
done

# Weights in coarser steps name the revision of this recipe.
revision=$(git describe --always --dirty --abbrev=40 --exclude '*' || echo unknown)
steps=$(awk -v seed="$seed" -v out="$out" -v revision="$revision" -f scripts/recipe/steps.awk "$recipe")
if [[ $print ]]; then
    while IFS=$'\t' read -r name _ command; do
        printf '%s\n' "${command//$'\t'/ } --out $out/$name"
    done <<<"$steps"
    exit
fi

# A file that no step makes is missed now, not after hours.
while IFS=$'\t' read -ra step; do
    for word in "${step[@]:3}"; do
        [[ $word == "$out"/* || $word != *.@(weights|games|txt) || -e $word ]] && continue
        echo "error: $recipe: step ${step[0]} reads $word, which is not there; the top of the recipe says where it is from" >&2
        exit 1
    done
done <<<"$steps"

[[ $built ]] || cargo build --profile "$profile"
binaries=${CARGO_TARGET_DIR:-target}/${profile/#dev/debug}
mkdir -p "$out"
while IFS=$'\t' read -ra step <&3; do
    name=${step[0]} program=${step[2]}
    echo "== $name: ${step[3]}" >&2
    "$binaries/$program" "${step[@]:3}" "${threads[@]}" --json --out "$out/$name" >"$out/$name.json.partial"
    mv "$out/$name.json.partial" "$out/$name.json"
done 3<<<"$steps"
# The first sha256 is the file's own, those after it are of its inputs.
"$binaries/othello-engine" weights "$out/$name" --json | grep -o '"sha256":"[0-9a-f]*"' | sed -n '1s/.*"\([0-9a-f]*\)"/\1/p'
