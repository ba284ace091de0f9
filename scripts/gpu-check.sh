#!/usr/bin/env bash
# The checks that need a GPU, for a machine that has an NVIDIA GPU with its driver and CUDA (NVRTC, compute-sanitizer),
# but no Rust. Copy this script and the programs of a release there, and run it in an empty folder:
#
#   gpu-check.sh PROGRAMS [GAMES...]      PROGRAMS is the folder of othello-engine and othello-trainer
#
# GAMES are records to fit next to self-play. What it prints is also in result.txt:
#   doctor            what there is
#   equality          GAMES and 10 million positions in all 60 phases by least squares and by Adam, and GAMES with 16 to
#                     128 factors, on cpu, on cuda and, if there are two GPUs, on both: the same sha256
#   solves            80,000 games of self-play relabelled from 12 empty squares on, and 20,000 from 8 and from 14, on cpu
#                     and on cuda: the same sha256, and the time of both
#   memory            small fits, a small benchmark and small solves under compute-sanitizer (memcheck, racecheck, initcheck): no errors
#   throughput        `bench --device cuda`, and `--device cpu`: residual sums beside their limits
#   compare           fits on the GPU and on all cores of the CPU: optimizer, time and errors of a fit without flags and of
#                     one with 32 factors, as a table
#   factors           positions a second of fits with 32, 64 and 128 factors: two epochs by the clock, without the rest
#   tests             the tests of the kernels on the GPU, if PROGRAMS has their program as kernel-tests (where there is
#                     Rust, `cargo test --release -p othello-fit --lib --no-run` builds it)
#   profile           time in kernels and in the driver, of an epoch with 32 factors (needs nsys)
#   instructions      registers and spills, and instructions, of the kernels of the last fits (needs ptxas and nvdisasm)
#
# Its exit status is 1 where something is wrong. CHECKS in its environment names those to do (default: all).
set -uo pipefail
PATH=$(realpath "${1:?usage: gpu-check.sh PROGRAMS [GAMES...]}"):$PATH
shift
exec > >(tee result.txt) 2>&1
wrong=0
asked() { [[ " ${CHECKS:-doctor equality solves memory throughput compare factors tests profile instructions} " == *" $1 "* ]]; }
field() { sed -n "s/.*\"$1\":\"\{0,1\}\([^,\"}]*\).*/\1/p" "$2" | head -n 1; }
is_wrong() { echo "WRONG: $*" && wrong=1; }

# Self-play of the plainest player, if FILE is missing.
games() { # FILE ARGUMENTS...
    [[ -e $1 ]] || othello-engine selfplay --weights mobility --out "$@" >games.log 2>&1 || is_wrong "$(tail -n 1 games.log)"
}

devices="cuda cpu"
[[ ${CUDA_VISIBLE_DEVICES-,} != *,* || $(nvidia-smi -L 2>/dev/null | grep -c ^GPU) -lt 2 ]] || devices="cuda cuda:0,1 cpu"

# Runs a command of the trainer on each device; all files have the same sha256.
same() { # NAME COMMAND ARGUMENTS...
    local name=$1 device start
    local -A sum
    shift
    for device in $devices; do
        start=${EPOCHREALTIME/[.,]/}
        othello-trainer "$@" --device "$device" --force --json --out "$name-$device.$1" \
            >"$name-$device.json" 2>"$name-$device.log" || is_wrong "$name: $(tail -n 5 "$name-$device.log")"
        sum[$device]=$(field sha256 "$name-$device.json")
        [[ ${sum[$device]} && ${sum[$device]} == "${sum[cuda]}" ]] || is_wrong "$name on $device: other bytes"
        echo "$name on $device: ${sum[$device]}, $(((${EPOCHREALTIME/[.,]/} - start) / 1000)) ms for" \
            "$(field positions "$name-$device.json") positions, $(field games "$name-$device.json") games"
    done
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
    for factors in 16 32 64 128; do
        same factors-$factors fit "$@" self-play.games --patterns factors --factors $factors/10 --batch 8192 --epochs 1
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
if asked compare; then
    games training.games --games 200000 --seed 7 --depth 2 --exact 8
    printf '%-26s %-6s %-9s %8s %15s %9s\n' fit device optimizer seconds validation-mae test-mae
    for fit in "" "--factors 32/10 --epochs 3"; do
        for device in cuda cpu; do
            # shellcheck disable=SC2086 # words
            othello-trainer fit training.games $fit --device $device --force --json --out compare.weights \
                >compare.json 2>compare.log || is_wrong "compare: $(tail -n 3 compare.log)"
            printf '%-26s %-6s %-9s %8.1f %15.4f %9.4f\n' "${fit:-without flags}" $device "$(field optimizer compare.json)" \
                "$(field seconds compare.json)" "$(field validation_mae compare.json)" "$(field test_mae compare.json)" || is_wrong "compare: no errors"
        done
    done
fi
if asked factors; then
    games plain.games --games 700000 --seed 3 --depth 1 --exact 0
    for factors in 32 64 128; do
        fit="fit plain.games --batch 8192 --device cuda --force --json"
        # The first fit also compiles the kernels, and makes the weights from which the others start.
        rm -f start-$factors.weights
        for epochs in 1 1 3; do
            out=factors set="--init start-$factors.weights"
            [[ -e start-$factors.weights ]] || out=start-$factors set="--patterns factors --factors $factors/10"
            # shellcheck disable=SC2086 # words
            othello-trainer $fit $set --epochs $epochs --out $out.weights >factors-$epochs.json 2>factors.log ||
                is_wrong "factors: $(tail -n 3 factors.log)"
        done
        awk -v factors=$factors -v one="$(field seconds factors-1.json)" -v three="$(field seconds factors-3.json)" \
            -v positions="$(field positions factors-3.json)" 'BEGIN {
                printf "%s factors: %s positions, 1 epoch %.1f s, 3 epochs %.1f s: ", factors, positions, one, three
                printf "%.1f million positions/s\n", 2 * positions / (three - one) / 1e6 }' || is_wrong "factors: no time"
    done
fi
programs=${PATH%%:*}
if asked tests && [[ ! -e $programs/kernel-tests ]]; then
    echo "skipped: tests: no kernel-tests"
elif asked tests; then
    "$programs/kernel-tests" --test-threads 1 kernels::tests::cuda || is_wrong "tests of the kernels"
fi
if asked profile && ! command -v nsys; then
    echo "skipped: profile: no nsys"
elif asked profile; then
    games plain.games --games 700000 --seed 3 --depth 1 --exact 0
    nsys profile --trace cuda --stats true --force-overwrite true --output profile othello-trainer fit plain.games \
        --patterns factors --factors 32/10 --batch 8192 --epochs 1 --phases 30..39 --device cuda --force --out profile.weights ||
        is_wrong profile
fi
if asked instructions && ! command -v ptxas nvdisasm; then
    echo "skipped: instructions: no ptxas or nvdisasm"
elif asked instructions; then
    for ptx in "${XDG_CACHE_HOME:-$HOME/.cache}"/othello-trainer/*.ptx; do
        for architecture in sm_80 sm_90; do
            rm -f kernels.cubin
            ptxas -v -arch $architecture "$ptx" -o kernels.cubin 2>&1 | sed -n "s/.*entry function '\([^']*\)'.*/\1/p
                s/.*\(Used [0-9]* registers\).*/\1/p; /spill/s/^ *//p" | paste - - - | sed "s/^/$architecture /"
            nvdisasm -c kernels.cubin 2>/dev/null | awk -v architecture=$architecture '/^\.text\./ { kernel = $1 }
                kernel && /^ *\/\*[0-9a-f]+\*\/ / { count[kernel]++ }
                END { for (kernel in count) print architecture, kernel, count[kernel], "instructions" }'
        done
    done
fi
((wrong)) || echo "passed"
exit $wrong
