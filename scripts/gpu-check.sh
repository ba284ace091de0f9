#!/usr/bin/env bash
# The checks that need a GPU: takes a release binary to a machine that has an NVIDIA GPU with its driver and
# CUDA (NVRTC, compute-sanitizer) but no Rust, and brings one JSON object back.
#
#   scripts/gpu-check.sh HOST [GAMES...]    by ssh and scp; HOST `local` is this machine
#
# GAMES are records to fit (default: self-play made here, small). What it does there:
#   doctor            what there is
#   all phases        10 million positions in all 60 phases, 2 epochs on cpu and on cuda: the same sha256
#   equality          fit on cpu and on cuda, by least squares and by Adam: the same sha256
#   memory            a small fit and a small benchmark under compute-sanitizer (memcheck, racecheck, initcheck): no errors
#   throughput        `bench --device cpu`, and `--device cuda`: both kernels beside their limits and beside the usual layout
#
# Exit status 1 where something is wrong. Not run yet: no GPU was at hand when it was written.
set -euo pipefail
cd "$(dirname "$0")/.."
host=${1:?usage: scripts/gpu-check.sh HOST [GAMES...]}
shift

# Instruction sets are chosen, and CUDA is loaded, at run time: there, not here.
cargo build --release >&2
here=$(mktemp -d) && trap 'rm -rf "$here"' EXIT
mkdir "$here/gpu-check"
cp target/release/othello-trainer "$here/gpu-check/"
engine=target/release/othello-engine
"$engine" selfplay --games 300 --seed 2 --depth 1 --exact 4 --weights mobility --out "$here/gpu-check/small.games" >&2
if [ $# -eq 0 ]; then
    "$engine" selfplay --games 20000 --seed 1 --depth 2 --exact 8 --weights mobility --out "$here/games.games" >&2
    set -- "$here/games.games"
fi
mkdir "$here/gpu-check/data" && cp "$@" "$here/gpu-check/data/"
# Random plies from the start, so that no phase is without positions.
"$engine" selfplay --games 400000 --seed 3 --random-plies 0..40 --depth 1 --exact 0 --weights mobility \
    --out "$here/gpu-check/many.games" >&2

cat >"$here/gpu-check/check.sh" <<'THERE'
#!/usr/bin/env bash
set -uo pipefail
cd "$(dirname "$0")"
wrong=0
field() { sed -n "s/.*\"$1\":\"\{0,1\}\([^,\"}]*\).*/\1/p" | head -n 1; }
object() { if [ -s "$1" ]; then tail -n 1 "$1"; else echo null; fi; }

./othello-trainer doctor --json >doctor.json 2>doctor.log || wrong=1
for optimizer in lsq adam; do
    for device in cpu cuda; do
        ./othello-trainer fit data/* --device $device --optimizer $optimizer --force --json \
            --out $optimizer-$device.weights >$optimizer-$device.json 2>$optimizer-$device.log || wrong=1
    done
    cpu=$(field sha256 <$optimizer-cpu.json) cuda=$(field sha256 <$optimizer-cuda.json)
    [ -n "$cpu" ] && [ "$cpu" = "$cuda" ] && equal=true || { equal=false wrong=1; }
    printf '"%s":{"equal":%s,"cpu":"%s","cuda":"%s","seconds_cpu":%s,"seconds_cuda":%s}\n' $optimizer $equal "$cpu" "$cuda" \
        "$(field seconds <$optimizer-cpu.json || true)" "$(field seconds <$optimizer-cuda.json || true)"
done >equality
for optimizer in lsq adam; do
    for device in cpu cuda; do
        ./othello-trainer fit many.games --device $device --optimizer $optimizer --epochs 2 --window 1,0.5 \
            --force --json --out many-$optimizer-$device.weights >many-$optimizer-$device.json 2>many-$optimizer-$device.log || wrong=1
    done
    positions=$(field positions <many-$optimizer-cuda.json)
    cpu=$(field sha256 <many-$optimizer-cpu.json) cuda=$(field sha256 <many-$optimizer-cuda.json)
    [ -n "$cpu" ] && [ "$cpu" = "$cuda" ] && [ "${positions:-0}" -ge 10000000 ] && equal=true || { equal=false wrong=1; }
    printf '"%s":{"equal":%s,"positions":%s,"cpu":"%s","cuda":"%s"}\n' $optimizer $equal "${positions:-0}" "$cpu" "$cuda"
done >all-phases
for tool in memcheck racecheck initcheck; do
    if ! command -v compute-sanitizer >/dev/null; then
        printf '"%s":"skipped: no compute-sanitizer"\n' $tool
    elif compute-sanitizer --tool $tool --error-exitcode 3 ./othello-trainer fit small.games --device cuda --optimizer adam \
        --phases 30..31 --epochs 2 --force --out small.weights >$tool.log 2>&1 &&
        compute-sanitizer --tool $tool --error-exitcode 3 ./othello-trainer bench --device cuda --games 1000 --repetitions 1 \
            >>$tool.log 2>&1; then
        printf '"%s":"clean"\n' $tool
    else
        wrong=1
        printf '"%s":"%s"\n' $tool "$(tail -n 3 $tool.log | tr -d '"\\' | tr '\n\t' '  ')"
    fi
done >memory
./othello-trainer bench --device cpu --json >bench-cpu.json 2>bench-cpu.log || wrong=1
./othello-trainer bench --device cuda --json >bench-cuda.json 2>bench-cuda.log || wrong=1
printf '{"wrong":%s,"doctor":%s,"equality":{%s},"all_phases":{%s},"memory":{%s},"bench_cuda":%s,"bench_cpu":%s}\n' \
    $wrong "$(object doctor.json)" "$(paste -sd, equality)" "$(paste -sd, all-phases)" "$(paste -sd, memory)" \
    "$(object bench-cuda.json)" "$(object bench-cpu.json)" >result.json
exit $wrong
THERE
chmod +x "$here/gpu-check/check.sh"

status=0
if [ "$host" = local ]; then
    "$here/gpu-check/check.sh" >&2 || status=$?
    cp "$here/gpu-check/result.json" gpu-check.json
else
    there=$(ssh "$host" mktemp -d)
    scp -qr "$here/gpu-check" "$host:$there/"
    ssh "$host" "$there/gpu-check/check.sh" >&2 || status=$?
    scp -q "$host:$there/gpu-check/result.json" gpu-check.json
    ssh "$host" "rm -rf '$there'"
fi
cat gpu-check.json
exit "$status"
