#!/usr/bin/env bash
# The checks that take too long for .ci/run: run them by hand, and copy the printed figures to the pages that state them.
#
#   scripts/check-long.sh [SHARED]
#
# SHARED (default: ../shared) is a folder with data/wthor/*.wtb and data/obf/*.obf, which are not
# part of this project; without it, the checks that need it are skipped.
set -euo pipefail
cd "$(dirname "$0")/.."
shared=${1:-../shared}
out=$(mktemp -d) && trap 'rm -rf "$out"' EXIT

cargo build --release
engine=target/release/othello-engine trainer=target/release/othello-trainer
field() { sed "s/.*\"$1\":\"\{0,1\}\([^,\"}]*\).*/\1/"; }
step() { printf '\n== %s\n' "$*"; }

step "perft 11: 212258800, with free passes 212260880"
"$engine" perft 11
"$engine" perft 11 --pass-free

step "unique openings"
"$engine" openings --plies 8 --json

step "the tests with debug assertions, which .ci/run leaves out"
cargo test --workspace --quiet 2>&1 | grep -v "^test result: ok. 0 passed"

step "every command under attack, with two seeds"
for seed in 1 2; do
    scripts/torture.sh attack --seed $seed --files 350 --calls 40 --limits 6 --obstacles 5 --lists 2000 2>"$out/log" | grep -E "^(all|FOUND|no finding)"
done

step "every parser, fuzzed for ${FUZZ_SECONDS:=600} seconds"
if command -v cargo-fuzz >/dev/null && cargo +nightly --version >/dev/null 2>&1; then
    scripts/torture.sh fuzz "$FUZZ_SECONDS"
else
    echo "skipped: no cargo-fuzz, or no nightly toolchain"
fi

step "the examples of the library without the command line"
cargo check -p othello-engine --no-default-features --examples

step "the figures of the published claims"
cargo build --release -p othello-engine --examples
scripts/figures.py run

step "lints of the page, as it is compiled for a browser"
RUSTFLAGS="-C target-feature=+simd128" cargo clippy -p othello-web --target wasm32-unknown-unknown -- -D warnings

step "board, pattern and table code under miri, in the portable build"
if cargo +nightly miri --version >/dev/null 2>&1; then
    # Miri knows no AVX; tests on thousands of random boards would take it hours.
    OTHELLO_INSTRUCTIONS=portable MIRIFLAGS=-Zmiri-disable-isolation CARGO_TARGET_DIR=target/miri \
        cargo +nightly miri test -p othello-core -p othello-engine --no-default-features \
        --features othello-engine/embedded --lib -- \
        board::position board::symmetry board::square board::transcript pattern::set \
        search::table search::window search::ordering 2>"$out/log" | grep "test result"
else
    echo "skipped: no miri (rustup component add --toolchain nightly miri rust-src)"
fi

step "whole games by GTP and NBoard, one thread and two, without incident"
scripts/play-servers.py --engine "$engine" --games "${SERVED_GAMES:=20}" --levels 1,5,10,15 --threads 1,2

step "a release: twice the same bytes, quickstart in a bare Debian in a minute, the packages for npm and Python"
scripts/release.sh --dirty "$out/release"
for archive in "$out"/release/othello-toolkit-*-"$(uname -m)"-unknown-linux-gnu.tar.gz; do
    scripts/check-release.sh "$archive" 2>"$out/log" | tail -n 1
done
scripts/check-npm.sh "$out"/release/othello-toolkit-*.tgz "${engine%/*}" | tail -n 1
scripts/check-python.sh --torch --wheel "$out"/release/othello_toolkit-*_"$(uname -m)".whl "${engine%/*}" 2>"$out/log" |
    tail -n 5
git clone --quiet . "$out/clone"
(cd "$out/clone" && scripts/release.sh "$out/again" >/dev/null)
diff "$out/release/SHA256SUMS" "$out/again/SHA256SUMS" && echo "the same $(wc -l <"$out/again/SHA256SUMS") files"

step "the small recipe by Snakemake, on two cores and on a cluster of one machine"
status=0
scripts/workflow/check.sh "${engine%/*}" || status=$?
case $status in
    0) ;;
    3) echo "skipped: Snakemake could not be installed from PyPI" ;;
    *) exit "$status" ;;
esac

step "one binary on processors of several generations; the programs for aarch64 and for Windows"
mkdir "$out/others"
tar -xzf "$out"/release/othello-toolkit-*-aarch64-unknown-linux-gnu.tar.gz -C "$out/others"
python3 -m zipfile -e "$out"/release/othello-toolkit-*-x86_64-pc-windows-gnu.zip "$out/others"
scripts/check-processors.sh "$engine" "$trainer" "$out"/others/*/bin

step "every crate from its package alone"
scripts/check-packages.sh 2>"$out/log" | tail -n 6

step "quickstart twice: the same sha256, better than mobility"
for run in 1 2; do
    "$trainer" quickstart --seed 7 --out "$out/quickstart-$run" --json 2>"$out/log" >"$out/quickstart-$run.json"
    tail -n 1 "$out/quickstart-$run.json" | field sha256
done
weights=$out/quickstart-1/generation-3.weights openings=$out/quickstart-1/generation-3.openings
"$trainer" match "$weights" mobility --openings "$openings" --pairs 200 --depth 4 --exact 12 2>"$out/log"

step "quickstart prints what the README says"
cargo test --release -p othello-trainer --test integration -- --ignored quickstart 2>"$out/log" | grep "test result"

step "a match against itself is even"
"$trainer" match "$weights" "$weights" --openings "$openings" --pairs 50 2>"$out/log"

step "1 and 2 threads fit the same weights"
for threads in 1 2; do
    "$trainer" fit "$out/quickstart-1/generation-3.games" --threads $threads --out "$out/$threads.weights" --json 2>"$out/log" | field sha256
done

step "phases 12 to 57 beat the mean for each number of discs, on held-out games"
"$trainer" fit "$out/quickstart-1/generation-3.games" --patterns discs --out "$out/discs.weights" --json >"$out/discs.json" 2>"$out/log"
"$trainer" fit "$out/quickstart-1/generation-3.games" --out "$out/patterns.weights" --json >"$out/patterns.json" 2>"$out/log"
python3 - "$out/patterns.json" "$out/discs.json" <<'PYTHON'
import json, sys
patterns, discs = (json.load(open(path))["phases"] for path in sys.argv[1:])
worse = [p["phase"] for p, d in zip(patterns, discs) if 12 <= p["phase"] <= 57 and p["test_mae"] >= d["test_mae"]]
print("worse:", worse or "none")
sys.exit(bool(worse))
PYTHON

step "a fit in a tenth of the memory that its positions take: the same sha256"
"$engine" selfplay --games 300000 --seed 3 --random-plies 6..10 --depth 1 --exact 0 --weights mobility --out "$out/many.games" --json 2>"$out/log"
"$trainer" fit "$out/many.games" --patterns small --epochs 3 --out "$out/roomy.weights" --json 2>"$out/log" >"$out/roomy.json"
field sha256 <"$out/roomy.json"
bytes=$(python3 -c 'import json, sys; print(2 * json.load(open(sys.argv[1]))["positions"])' "$out/roomy.json")
prlimit --data="$bytes" "$trainer" fit "$out/many.games" --threads 1 --memory-mb $((bytes >> 20)) --patterns small --epochs 3 --out "$out/narrow.weights" --json 2>"$out/log" | field sha256

step "the inner loop beside the machine's limit"
"$trainer" bench --json 2>"$out/log"

step "a million board lines on one thread, as fast as 500000 a second, whole process"
python3 - >"$out/boards.txt" <<'PYTHON'
import random
random.seed(1)
boards = set()
while len(boards) < 1_000_000:
    empty = random.randrange(0, 55)
    cells = ["-"] * empty + [random.choice("XO") for _ in range(64 - empty)]
    random.shuffle(cells)
    boards.add("".join(cells))
print(*sorted(boards), sep="\n")
PYTHON
time "$engine" evaluate --threads 1 --json "$out/boards.txt" 2>"$out/log" >"$out/embedded.json"

step "weights built into a binary give the values of their file, without it"
head -n 20000 "$out/boards.txt" >"$out/some.txt"
values() { sed 's/.*\("values":\[[^]]*\]\).*/\1/'; }
"$engine" evaluate "$out/some.txt" --weights "$weights" --json 2>"$out/log" | values >"$out/by-file"
OTHELLO_WEIGHTS=$weights CARGO_TARGET_DIR=$out/target cargo build --release -p othello-engine
mv "$weights" "$out/moved.weights" && cp "$out/target/release/othello-engine" "$out/carried" && rm -r "$out/target"
(cd / && "$out/carried" evaluate "$out/some.txt" --json 2>"$out/log") | values >"$out/by-binary"
cmp "$out/by-file" "$out/by-binary" && echo "the same $(wc -l <"$out/some.txt") values"

step "25 kills of every command: identical results, at most 1.2 times the work, nothing finished done again"
OTHELLO_KILLS=25 cargo test --release --workspace --test kill -- --include-ignored --nocapture --test-threads 1 | grep kills

step "the CUDA kernels, run on the CPU, under AddressSanitizer and UndefinedBehaviorSanitizer"
tests=$(cargo test -p othello-trainer --lib --no-run 2>&1 | sed -n 's/.*Executable.*(\(.*\))/\1/p')
sanitized() {
    OTHELLO_HOST_CFLAGS="-fsanitize=address,undefined -fno-sanitize-recover=undefined" ASAN_OPTIONS=detect_leaks=0 \
        LD_PRELOAD=$(cc -print-file-name=libasan.so) "$tests" "$@"
}
sanitized backend::kernels --skip a_changed_constant --skip tests::cuda
sanitized --ignored a_kernel_that_reads_past_its_rows >"$out/log" 2>&1 && { echo "nobody noticed"; exit 1; }
grep -m 1 heap-buffer-overflow "$out/log"

step "every entry point of the CUDA driver and of NVRTC fails with every error, and at its first and last call"
OTHELLO_FAULTS=all cargo test -p othello-trainer --test integration -- every_entry_point --nocapture 2>&1 |
    grep -E "^(cu|nvrtc|kernel|entry)|test result"

step "registers and spills of the CUDA kernels"
(eval "$(scripts/nvrtc.sh --ptxas)" && "$tests" no_kernel_spills --nocapture 2>&1 | grep -E "Compiling entry|spill|Used|skipped|test result")

if [[ ! -d $shared/data ]]; then
    step "skipped: no $shared/data"
    exit
fi

step "every score of fforum-1-19 and 20-39; without the scores in the file, the same nodes"
for suite in fforum-1-19 fforum-20-39; do
    sed 's/:[+-][0-9]*;/:;/g' "$shared/data/obf/$suite.obf" >"$out/stripped.obf"
    for file in "$shared/data/obf/$suite.obf" "$out/stripped.obf"; do
        "$engine" solve "$file" --json 2>"$out/log" | sed 's/"positions":\[.*\],/"positions":[..],/'
    done
done

step "WTHOR: 129259 games, 413 incomplete"
OTHELLO_SHARED=$(realpath "$shared") cargo test -p othello-trainer --lib -- --ignored wthor_has_the_games | grep "test result"
"$trainer" import wthor "$shared/data/wthor" --out "$out/wthor.games" --json 2>"$out/log"
"$trainer" import wthor "$shared"/data/wthor/WTH_19*.wtb "$shared"/data/wthor/WTH_200*.wtb \
    "$shared"/data/wthor/WTH_201[0-8].wtb --out "$out/before.games" --json 2>"$out/log"
"$trainer" import wthor "$shared"/data/wthor/WTH_2019.wtb "$shared"/data/wthor/WTH_202*.wtb \
    --solved-only --except "$out/before.games" --out "$out/solved.positions" --json 2>"$out/log"

step "20000 games from 16 empties on: how many results change, by how much; 3 shards packed are the same"
"$trainer" sample "$out/wthor.games" --count 20000 --seed 1 --out "$out/20000.games" --json 2>"$out/log"
"$trainer" relabel "$out/20000.games" --exact 16 --out "$out/exact-16.games" 2>"$out/log"
for shard in 1 2 3; do
    "$trainer" relabel "$out/20000.games" --exact 16 --shard $shard/3 --out "$out/packed.games" 2>"$out/log" | tail -n 1
done
"$trainer" pack "$out/packed.games" --clean 2>"$out/log"
cmp "$out/exact-16.games" "$out/packed.games" && echo "the same bytes"

step "exact scores at 24 empties of 200 of them against those that WTHOR states: 0 contradicted"
"$trainer" sample "$out/20000.games" --count 200 --seed 1 --out "$out/200.games" --json 2>"$out/log"
"$trainer" relabel "$out/200.games" --exact 24 --out "$out/exact-24.games" --json 2>"$out/log"

step "fitted to the years before: MAE on those 4884 positions, 5.65 or better"
"$trainer" fit "$out/before.games" --phases 36..36 --out "$out/wthor.weights" 2>"$out/log" >"$out/fit"
"$trainer" loss "$out/wthor.weights" "$out/solved.positions" --max-mae 5.65 2>"$out/log"

step "one fit on cpu with 1 and 2 threads, and through the kernels run on the CPU: one sha256 an optimizer"
for optimizer in lsq adam; do
    for where in "cpu --threads 1" "cpu --threads 2" host; do
        printf '%s, %s: ' "$optimizer" "$where"
        # shellcheck disable=SC2086 # a device and perhaps its flag
        "$trainer" fit "$out/wthor.games" --optimizer $optimizer --device $where --phases 34..37 --window 1,0.5 \
            --epochs 4 --out "$out/same.weights" --force --json 2>"$out/log" | field sha256
    done
done

step "validation error on WTHOR by phase: Adam within 0.5 % of least squares run to convergence; steepest descent beside them"
printf 'patience = 1000\n[least_squares]\nepochs = 120\n' >"$out/converged.toml"
for optimizer in lsq descent adam; do
    settings=(--settings "$out/converged.toml")
    [[ $optimizer != adam ]] || settings=()
    TIMEFORMAT="$optimizer: %U s of processor time"
    time "$trainer" fit "$out/wthor.games" --device cpu --optimizer $optimizer ${settings[@]+"${settings[@]}"} \
        --out "$out/$optimizer.weights" --json 2>"$out/log" >"$out/$optimizer.json"
done
python3 - "$out" <<'PYTHON'
import json, sys
def errors(optimizer):
    by_phase = {}
    lines = open(f"{sys.argv[1]}/{optimizer}.weights.metrics.jsonl")
    next(lines)  # The provenance.
    for line in map(json.loads, lines):
        by_phase.setdefault(line["phase"], []).append(line["validation_mse"])
    return {phase: mses for phase, mses in by_phase.items() if mses[0] is not None}
lsq, descent, adam = map(errors, ["lsq", "descent", "adam"])
print("phase   lsq, last      best  at     adam  at of  beside the last     descent, last")
far = []
for phase, mses in sorted(lsq.items()):
    best, least = min(adam[phase]), min(mses)
    difference = best / mses[-1] - 1
    far += [phase] if difference > 0.005 else []
    print(f"{phase:5}  {mses[-1]:10.3f}{least:10.3f} {mses.index(least) + 1:3}{best:9.3f}{adam[phase].index(best) + 1:4}"
          f"{len(adam[phase]):3}{difference:+13.2%}{descent[phase][-1]:18.3f}")
print("further than 0.5 %:", far or "none")
sys.exit(bool(far))
PYTHON
