#!/usr/bin/env bash
# The checks that need a GPU, for a machine that has an NVIDIA GPU with its driver and CUDA (NVRTC, compute-sanitizer),
# but no Rust. Copy this script and the programs of a release there, and run it in an empty folder:
#
#   gpu-check.sh PROGRAMS [GAMES...]      PROGRAMS is the folder of othello-engine and othello-trainer
#
# GAMES are records to fit next to self-play. What it prints is also in result.txt:
#   doctor            what there is
#   equality          GAMES and 10 million positions in all 60 phases by least squares and by Adam, and GAMES with 32
#                     factors, on cpu and on cuda: the same sha256
#   solves            80,000 games of self-play relabelled from 12 empty squares on, and 20,000 from 8 and from 14, on cpu
#                     and on cuda: the same sha256, and the time of both
#   memory            small fits, a small benchmark and small solves under compute-sanitizer (memcheck, racecheck, initcheck): no errors
#   throughput        `bench --device cuda`, and `--device cpu`: residual sums beside their limits
#
# Its exit status is 1 where something is wrong. CHECKS in its environment names those to do (default: all).
set -uo pipefail
PATH=$(realpath "${1:?usage: gpu-check.sh PROGRAMS [GAMES...]}"):$PATH
shift
exec > >(tee result.txt) 2>&1
wrong=0
asked() { [[ " ${CHECKS:-doctor equality solves memory throughput} " == *" $1 "* ]]; }
field() { sed -n "s/.*\"$1\":\"\{0,1\}\([^,\"}]*\).*/\1/p" "$2" | head -n 1; }
is_wrong() { echo "WRONG: $*" && wrong=1; }

# Self-play of the plainest player, if FILE is missing.
games() { # FILE ARGUMENTS...
    [[ -e $1 ]] || othello-engine selfplay --weights mobility --out "$@" >games.log 2>&1 || is_wrong "$(tail -n 1 games.log)"
}

# Runs a command of the trainer on each device; both files have the same sha256.
same() { # NAME COMMAND ARGUMENTS...
    local name=$1 device start
    local -A sum
    shift
    for device in cuda cpu; do
        start=${EPOCHREALTIME/[.,]/}
        othello-trainer "$@" --device $device --force --json --out "$name-$device.$1" \
            >"$name-$device.json" 2>"$name-$device.log" || is_wrong "$name: $(tail -n 5 "$name-$device.log")"
        sum[$device]=$(field sha256 "$name-$device.json")
        echo "$name on $device: ${sum[$device]}, $(((${EPOCHREALTIME/[.,]/} - start) / 1000)) ms for" \
            "$(field positions "$name-$device.json") positions, $(field games "$name-$device.json") games"
    done
    [[ ${sum[cpu]} && ${sum[cpu]} == "${sum[cuda]}" ]] || is_wrong "$name: other bytes"
}

! asked doctor || othello-trainer doctor --json || is_wrong doctor
if asked equality; then
    # Random plies from the start, so that no phase is without positions.
    games many.games --games 400000 --seed 3 --random-plies 0..40 --depth 1 --exact 0
    for optimizer in lsq adam; do
        same $optimizer fit "$@" many.games --optimizer $optimizer --epochs 2 --window 1,0.5
        [[ $(field positions $optimizer-cuda.json) -ge 10000000 ]] || is_wrong "less than 10 million positions"
    done
    games self-play.games --games 20000 --seed 1 --depth 2 --exact 8
    same factors fit "$@" self-play.games --patterns factors --factors 32/10 --optimizer adam --batch 8192 --epochs 1
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
            compute-sanitizer --tool $tool --error-exitcode 3 "$(command -v othello-trainer)" $command --device cuda >$tool.log 2>&1 ||
                is_wrong "$tool: ${command%% *}: $(tail -n 3 $tool.log)"
        done
        echo "$tool: done"
    done
fi
if asked throughput; then
    for device in cuda cpu; do
        othello-trainer bench --device $device --json || is_wrong "bench on $device"
    done
fi
((wrong)) || echo "passed"
exit $wrong
