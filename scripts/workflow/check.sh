#!/usr/bin/env bash
# Tries the small recipe, with factors, by Snakemake on two cores, and on a cluster of one machine, this one, where a
# task is killed while it plays. The weights are those of `othello-trainer run`. Takes a minute or two.
#
#   scripts/workflow/check.sh [BINARIES]      default: target/release
#
# Needs Snakemake, of requirements.txt; without it, makes an environment of its own from PyPI. The
# cluster needs root and Debian's slurm-wlm and munge; without them this way is left out, and said so.
# Exits with 3 where Snakemake cannot be had.
set -euo pipefail
. "$(dirname "$0")/../slurm/cluster.sh"
workflow=$root/scripts/workflow
if ! command -v snakemake >/dev/null; then
    "${PYTHON:-python3}" -m venv "$folder/python" &&
        "$folder/python/bin/pip" install --quiet --requirement "$workflow/requirements.txt" ||
        { echo "Snakemake could not be installed" >&2 && exit 3; }
    PATH=$folder/python/bin:$PATH
fi
export XDG_CACHE_HOME=$folder/cache

recipe=$folder/factors.toml
sed '/^optimizer/s/.*/optimizer = "adam"\nepochs = 1\nfactors = "32\/10"/' "$root/trainer/recipes/small.toml" >"$recipe"
# Becomes Snakemake, with the recipe in a folder of its own: its name, and arguments.
run() {
    mkdir "$folder/$1" && ln -s "$root/datasets" "$folder/$1/datasets"
    exec snakemake --snakefile "$workflow/Snakefile" --directory "$folder/$1" "${@:2}" \
        recipe="$recipe" out="$folder/$1/out" >"$folder/$1.log" 2>&1
}
# Waits for a run, its name and process, and compares the checksum of its last file.
sum=$(cd "$root" && "$binaries/othello-trainer" run "$recipe" --out "$folder/alone" --json | grep -o '"sha256":[^,]*' | tail -n 1)
wait_for() {
    wait "$2" || { tail -n 50 "$folder/$1.log" >&2 && exit 1; }
    "$binaries/othello-engine" weights "$folder/$1/out/shipped.weights" --json | grep "$sum" >/dev/null ||
        { echo "$1: other weights than by one process" >&2 && exit 1; }
    echo "passed: $1"
}

run two-cores --cores 2 --config shards=2 fit_shards=3 programs="$binaries" &
two_cores=$!
if ! can_be_cluster; then
    echo "left out: a cluster, which needs root, slurm-wlm and munge" >&2
    wait_for two-cores "$two_cores"
    exit
fi
start_cluster 16827 >/dev/null
mkdir "$folder/programs"
ln -s "$binaries/othello-trainer" "$folder/programs"
# The first time that one shard is played, it is killed.
cat >"$folder/programs/othello-engine" <<SCRIPT
#!/usr/bin/env bash
if [[ "\$*" == *"--shard 1/2"*"generation-1.games"* ]] && mkdir "$folder/killed" 2>/dev/null; then
    exec timeout --signal=KILL 0.2 "$binaries/othello-engine" "\$@"
fi
exec "$binaries/othello-engine" "\$@"
SCRIPT
# Snakemake's jobs do not know of a cluster that is not the machine's own.
printf '#!/bin/sh\nSLURM_CONF=%s exec %s "$@"\n' "$SLURM_CONF" "$(command -v srun)" >"$folder/programs/srun"
chmod +x "$folder"/programs/*
export PATH=$folder/programs:$PATH
run cluster "$folder/cluster/out/shipped.weights" --profile "$workflow/profiles/slurm" \
    --slurm-no-account --slurm-status-command squeue --slurm-init-seconds-before-status-checks 6 \
    --slurm-logdir "$folder/logs" \
    --config shards=2 here=openings,dataset,pack,calibrate,quantize programs="$folder/programs" &
cluster=$!
wait_for two-cores "$two_cores"
wait_for cluster "$cluster"
[[ -d $folder/killed ]]
