#!/usr/bin/env bash
# A run on a cluster with Slurm: its shards as an array job, and, when all of them are there, what
# puts them together, and a fit to that.
#
#   scripts/slurm/submit.sh [--fit WEIGHTS] SHARDS OUT PROGRAM COMMAND ARGUMENTS...
#
#   scripts/slurm/submit.sh 60 data/games.games othello-engine selfplay --games 100000000 --seed 7
#   scripts/slurm/submit.sh --fit data/new.weights 60 data/games.games othello-engine selfplay --games 100000000 --seed 7
#   scripts/slurm/submit.sh 100 data/ply9.openings othello-engine openings --plies 9 --score-depth 8
#   scripts/slurm/submit.sh 20 data/exact.games othello-trainer relabel data/wthor.games --exact 20
#
# Any command that takes --shard and --out. The programs must be on the PATH of the machines, and
# OUT in a folder that all of them share. A task that is killed, preempted or requeued goes on where
# it stopped, whichever machine it then runs on; the merged file has the bytes of a run that one
# process does.
#
# For the partition, the account, cores a task or tasks at once set sbatch's own variables, such as
# SBATCH_PARTITION=long, SBATCH_ACCOUNT=me, or name them in SHARD_OPTIONS, MERGE_OPTIONS and
# FIT_OPTIONS, such as SHARD_OPTIONS="--cpus-per-task=8". Prints the numbers of the jobs.
set -euo pipefail
scripts=$(cd "$(dirname "$0")" && pwd)

weights=
if [[ ${1-} == --fit ]]; then
    weights=${2?} && shift 2
fi
if (($# < 4)) || ! [[ $1 =~ ^[1-9][0-9]*$ ]]; then
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
shards=$1 out=$2
shift 2
mkdir -p "$(dirname "$out")"
logs=${out%.*}-logs
mkdir -p "$logs"

# Where a task fails, what waits for it can never run, and goes.
after() { echo --dependency=afterok:"$1" --kill-on-invalid-dep=yes; }

read -ra shard_options <<<"${SHARD_OPTIONS-}"
read -ra merge_options <<<"${MERGE_OPTIONS-}"
read -ra fit_options <<<"${FIT_OPTIONS-}"
array=$(sbatch --parsable --array="1-$shards" --output="$logs/shard-%a.log" "${shard_options[@]}" \
    "$scripts/shard.sbatch" "$shards" "$out" "$@")
merge=$(sbatch --parsable $(after "$array") --output="$logs/merge.log" "${merge_options[@]}" \
    "$scripts/merge.sbatch" "$shards" "$out")
echo "shards $array"
echo "merge $merge"
if [[ $weights ]]; then
    fit=$(sbatch --parsable $(after "$merge") --output="$logs/fit.log" "${fit_options[@]}" \
        "$scripts/fit.sbatch" "$out" "$weights")
    echo "fit $fit"
fi
