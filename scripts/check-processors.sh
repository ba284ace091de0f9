#!/usr/bin/env bash
# Checks that one binary gives the same counts, searches, games and weights on several processors: with every
# instruction set of this machine, and under QEMU (qemu-user) as a Nehalem, a Haswell and a Skylake-X. The programs
# in each FOLDER must give the same: those for aarch64 Linux under QEMU (libc6-arm64-cross, libgcc-s1-arm64-cross),
# those for Windows under Wine (wine64).
#
#   scripts/check-processors.sh ENGINE TRAINER [FOLDER...]
#
# QEMU has no AVX-512: its Skylake-X shows that the program chooses a set by the processor's features, not by its name.
# QEMU 7.2 computes several consecutive gathers wrongly, even in a program of ten lines. Therefore the programs under
# QEMU use the evaluation by hand; tables are compared only with the instruction sets of this machine.
set -euo pipefail
engine=$(realpath "${1:?ENGINE}") trainer=$(realpath "${2:?TRAINER}")
mapfile -t others < <([[ $# == 2 ]] || realpath "${@:3}")
cd "$(dirname "$0")/.."
out=$(mktemp -d)
trap '(($? == 0)) || cat "$out/log" >&2; wineserver -k -w 2>/dev/null || true; rm -rf "$out"' EXIT
export WINEDEBUG=-all WINEPREFIX=$out/wine

# Runs what must give the same everywhere; the command is what to run a program by. The first run is the pattern.
compare() { # NAME WEIGHTS COMMAND...
    local expected=$out/$2 search=(--threads 1 --weights "$2" --json) run=("${@:3}")
    rm -f "$out"/here.*
    {
        "${run[@]}" "$engine" perft 8
        "${run[@]}" "$engine" solve datasets/problems/fforum-1-19.obf "${search[@]}"
        "${run[@]}" "$engine" evaluate datasets/problems/fforum-40-42.obf --depth 6 "${search[@]}"
        "${run[@]}" "$engine" selfplay --games 20 --seed 1 --depth 3 --exact 8 "${search[@]}" --out "$out/here.games"
        for optimizer in lsq adam; do
            "${run[@]}" "$trainer" fit "$out/here.games" --device cpu --optimizer $optimizer --patterns small --epochs 3 \
                --threads 1 --out "$out/here.$optimizer.weights" --json
        done
        (cd "$out" && sha256sum here.*)
    } 2>"$out/log" |
        sed -E 's/"(seconds|nps|positions_per_second)":[0-9.e+-]*//g; s/[0-9.]+ s\b.*//; s|'"$out"'||g' >"$out/found"
    [[ -e $expected ]] || cp "$out/found" "$expected"
    cmp "$expected" "$out/found" || { echo "$1: other results than portable" >&2 && exit 1; }
    echo "$1: the same"
}
for weights in embedded mobility; do
    compare "portable, $weights" $weights env OTHELLO_INSTRUCTIONS=portable
done
for set in avx2 avx512; do
    if OTHELLO_INSTRUCTIONS=$set "$engine" perft 1 >/dev/null 2>&1; then
        compare "$set" embedded env OTHELLO_INSTRUCTIONS=$set
    else
        echo "skipped: this processor does not have $set"
    fi
done
if command -v qemu-x86_64 >/dev/null; then
    for processor in Nehalem Haswell Skylake-Server; do
        compare "$processor" mobility qemu-x86_64 -cpu "$processor"
    done
else
    echo "skipped: other processors (apt-get install qemu-user)"
fi

# Wine 8 lacks the library that Rust takes random numbers from. zig, which linked the programs, makes it.
random_for_wine() {
    printf '%s\n' '#include <windows.h>' '#include <ntsecapi.h>' \
        '__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE to, SIZE_T bytes) { return RtlGenRandom(to, bytes); }' \
        >"$out/random.c"
    "${CARGO_TARGET_DIR:-target}/release-tools/bin/python" -m ziglang cc -target x86_64-windows-gnu -shared \
        -o "$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll" "$out/random.c" -ladvapi32
}
for other in "${others[@]}"; do
    engine=$other/othello-engine trainer=$other/othello-trainer name=aarch64 run=(qemu-aarch64 -L /usr/aarch64-linux-gnu)
    [[ ! -e $engine.exe ]] || { engine+=.exe trainer+=.exe name=Windows run=(wine); }
    if ! command -v "${run[0]}" >/dev/null; then
        echo "skipped: $name (apt-get install qemu-user wine)"
        continue
    fi
    [[ $name != Windows ]] || wine "$engine" --version >/dev/null 2>&1 || random_for_wine
    compare $name embedded "${run[@]}"
done
