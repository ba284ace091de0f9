#!/usr/bin/env bash
# Tries the small recipe every way: by `othello-trainer run`, by Snakemake on two cores, and by
# Snakemake on a cluster of one machine, this one, where a task is killed while it plays. All have to
# come to the sha256 of trainer/recipes/small.sha256. Takes a minute or two.
#
#   scripts/workflow/check.sh [BINARIES]      default: target/release
#
# Needs Snakemake, of requirements.txt; without it, makes an environment of its own from PyPI. The
# cluster needs root and Debian's slurm-wlm and munge; without them this way is left out, and said so.
# Exits with 3 where Snakemake cannot be had.
set -euo pipefail
scripts=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$scripts/../.." && pwd)
binaries=$(cd "${1:-$root/target/release}" && pwd)
unset SLURM_CONF # The cluster is its own.
folder=$(mktemp -d /tmp/othello-workflow.XXXXXX)
chmod 755 "$folder"
stop() {
    kill $(jobs -p) 2>/dev/null || true
    if [[ ${SLURM_CONF-} ]]; then stop_cluster; fi
    rm -rf "$folder" || true
}
trap stop EXIT

if ! command -v snakemake >/dev/null; then
    "${PYTHON:-python3}" -m venv "$folder/python" &&
        "$folder/python/bin/pip" install --quiet --requirement "$scripts/requirements.txt" ||
        { echo "Snakemake could not be installed" >&2 && exit 3; }
    PATH=$folder/python/bin:$PATH
fi
export XDG_CACHE_HOME=$folder/cache

# Becomes Snakemake, with the small recipe in a folder of its own: its name, and arguments.
run() {
    local name=$1
    shift
    mkdir "$folder/$name" && ln -s "$root/datasets" "$folder/$name/datasets"
    exec snakemake --snakefile "$scripts/Snakefile" --directory "$folder/$name" "$@" \
        recipe=small out="$folder/$name/out" >"$folder/$name.log" 2>&1
}

# The sha256 of the weights of a run.
result() {
    "$binaries/othello-engine" weights "$1" --json | grep -o '"sha256":"[0-9a-f]*"' | sed -n '1s/.*"\([0-9a-f]*\)"/\1/p'
}

(cd "$root" && "$binaries/othello-trainer" run small --out "$folder/shell" --check trainer/recipes/small.sha256 2>/dev/null)
result "$folder/shell/shipped.weights" | tee "$folder/shell.sha256"

run two-cores --cores 2 --config shards=2 programs="$binaries" &
two_cores=$!

cluster=
if [[ $(id -u) == 0 ]] && type slurmctld slurmd munged >/dev/null 2>&1; then
    . "$root/scripts/slurm/cluster.sh"
    start_cluster "$folder" 16827 >/dev/null
    mkdir "$folder/programs"
    ln -s "$binaries/othello-trainer" "$folder/programs"
    # The first time that one shard is played, it is killed as soon as it has kept games.
    cat >"$folder/programs/othello-engine" <<SCRIPT
#!/usr/bin/env bash
case "\$*" in *"--shard 2/2"*"generation-1.games"*)
    if mkdir "$folder/killed" 2>/dev/null; then
        "$binaries/othello-engine" "\$@" &
        kept=$folder/cluster/out/generation-1.games.parts/part-000001
        until [[ -e "\$kept" ]] || ! kill -0 \$! 2>/dev/null; do :; done
        kill -KILL \$!
        exit 137
    fi ;;
esac
exec "$binaries/othello-engine" "\$@"
SCRIPT
    # Snakemake's jobs do not know of a cluster that is not the machine's own.
    printf '#!/bin/sh\nSLURM_CONF=%s exec %s "$@"\n' "$SLURM_CONF" "$(command -v srun)" >"$folder/programs/srun"
    chmod +x "$folder/programs/"*
    export PATH=$folder/programs:$PATH
    run cluster "$folder/cluster/out/shipped.weights" --workflow-profile "$scripts/profiles/slurm" \
        --slurm-no-account --slurm-status-command squeue --slurm-init-seconds-before-status-checks 6 \
        --slurm-logdir "$folder/logs" --slurm-keep-successful-logs \
        --config shards=2 here=openings,dataset,pack,calibrate,quantize programs="$folder/programs" &
    cluster=$!
else
    echo "left out: a cluster, which needs root, slurm-wlm and munge" >&2
fi

wait "$two_cores" || { tail -n 50 "$folder/two-cores.log" >&2 && exit 1; }
if [[ $cluster ]]; then
    wait "$cluster" || { tail -n 50 "$folder/cluster.log" >&2 && exit 1; }
fi
result "$folder/two-cores/out/shipped.weights" | tee "$folder/two-cores.sha256"
if [[ $cluster ]]; then
    result "$folder/cluster/out/shipped.weights" | tee "$folder/cluster.sha256"
    [[ -d $folder/killed ]]
    grep -h "from an earlier run" -r "$folder/logs" || # The killed task went on where it stopped.
        echo "the killed task had no time to keep games" >&2
fi
for way in "$folder"/*.sha256; do
    diff <(tail -n 1 "$root/trainer/recipes/small.sha256" | cut -d ' ' -f 1) "$way"
done
echo "passed: $(ls "$folder"/*.sha256 | xargs -n 1 basename -s .sha256 | paste -s -d ' ')"
