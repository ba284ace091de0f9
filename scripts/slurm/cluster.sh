# A cluster of one machine, this one, for checks: to be read by a script (`.`), not run. Needs root and
# Debian's slurm-wlm and munge. The daemons are its own, of ports and a folder of their own.

for program in munged slurmctld slurmd sbatch; do
    command -v $program >/dev/null || {
        echo "$program is not installed; apt-get install --no-install-recommends slurm-wlm munge" >&2
        exit 2
    }
done

# Starts the cluster: an absolute folder for its files, and the first of its two ports.
start_cluster() {
    local host cores memory
    cluster_folder=$1 host=$(hostname -s) cores=$(nproc)
    memory=$(awk '/^MemTotal/ { print int($2 * 0.95 / 1024) }' /proc/meminfo) # MB
    export SLURM_CONF=$cluster_folder/slurm.conf
    mkdir "$cluster_folder"/{munge,state,spool}
    dd if=/dev/urandom of="$cluster_folder/munge/key" bs=128 count=1 status=none
    chmod 700 "$cluster_folder/munge" && chmod 600 "$cluster_folder/munge/key"
    cat >"$SLURM_CONF" <<CONF
ClusterName=othello
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$2
SlurmdPort=$(($2 + 1))
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$cluster_folder/munge/socket
CredType=cred/munge
StateSaveLocation=$cluster_folder/state
SlurmdSpoolDir=$cluster_folder/spool
SlurmctldPidFile=$cluster_folder/slurmctld.pid
SlurmdPidFile=$cluster_folder/slurmd.pid
SlurmctldLogFile=$cluster_folder/slurmctld.log
SlurmdLogFile=$cluster_folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
KillWait=3
SchedulerParameters=bf_interval=1,sched_min_interval=100000
NodeName=$host NodeAddr=127.0.0.1 CPUs=$cores RealMemory=$memory State=UNKNOWN
PartitionName=main Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
    munged --force --socket="$cluster_folder/munge/socket" --key-file="$cluster_folder/munge/key" \
        --pid-file="$cluster_folder/munged.pid" --log-file="$cluster_folder/munge/log" --seed-file="$cluster_folder/munge/seed"
    slurmctld
    slurmd
    for _ in {1..30}; do
        [[ $(sinfo --noheader --format=%T 2>/dev/null) == idle ]] && break
        sleep 1
    done
    sinfo
}

# Ends what runs on the cluster, and the cluster.
stop_cluster() {
    local pid
    scancel --user=root 2>/dev/null || true
    for pid in "$cluster_folder"/*.pid; do
        kill "$(cat "$pid")" 2>/dev/null || true
    done
    sleep 1
}
