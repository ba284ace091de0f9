#!/usr/bin/env bash
# Tables alone from games of self-play, as a companion of the shipped weights: a smaller file, without factors,
# for programs that have no place for these.
#
#   scripts/companion.sh OUT.weights GAMES...
#
# GAMES have the values of the searches that chose the moves. PATTERNS (default: standard, which are Egaroucid's,
# too) is another set, and BINARIES a folder of programs to take in place of a build. What was made on the way is
# kept beside OUT, and not made again. At the end, the errors on the validation half of the strong test, beside
# those of the shipped weights.
set -euo pipefail
out=$(realpath -m "${1:?usage: scripts/companion.sh OUT.weights GAMES...}")
shift
games=$(realpath -e "$@")
cd "$(dirname "$0")/.."
if [[ -z ${BINARIES:-} ]]; then
    cargo build --release --bins
    BINARIES=$PWD/target/release
fi
trainer() { "$BINARIES/othello-trainer" "$@"; }

# shellcheck disable=SC2086 # one word for each file
trainer fit $games --patterns "${PATTERNS:-standard}" --labels "all:exact, all:lambda0.9" --optimizer adam --epochs 6 \
    --out "$out.fitted.weights"
trainer calibrate ordering "$out.fitted.weights" --out "$out.ordered.weights"
trainer calibrate probcut "$out.ordered.weights" --out "$out.selective.weights"
trainer quantize "$out.selective.weights" --out "$out"
for weights in "$out" embedded; do
    trainer loss "$weights" datasets/benchmark/strong.validation.games --labels all:exact --phases 36..47
done
