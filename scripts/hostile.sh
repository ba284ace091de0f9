#!/usr/bin/env bash
# Attacks the programs from outside, and prints counts and what it found: random kills of every command that
# writes, damaged and forged files of every kind, failing calls of the system, faults at every write, rename and map
# (where strace is installed), limits on memory and on the size of files, pipes, devices, links and huge files where
# outputs belong, programs in a match that leave others behind, names with markup, hostile lists of arguments.
#
#   scripts/hostile.sh [--profile PROFILE] [OPTIONS...]      a small round, a few minutes on an idle machine
#   scripts/hostile.sh --kills 20 --files 700 --calls 100 --faults 40 --limits 30 --beside 20 --lists 5000 --seed 2
#
# Needs Linux and a C compiler. The options are those of engine/testing/src/bin/hostile/main.rs. Exit status 1 where
# it found something; files that showed it stay in ${TMPDIR:-/tmp}/othello-hostile.
set -euo pipefail
cd "$(dirname "$0")/.."
profile=release
if [[ ${1-} == --profile ]]; then
    profile=$2 && shift 2
fi
cargo build --profile "$profile" --workspace --bins
binaries=${CARGO_TARGET_DIR:-target}/${profile/#dev/debug}
library=$binaries/libfail.so
cc -O1 -shared -fPIC -o "$library" engine/testing/src/bin/hostile/fail.c -ldl
"$binaries/hostile" --binaries "$binaries" --library "$library" "$@"
