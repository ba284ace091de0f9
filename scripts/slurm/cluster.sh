# What the checks of clusters share, and a cluster of one machine, this one: to be read by a script (`.`), not run. The
# daemons are the check's own, of ports and a folder of their own, and end with it.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
binaries=$(cd "${1:-$root/target/release}" && pwd)
unset SLURM_CONF
folder=$(mktemp -d /tmp/othello-cluster.XXXXXX)
chmod 755 "$folder"
mkdir -m 700 "$folder/munge" && mkdir "$folder"/{state,spool,logs}
end_all() {
    kill $(jobs -p) 2>/dev/null
    if [[ ${SLURM_CONF-} ]]; then
        scancel --user=root
        cat "$folder"/*.pid | xargs kill
        sleep 1
    fi
    # Snakemake would wait for jobs of the cluster.
    kill -KILL $(jobs -p)
    rm -rf "$folder"
}
trap 'set +e; end_all 2>/dev/null' EXIT

can_be_cluster() { [[ $(id -u) == 0 ]] && type munged slurmctld slurmd sbatch >/dev/null 2>&1; }

# Starts the cluster; the argument is the first of its two ports.
start_cluster() {
    local host memory # MB
    host=$(hostname -s) memory=$(awk '/^MemTotal/ { print int($2 * 0.95 / 1024) }' /proc/meminfo)
    export SLURM_CONF=$folder/slurm.conf
    (umask 077 && head -c 128 /dev/urandom >"$folder/munge/key")
    cat >"$SLURM_CONF" <<CONF
ClusterName=othello
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$1
SlurmdPort=$(($1 + 1))
SlurmUser=root
AuthInfo=socket=$folder/munge/socket
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
KillWait=3
SchedulerParameters=bf_interval=1,sched_min_interval=100000
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=$memory
PartitionName=main Nodes=$host Default=YES
CONF
    munged --force --socket="$folder/munge/socket" --key-file="$folder/munge/key" --pid-file="$folder/munged.pid" \
        --log-file="$folder/munge/log" --seed-file="$folder/munge/seed"
    slurmctld && slurmd
    for _ in {1..30}; do
        [[ $(sinfo --noheader --format=%T 2>/dev/null) != idle ]] || break
        sleep 1
    done
    sinfo
}
