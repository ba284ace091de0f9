#!/usr/bin/env bash
# Tries run.sbatch on a cluster of one machine, this one: the small recipe by three tasks, of which one is requeued while
# it runs and one reaches its time limit. All files have the recorded checksums. Takes a minute or two.
#
#   scripts/slurm/check.sh [BINARIES]      default: target/release
#
# Needs root and Debian's slurm-wlm and munge (`apt-get install slurm-wlm munge`). The daemons are
# its own, of ports and folders of their own, and end with it.
set -euo pipefail
scripts=$(cd "$(dirname "$0")" && pwd)
root=$scripts/../..
binaries=$(cd "${1:-$root/target/release}" && pwd)
. "$scripts/cluster.sh"
export PATH=$binaries:$PATH
folder=$(mktemp -d /tmp/othello-slurm.XXXXXX)
chmod 755 "$folder"

trap 'stop_cluster && rm -rf "$folder"' EXIT
start_cluster "$folder" 16817

cd "$root"
logs=$folder/logs out=$folder/out
mkdir "$logs"
job=$(sbatch --parsable --array=1-3 --time=3 --output="$logs/%a.log" \
    "$scripts/run.sbatch" small "$out" --seed 1 --check trainer/recipes/small.sha256)

# Waits until a task has begun a step.
begun() {
    for _ in {1..1200}; do
        grep -qs "^step" "$logs/$1.log" && return
        sleep 0.1
    done
    cat "$logs"/* >&2
    exit 1
}
begun 2
scontrol requeue "${job}_2"
# And ends another as its time limit would: a limit is at least a minute.
begun 1
# The controller may be busy with what it was told last.
for _ in {1..20}; do scancel --batch --signal=TERM "${job}_1" && break || sleep 1; done

# Waits until all have ended. A requeued task waits two minutes before it may begin again, but for this.
# The controller may fail to answer once.
until scontrol show job "$job" >"$folder/tasks.txt" 2>/dev/null &&
    ! grep -qE 'JobState=(PENDING|RUNNING|COMPLETING|REQUEUED|CONFIGURING)' "$folder/tasks.txt"; do
    # Not while the task still ends: Slurm would take it for failed.
    for task in $(squeue --noheader --job="$job" --format=%K:%r:%T 2>/dev/null | sed -n 's/:BeginTime:PENDING$//p'); do
        scontrol update job="${job}_$task" StartTime=now || true
    done
    sleep 1
done
for task in 1 2 3; do
    scontrol show job "${job}_$task" >"$folder/task.txt"
    grep -q 'JobState=COMPLETED' "$folder/task.txt" || { cat "$folder/task.txt" "$logs/$task.log" >&2 && exit 1; }
    echo "task $task: $(grep -o 'Restarts=[0-9]*' "$folder/task.txt")"
    # Two of them began again.
    [[ $task == 3 ]] || grep -q 'Restarts=[1-9]' "$folder/task.txt"
done
tail -n 2 "$logs/1.log"
echo "passed"
