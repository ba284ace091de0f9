#!/usr/bin/env bash
# The checks that need a GPU, for a machine that has an NVIDIA GPU with its driver and CUDA (NVRTC,
# compute-sanitizer), but no Rust. Makes a folder with release binaries to carry there:
#
#   scripts/gpu-check.sh FOLDER [GAMES...]
#   scp -r FOLDER HOST: && ssh HOST FOLDER/check.sh
#
# GAMES are records to fit next to self-play. check.sh does, and also writes what it prints to result.txt:
#   doctor            what there is
#   equality          GAMES by least squares, by Adam and with 32 factors, on cpu and on cuda: the same sha256
#   all-phases        10 million positions in all 60 phases, 2 epochs on cpu and on cuda: the same sha256
#   solves            80,000 games of self-play relabelled from 12 empty squares on, and 20,000 from 8 and from 14, on cpu
#                     and on cuda: the same sha256, and the time of both
#   memory            small fits, a small benchmark and small solves under compute-sanitizer (memcheck, racecheck, initcheck): no errors
#   throughput        `bench --device cuda`, and `--device cpu`: residual sums beside their limits
#
# Its exit status is 1 where something is wrong. CHECKS in its environment names those to do (default: all).
set -euo pipefail
here=$(realpath -m "${1:?usage: scripts/gpu-check.sh FOLDER [GAMES...]}")
mkdir -p "$here/data"
[[ $# == 1 ]] || cp "${@:2}" "$here/data/"
cd "$(dirname "$0")/.."
cp scripts/gpu-check/check.sh "$here/"
# Instruction sets are chosen, and CUDA is loaded, at run time: there, not here. The weights inside are not needed.
export OTHELLO_WEIGHTS=$PWD/datasets/conformance/conformance.weights CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}/gpu-check
cargo build --release --bin othello-engine --bin othello-trainer
for program in othello-engine othello-trainer; do
    strip -o "$here/$program" "$CARGO_TARGET_DIR/release/$program"
done
