#!/usr/bin/env bash
# Runs beside the two programs and `data/`, where the GPU is: the head of scripts/gpu-check.sh lists what it checks.
set -uo pipefail
cd "$(dirname "$0")" || exit
wrong=0
asked() { [[ " ${CHECKS:-doctor equality all-phases solves memory throughput} " == *" $1 "* ]]; }
object() { if [[ -s $1 ]]; then tail -n 1 "$1"; else echo null; fi; }
field() { sed -n "s/.*\"$1\":\"\{0,1\}\([^,\"}]*\).*/\1/p" "$2" | head -n 1; }

# Self-play of the plainest player, if FILE is missing.
games() { # FILE ARGUMENTS...
    [[ -e $1 ]] || ./othello-engine selfplay --weights mobility --out "$@" 2>>games.log
}

# Runs a command of the trainer on each device; prints whether both files have the same sha256, and the times.
same() { # NAME COMMAND ARGUMENTS...
    local name=$1 device start equal=true
    local -A sum milliseconds
    shift
    for device in cuda cpu; do
        start=${EPOCHREALTIME/[.,]/}
        ./othello-trainer "$@" --device $device --force --json --out "$name-$device.$1" \
            >"$name-$device.json" 2>"$name-$device.log" || { wrong=1; tail -n 5 "$name-$device.log" >&2; }
        sum[$device]=$(field sha256 "$name-$device.json")
        milliseconds[$device]=$(((${EPOCHREALTIME/[.,]/} - start) / 1000))
    done
    [[ ${sum[cpu]} && ${sum[cpu]} == "${sum[cuda]}" ]] || equal=false wrong=1
    printf '"%s":{"equal":%s,"positions":%s,"games":%s,"cpu":"%s","cuda":"%s","milliseconds_cpu":%s,"milliseconds_cuda":%s}\n' \
        "$name" $equal "$(field positions "$name-cuda.json")" "$(field games "$name-cuda.json")" \
        "${sum[cpu]}" "${sum[cuda]}" "${milliseconds[cpu]}" "${milliseconds[cuda]}" | sed 's/:,/:null,/g'
}

: >equality && : >solves && : >memory
if asked doctor; then
    ./othello-trainer doctor --json >doctor.json 2>doctor.log || wrong=1
fi
if asked equality; then
    games data/self-play.games --games 20000 --seed 1 --depth 2 --exact 8
    {
        same lsq fit data/*.games --optimizer lsq --epochs 8
        same adam fit data/*.games --optimizer adam --epochs 2
        same factors fit data/*.games --patterns factors --factors 32/10 --optimizer adam --batch 8192 --epochs 1
    } >>equality
fi
if asked all-phases; then
    # Random plies from the start, so that no phase is without positions.
    games many.games --games 400000 --seed 3 --random-plies 0..40 --depth 1 --exact 0
    for optimizer in lsq adam; do
        same all-phases-$optimizer fit many.games --optimizer $optimizer --epochs 2 --window 1,0.5
        [[ $(field positions all-phases-$optimizer-cuda.json) -ge 10000000 ]] || wrong=1
    done >>equality
fi
if asked solves; then
    games ends.games --games 80000 --seed 5 --random-plies 8..20 --depth 1 --exact 0
    games few-ends.games --games 20000 --seed 6 --random-plies 8..20 --depth 1 --exact 0
    {
        # The first one also compiles the kernels.
        same exact-8 relabel few-ends.games --exact 8
        same exact-12 relabel ends.games --exact 12
        same exact-14 relabel few-ends.games --exact 14
    } >>solves
fi
if asked memory; then
    games small.games --games 300 --seed 2 --depth 1 --exact 4
    fit="fit small.games --optimizer adam --phases 30..31 --out small.weights --force"
    for tool in memcheck racecheck initcheck; do
        found=clean
        command -v compute-sanitizer >/dev/null || { printf '"%s":"skipped: no compute-sanitizer"\n' $tool && continue; }
        for command in "$fit --epochs 2" "$fit --epochs 1 --patterns factors" \
            "relabel small.games --exact 8 --force --out small-solved.games" "bench --games 1000 --repetitions 1"; do
            # shellcheck disable=SC2086 # words
            compute-sanitizer --tool $tool --error-exitcode 3 ./othello-trainer $command --device cuda >>$tool.log 2>&1 ||
                { wrong=1 found=$(tail -n 3 $tool.log | tr -c '[:alnum:]=:.()' ' '); break; }
        done
        printf '"%s":"%s"\n' $tool "$found"
    done >memory
fi
if asked throughput; then
    for device in cuda cpu; do
        ./othello-trainer bench --device $device --json >bench-$device.json 2>bench-$device.log || wrong=1
    done
fi
[[ $wrong == 0 ]] && ok=true || ok=false
printf '{"ok":%s,"doctor":%s,"equality":{%s},"solves":{%s},"memory":{%s},"bench_cuda":%s,"bench_cpu":%s}\n' \
    "$ok" "$(object doctor.json)" "$(paste -sd, equality)" "$(paste -sd, solves)" "$(paste -sd, memory)" \
    "$(object bench-cuda.json)" "$(object bench-cpu.json)" | tee result.json
exit $wrong
