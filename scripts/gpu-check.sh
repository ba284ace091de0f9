#!/usr/bin/env bash
# The checks that need a GPU: release binaries on a machine that has an NVIDIA GPU with its driver and CUDA
# (NVRTC, compute-sanitizer), but no Rust; one JSON object comes back.
#
#   scripts/gpu-check.sh HOST [GAMES...]          by ssh and scp; HOST `local` is this machine
#   scripts/gpu-check.sh --pack FOLDER [GAMES...] the folder to carry there by other means: run its check.sh, and
#                                                 read its result.json
#
# GAMES are records to fit (default: self-play made there, small). check.sh does:
#   doctor            what there is
#   equality          GAMES by least squares, by Adam and with 32 factors, on cpu and on cuda: the same sha256
#   all phases        10 million positions in all 60 phases, 2 epochs on cpu and on cuda: the same sha256
#   solves            80,000 games of self-play relabelled from 12 empty squares on, and 20,000 from 8 and from 14, on cpu
#                     and on cuda: the same sha256, and the time of both
#   memory            small fits, a small benchmark and small solves under compute-sanitizer (memcheck, racecheck, initcheck): no errors
#   throughput        `bench --device cuda`, and `--device cpu`: residual sums beside their limits
#
# Exit status 1 where something is wrong. CHECKS in the environment of check.sh names those to do (default: all).
set -euo pipefail
cd "$(dirname "$0")/.."
usage='usage: scripts/gpu-check.sh HOST|--pack FOLDER [GAMES...]'
host=${1:?$usage}
shift
if [ "$host" = --pack ]; then
    here=${1:?$usage}
    shift
    mkdir -p "$here/gpu-check"
else
    here=$(mktemp -d) && trap 'rm -rf "$here"' EXIT
    mkdir "$here/gpu-check"
fi

# Instruction sets are chosen, and CUDA is loaded, at run time: there, not here. The weights inside are not needed.
OTHELLO_WEIGHTS=$PWD/datasets/conformance/conformance.weights CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}/gpu-check \
    cargo build --release --bin othello-engine --bin othello-trainer >&2
for program in othello-engine othello-trainer; do
    strip -o "$here/gpu-check/$program" "${CARGO_TARGET_DIR:-target}/gpu-check/release/$program"
done
mkdir -p "$here/gpu-check/data"
[ $# -eq 0 ] || cp "$@" "$here/gpu-check/data/"
cp scripts/gpu-check/check.sh "$here/gpu-check/"
[ "$host" != --pack ] || exit 0

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
