#!/usr/bin/env bash
# Tries run.sbatch on a cluster of one machine, this one: the small recipe by three tasks, of which one is requeued while
# it runs and one reaches its time limit. All files have the recorded checksums. Takes a minute or two.
#
#   scripts/slurm/check.sh [BINARIES]      default: target/release
#
# Needs root and Debian's slurm-wlm and munge (`apt-get install --no-install-recommends slurm-wlm munge`).
set -euo pipefail
. "$(dirname "$0")/cluster.sh"
can_be_cluster || { echo "needs root, slurm-wlm and munge" >&2 && exit 2; }
export PATH=$binaries:$PATH
start_cluster 16817
cd "$root"
job=$(sbatch --parsable --array=1-3 --time=3 --output="$folder/logs/%a.log" \
    scripts/slurm/run.sbatch small "$folder/out" --seed 1 --check trainer/recipes/small.sha256)

failed() { cat "$folder"/logs/* >&2 && exit 1; }
begun() { # Waits until a task has begun a step.
    timeout 120 bash -c "until grep -qs '^step' '$folder/logs/$1.log'; do sleep 0.1; done" || failed
}
begun 2
scontrol requeue "${job}_2"
# And ends another as its time limit would: a limit is at least a minute.
begun 1
# The controller may be busy with what it was told last.
for _ in {1..20}; do scancel --batch --signal=TERM "${job}_1" && break || sleep 1; done

# Waits until all have ended. The controller may fail to answer once.
until tasks=$(scontrol show job "$job" 2>/dev/null) &&
    ! grep -qE 'JobState=(PENDING|RUNNING|COMPLETING|REQUEUED|CONFIGURING)' <<<"$tasks"; do
    # A requeued task waits two minutes before it may begin again, but for this. Not while the task still ends: Slurm
    # would take it for failed.
    for task in $(squeue --noheader --job="$job" --format=%K:%r:%T 2>/dev/null | sed -n 's/:BeginTime:PENDING$//p'); do
        scontrol update job="${job}_$task" StartTime=now || true
    done
    sleep 1
done
for task in 1 2 3; do
    state=$(scontrol show job "${job}_$task")
    [[ $state == *JobState=COMPLETED* ]] || { echo "$state" >&2 && failed; }
    echo "task $task: $(grep -o 'Restarts=[0-9]*' <<<"$state")"
    [[ $task == 3 || $state =~ Restarts=[1-9] ]] # Two of them began again.
done
tail -n 2 "$folder/logs/1.log"
echo "passed"
