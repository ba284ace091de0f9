#!/usr/bin/env bash
# Submits a run to Slurm: its shards as an array job and, when all of them are complete, the packing of their parts.
# With --fit and --match, a fit to the packed file and a match of the new weights follow, also as array jobs.
#
#   scripts/slurm/submit.sh [--fit WEIGHTS [--match OPPONENT]] SHARDS OUT PROGRAM COMMAND ARGUMENTS...
#
#   scripts/slurm/submit.sh 60 data/games.games othello-engine selfplay --games 100000000 --seed 7
#   scripts/slurm/submit.sh --fit data/new.weights --match embedded 60 data/games.games othello-engine selfplay --games 100000000 --seed 7
#   scripts/slurm/submit.sh 100 data/ply9.openings othello-engine openings --plies 9 --score-depth 8
#   scripts/slurm/submit.sh 20 data/exact.games othello-trainer relabel data/wthor.games --exact 20
#
# Any command that takes --shard and --out. The programs must be on the PATH of the machines, and
# OUT in a folder that all of them share. A task that is killed, preempted or requeued resumes on any machine; the
# packed file and the weights have the bytes of a run in one process.
#
# A fit is shared by FIT_SHARDS tasks (12), each of some of the 60 phases; FIT_ARGUMENTS go to each, such as
# FIT_ARGUMENTS="--patterns factors", and what decides the data to DATASET_ARGUMENTS="--labels all:value". A match
# takes MATCH_ARGUMENTS, by which it has openings, and MATCH_SHARDS tasks (12).
#
# For the partition, the account, cores a task or tasks at once set sbatch's own variables, such as
# SBATCH_PARTITION=long, SBATCH_ACCOUNT=me, or name them in SHARD_OPTIONS, PACK_OPTIONS, DATASET_OPTIONS,
# FIT_OPTIONS and MATCH_OPTIONS, such as SHARD_OPTIONS="--cpus-per-task=8". Prints the numbers of the jobs.
set -euo pipefail
scripts=$(cd "$(dirname "$0")" && pwd)

weights= opponent=
if [[ ${1-} == --fit ]]; then
    weights=${2?} && shift 2
    if [[ ${1-} == --match ]]; then
        opponent=${2?} && shift 2
    fi
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

# Sends a job: its name for the logs, the job that it waits for or nothing, sbatch's options, and the script with
# its arguments. Where a task fails, what waits for it can never run, and goes.
send() {
    local log=$1 after=$2 options
    read -ra options <<<"$3"
    shift 3
    if [[ $after ]]; then
        options+=(--dependency="afterok:$after" --kill-on-invalid-dep=yes)
    fi
    sbatch --parsable --output="$logs/$log.log" "${options[@]}" "$@"
}

# Sends the shards of a command and their packing: a name, the job to wait for, sbatch's options, how many shards, the
# output, and the command. Sets `packed` to the number of the last job.
send_shards() {
    local name=$1 after=$2 options=$3 count=$4 file=$5 array
    shift 5
    array=$(send "$name-%a" "$after" "--array=1-$count $options" "$scripts/shard.sbatch" "$count" "$file" "$@")
    packed=$(send "pack-$name" "$array" "${PACK_OPTIONS-}" "$scripts/pack.sbatch" "$file")
    echo "$name $array"
    echo "pack-$name $packed"
}

send_shards shards "" "${SHARD_OPTIONS-}" "$shards" "$out" "$@"
if [[ $weights ]]; then
    dataset=${out%.*}-dataset
    read -ra arguments <<<"${DATASET_ARGUMENTS-}"
    laid_out=$(send dataset "$packed" "${DATASET_OPTIONS-}" "$scripts/dataset.sbatch" "$out" "$dataset" "${arguments[@]}")
    echo "dataset $laid_out"
    read -ra arguments <<<"${FIT_ARGUMENTS-}"
    send_shards fit "$laid_out" "${FIT_OPTIONS-}" "${FIT_SHARDS-12}" "$weights" \
        othello-trainer fit "$dataset" "${arguments[@]}"
fi
if [[ $opponent ]]; then
    read -ra arguments <<<"${MATCH_ARGUMENTS-}"
    send_shards match "$packed" "${MATCH_OPTIONS-}" "${MATCH_SHARDS-12}" "${weights%.*}.match" \
        othello-trainer match "$weights" "$opponent" "${arguments[@]}"
fi
