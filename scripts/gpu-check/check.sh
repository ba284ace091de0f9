#!/usr/bin/env bash
# Runs beside the two programs and `data/`, where the GPU is: the head of scripts/gpu-check.sh lists what it checks.
set -uo pipefail
cd "$(dirname "$0")" || exit
exec > >(tee result.txt) 2>&1
wrong=0
asked() { [[ " ${CHECKS:-doctor equality all-phases solves memory throughput} " == *" $1 "* ]]; }
field() { sed -n "s/.*\"$1\":\"\{0,1\}\([^,\"}]*\).*/\1/p" "$2" | head -n 1; }
is_wrong() { echo "WRONG: $*" && wrong=1; }

# Self-play of the plainest player, if FILE is missing.
games() { # FILE ARGUMENTS...
    [[ -e $1 ]] || ./othello-engine selfplay --weights mobility --out "$@" >games.log 2>&1 || is_wrong "$(tail -n 1 games.log)"
}

# Runs a command of the trainer on each device; both files have the same sha256.
same() { # NAME COMMAND ARGUMENTS...
    local name=$1 device start
    local -A sum
    shift
    for device in cuda cpu; do
        start=${EPOCHREALTIME/[.,]/}
        ./othello-trainer "$@" --device $device --force --json --out "$name-$device.$1" \
            >"$name-$device.json" 2>"$name-$device.log" || is_wrong "$name: $(tail -n 5 "$name-$device.log")"
        sum[$device]=$(field sha256 "$name-$device.json")
        echo "$name on $device: ${sum[$device]}, $(((${EPOCHREALTIME/[.,]/} - start) / 1000)) ms for" \
            "$(field positions "$name-$device.json") positions, $(field games "$name-$device.json") games"
    done
    [[ ${sum[cpu]} && ${sum[cpu]} == "${sum[cuda]}" ]] || is_wrong "$name: other bytes"
}

if asked doctor; then
    ./othello-trainer doctor --json || is_wrong doctor
fi
if asked equality; then
    games data/self-play.games --games 20000 --seed 1 --depth 2 --exact 8
    same lsq fit data/*.games --optimizer lsq --epochs 8
    same adam fit data/*.games --optimizer adam --epochs 2
    same factors fit data/*.games --patterns factors --factors 32/10 --optimizer adam --batch 8192 --epochs 1
fi
if asked all-phases; then
    # Random plies from the start, so that no phase is without positions.
    games many.games --games 400000 --seed 3 --random-plies 0..40 --depth 1 --exact 0
    for optimizer in lsq adam; do
        same all-phases-$optimizer fit many.games --optimizer $optimizer --epochs 2 --window 1,0.5
        [[ $(field positions all-phases-$optimizer-cuda.json) -ge 10000000 ]] || is_wrong "less than 10 million positions"
    done
fi
if asked solves; then
    games ends.games --games 80000 --seed 5 --random-plies 8..20 --depth 1 --exact 0
    games few-ends.games --games 20000 --seed 6 --random-plies 8..20 --depth 1 --exact 0
    # The first one also compiles the kernels.
    same exact-8 relabel few-ends.games --exact 8
    same exact-12 relabel ends.games --exact 12
    same exact-14 relabel few-ends.games --exact 14
fi
if asked memory && ! command -v compute-sanitizer; then
    echo "skipped: memory: no compute-sanitizer"
elif asked memory; then
    games small.games --games 300 --seed 2 --depth 1 --exact 4
    fit="fit small.games --optimizer adam --phases 30..31 --out small.weights --force"
    for tool in memcheck racecheck initcheck; do
        for command in "$fit --epochs 2" "$fit --epochs 1 --patterns factors" \
            "relabel small.games --exact 8 --force --out small-solved.games" "bench --games 1000 --repetitions 1"; do
            # shellcheck disable=SC2086 # words
            compute-sanitizer --tool $tool --error-exitcode 3 ./othello-trainer $command --device cuda >$tool.log 2>&1 ||
                is_wrong "$tool: ${command%% *}: $(tail -n 3 $tool.log)"
        done
        echo "$tool: done"
    done
fi
if asked throughput; then
    for device in cuda cpu; do
        ./othello-trainer bench --device $device --json || is_wrong "bench on $device"
    done
fi
((wrong)) || echo "passed"
exit $wrong
