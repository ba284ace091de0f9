#!/usr/bin/env bash
# Tries the scripts beside it on a cluster of one machine, this one: 60 shards of self-play, one of them killed and
# requeued while it runs, packed; 60 phases fitted by 12 tasks, one of them killed and requeued, too; a match. The
# packed files against those of one process; and a missing shard and another run. Takes a minute or two.
#
#   scripts/slurm/check.sh [BINARIES]      default: target/release
#
# Needs root and Debian's slurm-wlm and munge (`apt-get install slurm-wlm munge`). The daemons are
# its own, of ports and folders of their own, and end with it.
set -euo pipefail
scripts=$(cd "$(dirname "$0")" && pwd)
binaries=$(cd "${1:-$scripts/../../target/release}" && pwd)
. "$scripts/cluster.sh"
export PATH=$binaries:$PATH
folder=$(mktemp -d /tmp/othello-slurm.XXXXXX)
chmod 755 "$folder"

trap 'stop_cluster && rm -rf "$folder"' EXIT
start_cluster "$folder" 16817

# --- 60 shards, one of them killed and requeued. So few games would be one part: each shard gets one of 256 games.
run=(env OTHELLO_PART_UNITS=256 othello-engine selfplay --games 15360 --depth 2 --exact 6 --random-plies 8..16 --weights mobility --seed)
out=$folder/games.games
fit=(othello-trainer fit --patterns small --epochs 60)
othello-engine openings --plies 4 --score-depth 1 --weights mobility --out "$folder/first.openings"
match=(--openings "$folder/first.openings" --pairs 4 --depth 1 --exact 4)
submitted=$(FIT_ARGUMENTS="${fit[*]:2}" MATCH_ARGUMENTS="${match[*]}" MATCH_SHARDS=2 \
    "$scripts/submit.sh" --fit "$folder/new.weights" --match mobility 60 "$out" "${run[@]}" 7)
echo "$submitted"
job() { awk -v name="$1" '$1 == name { print $2 }' <<<"$submitted"; }

# Requeues a running task of an array job, not the first ones: the machine may be slow to begin. `task` is its number.
# Where all tasks end before one is seen running, or can never begin, there is nothing to wait for.
requeue() {
    local array=$1 after=$2 reasons without=0
    until task=$(squeue --noheader --states=RUNNING --job="$array" --format=%K 2>/dev/null |
        awk -v after="$after" '$1 > after' | head -n 1) && [[ $task ]]; do
        reasons=$(squeue --noheader --job="$array" --format=%r 2>/dev/null) || true
        case $reasons in
            "" | *DependencyNeverSatisfied*) without=$((without + 1)) ;;
            *) without=0 ;;
        esac
        # The controller may fail to answer once.
        if [[ $without -ge 30 ]]; then
            echo "job $array: no task after $after was seen running before all had ended, or they cannot begin" >&2
            tail -n 5 "$folder"/games-logs/*.log >&2 || true
            exit 1
        fi
        sleep 0.1
    done
    scontrol requeue "${array}_$task"
    echo "requeued: task $task of job $array"
}

# Waits until jobs have ended. A requeued task waits two minutes before it may begin again, but for this.
wait_for() {
    while squeue --noheader --job="$1" 2>/dev/null | grep -q .; do
        if squeue --noheader --job="$array" --states=PENDING --format=%K:%r 2>/dev/null | grep -q "^$task:BeginTime"; then
            scontrol update job="${array}_$task" StartTime=now
        fi
        sleep 1
    done
    scontrol show job "${array}_$task" | tee "$folder/task.txt"
    grep -q 'Restarts=1' "$folder/task.txt"
    grep -q 'JobState=COMPLETED' "$folder/task.txt"
}

array=$(job shards)
requeue "$array" 2
shard=$task
wait_for "$array,$(job pack-shards)"
array=$(job fit)
requeue "$array" 2
wait_for "$array,$(job pack-fit),$(job match),$(job pack-match)"
logs=$folder/games-logs
cat "$logs/shards-$shard.log" "$logs/pack-shards.log" "$logs/dataset.log" "$logs/fit-$task.log" "$logs/pack-fit.log" "$logs/pack-match.log"

"${run[@]}" 7 --out "$folder/one.games"
cmp "$folder/one.games" "$out"
echo "the packed file is that of one process: $(sha256sum <"$out")"
"${fit[@]}" "$out" --out "$folder/one.weights"
for extension in "" .metrics.jsonl .report.json; do
    cmp "$folder/one.weights$extension" "$folder/new.weights$extension"
done
echo "the weights of 12 tasks are those of one process: $(sha256sum <"$folder/new.weights")"
test -s "$folder/new.match"

# --- a missing shard and the folder of another run are refused
refused() {
    local expected=$1
    shift
    if message=$("$@" 2>&1); then
        echo "taken for good: $*" >&2
        exit 1
    fi
    echo "$message"
    grep -q "$expected" <<<"$message"
}
for shard in 1/3 3/3; do "${run[@]}" 7 --shard "$shard" --out "$folder/two.games"; done
refused "missing of stage .self-play" othello-trainer pack "$folder/two.games"
refused "seed: 7 there, 8 wanted" "${run[@]}" 8 --shard 2/3 --out "$folder/two.games"
echo "passed"
