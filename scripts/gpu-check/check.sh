#!/usr/bin/env bash
# Runs beside the two programs and `data/`, where the GPU is: scripts/gpu-check.sh says what it checks.
# Writes result.json; the time of each fit stands in it.
set -uo pipefail
cd "$(dirname "$0")" || exit
wrong=0
checks=${CHECKS:-doctor equality all-phases solves memory throughput}
asked() { [[ " $checks " == *" $1 "* ]]; }
object() { if [ -s "$1" ]; then tail -n 1 "$1"; else echo null; fi; }
field() { sed -n "s/.*\"$1\":\"\{0,1\}\([^,\"}]*\).*/\1/p" "$2" | head -n 1; }

# games FILE ARGUMENTS...: self-play of the plainest player, where FILE is missing.
games() {
    [ -e "$1" ] || ./othello-engine selfplay --weights mobility --out "$@" 2>>games.log
}

# fits NAME ARGUMENTS...: the fit on each device; prints whether both have the same sha256.
fits() {
    local name=$1 device start equal=true
    shift
    for device in cpu cuda; do
        start=${EPOCHREALTIME/[.,]/}
        ./othello-trainer fit "$@" --device $device --force --json --out $name-$device.weights \
            >$name-$device.json 2>$name-$device.log || { wrong=1; tail -n 5 $name-$device.log >&2; }
        printf -v "$device" '%s' "$(field sha256 $name-$device.json)"
        printf -v "milliseconds_$device" '%d' $(((${EPOCHREALTIME/[.,]/} - start) / 1000))
    done
    [ -n "$cpu" ] && [ "$cpu" = "$cuda" ] || { equal=false wrong=1; }
    printf '"%s":{"equal":%s,"positions":%s,"cpu":"%s","cuda":"%s","milliseconds_cpu":%s,"milliseconds_cuda":%s}\n' $name $equal \
        "$(field positions $name-cuda.json || true)" "$cpu" "$cuda" "$milliseconds_cpu" "$milliseconds_cuda" | sed 's/:,/:null,/g'
}

# solves NAME ARGUMENTS...: the games relabelled by each device; prints whether both files have the same sha256.
solves() {
    local name=$1 device start equal=true
    shift
    for device in cuda cpu; do
        start=${EPOCHREALTIME/[.,]/}
        ./othello-trainer relabel "$@" --device $device --force --json --out $name-$device.games \
            >$name-$device.json 2>$name-$device.log || { wrong=1; tail -n 5 $name-$device.log >&2; }
        printf -v "$device" '%s' "$(field sha256 $name-$device.json)"
        printf -v "milliseconds_$device" '%d' $(((${EPOCHREALTIME/[.,]/} - start) / 1000))
    done
    [ -n "$cpu" ] && [ "$cpu" = "$cuda" ] || { equal=false wrong=1; }
    printf '"%s":{"equal":%s,"games":%s,"cpu":"%s","cuda":"%s","milliseconds_cpu":%s,"milliseconds_cuda":%s}\n' $name $equal \
        "$(field games $name-cuda.json || true)" "$cpu" "$cuda" "$milliseconds_cpu" "$milliseconds_cuda" | sed 's/:,/:null,/g'
}

# sanitized TOOL ARGUMENTS...: the trainer under a tool of compute-sanitizer.
sanitized() {
    local tool=$1
    shift
    compute-sanitizer --tool "$tool" --error-exitcode 3 ./othello-trainer "$@" >>"$tool.log" 2>&1
}

: >equality && : >solves && : >memory
if asked doctor; then
    ./othello-trainer doctor --json >doctor.json 2>doctor.log || wrong=1
fi
if asked equality; then
    games data/self-play.games --games 20000 --seed 1 --depth 2 --exact 8
    {
        fits lsq data/*.games --optimizer lsq --epochs 8
        fits adam data/*.games --optimizer adam --epochs 2
        fits factors data/*.games --patterns factors --factors 32/10 --optimizer adam --batch 8192 --epochs 1
    } >>equality
fi
if asked all-phases; then
    # Random plies from the start, so that no phase is without positions.
    games many.games --games 400000 --seed 3 --random-plies 0..40 --depth 1 --exact 0
    for optimizer in lsq adam; do
        fits all-phases-$optimizer many.games --optimizer $optimizer --epochs 2 --window 1,0.5
        [ "$(field positions all-phases-$optimizer-cuda.json)" -ge 10000000 ] || wrong=1
    done >>equality
fi
if asked solves; then
    games ends.games --games 80000 --seed 5 --random-plies 8..20 --depth 1 --exact 0
    games few-ends.games --games 20000 --seed 6 --random-plies 8..20 --depth 1 --exact 0
    {
        # The first one also compiles the kernels.
        solves exact-8 few-ends.games --exact 8
        solves exact-12 ends.games --exact 12
        solves exact-14 few-ends.games --exact 14
    } >>solves
fi
if asked memory; then
    games small.games --games 300 --seed 2 --depth 1 --exact 4
    for tool in memcheck racecheck initcheck; do
        if ! command -v compute-sanitizer >/dev/null; then
            printf '"%s":"skipped: no compute-sanitizer"\n' $tool
        elif sanitized $tool fit small.games --device cuda --optimizer adam --phases 30..31 --epochs 2 --force --out small.weights &&
            sanitized $tool fit small.games --device cuda --optimizer adam --patterns factors --phases 30..31 --epochs 1 --force \
                --out small.weights &&
            sanitized $tool relabel small.games --exact 8 --device cuda --force --out small-solved.games &&
            sanitized $tool bench --device cuda --games 1000 --repetitions 1; then
            printf '"%s":"clean"\n' $tool
        else
            wrong=1
            printf '"%s":"%s"\n' $tool "$(tail -n 3 $tool.log | tr -d '"\\' | tr '\n\t' '  ')"
        fi
    done >memory
fi
if asked throughput; then
    ./othello-trainer bench --device cuda --json >bench-cuda.json 2>bench-cuda.log || wrong=1
    ./othello-trainer bench --device cpu --json >bench-cpu.json 2>bench-cpu.log || wrong=1
fi
[ "$wrong" = 0 ] && ok=true || ok=false
printf '{"ok":%s,"doctor":%s,"equality":{%s},"solves":{%s},"memory":{%s},"bench_cuda":%s,"bench_cpu":%s}\n' \
    $ok "$(object doctor.json)" "$(paste -sd, equality)" "$(paste -sd, solves)" "$(paste -sd, memory)" \
    "$(object bench-cuda.json)" "$(object bench-cpu.json)" >result.json
cat result.json
exit $wrong
