#!/usr/bin/env bash
# The checks that take too long for .ci/run: run them by hand, and copy the printed figures to the pages that state them.
#
#   scripts/check-long.sh [SHARED]
#
# SHARED (default: ../shared) is a folder with data/wthor/*.wtb and data/obf/*.obf, which are not
# part of this project; without it, the checks that need it are skipped.
set -euo pipefail
cd "$(dirname "$0")/.."
shared=$(realpath "${1:-../shared}")
out=$(mktemp -d)
# Messages are printed if a step fails.
exec 3>&2 2>>"$out/log"
trap '(($? == 0)) || tail -n 50 "$out/log" >&3; rm -rf "$out"' EXIT

cargo build --release
engine=target/release/othello-engine trainer=target/release/othello-trainer
step() { printf '\n== %s\n' "$*" | tee -a "$out/log"; }
by_phase() { # FIELD A B MOST: in no phase, B's error exceeds MOST times A's; both are what `fit --json` printed.
    python3 -c 'import json, sys
a, b = ({it["phase"]: it[sys.argv[1]] for it in json.load(open(path))["phases"]} for path in sys.argv[2:4])
ratios = {phase: b[phase] / error for phase, error in a.items() if error}
print(*(f"phase {phase}: {ratio:.4f}" for phase, ratio in ratios.items()), sep="\n")
sys.exit(max(ratios.values()) > float(sys.argv[4]))' "$@"
}

step "the tests with debug assertions, which .ci/run leaves out"
cargo test --workspace --quiet 2>&1 | grep -v "^test result: ok. 0 passed"

step "every command under attack, with two seeds"
for seed in 1 2; do
    scripts/torture.sh attack --seed $seed --files 350 --calls 40 --limits 6 --obstacles 5 --lists 2000 |
        grep -E "^(all|FOUND|no finding)"
done

step "every parser, fuzzed for ${FUZZ_SECONDS:=600} seconds"
if ! command -v cargo-fuzz >/dev/null || ! cargo +nightly --version >/dev/null; then
    echo "skipped: no cargo-fuzz, or no nightly toolchain"
else
    scripts/torture.sh fuzz "$FUZZ_SECONDS"
fi

step "the figures of the records: counts, nodes, values, errors, and times within their tolerances"
cargo build --release -p othello-engine --examples
cargo check -p othello-engine --no-default-features --examples
mkdir "$out/data" && ln -s "$shared"/data/{wthor,obf/*} "$out/data"
scripts/figures.py run --all --data "$out/data"

step "lints of the page, as it is compiled for a browser"
RUSTFLAGS="-C target-feature=+simd128" cargo clippy -p othello-web --target wasm32-unknown-unknown -- -D warnings

step "board, pattern and table code under miri, in the portable build"
if cargo +nightly miri --version >/dev/null; then
    # Miri knows no AVX; tests on thousands of random boards would take it hours.
    OTHELLO_INSTRUCTIONS=portable MIRIFLAGS=-Zmiri-disable-isolation CARGO_TARGET_DIR=target/miri \
        cargo +nightly miri test -p othello-core -p othello-engine --no-default-features \
        --features othello-engine/embedded --lib -- \
        board::position board::symmetry board::square board::transcript pattern::set \
        search::table search::window search::ordering | grep "test result"
else
    echo "skipped: no miri (rustup component add --toolchain nightly miri rust-src)"
fi

step "whole games by GTP and NBoard, with one thread and two: no program forfeits"
"$engine" openings --plies 6 --out "$out/six.openings" >/dev/null
for threads in 1 2; do
    for level in 1 5 10 15; do
        for protocol in gtp nboard; do
            server="$protocol:$engine $protocol --level $level --threads $threads"
            "$trainer" match "$server" "$server" --openings "$out/six.openings" --pairs "${SERVED_PAIRS:=10}" \
                --depth "$level" --threads 1 --timeout 600 --fail-if forfeit | grep "before exact play"
        done
    done
done

step "clients end a search that would take years"
answers() { # PROTOCOL SEARCH END: what a server prints in 3 seconds, of which END comes after one.
    { echo "$2" && sleep 1 && echo "$3" && sleep 4; } | timeout 3 "$engine" "$1" --level 60
}
grep -x "= [c-f][3-6]" < <(answers gtp "genmove black" "# interrupt")
grep -x "pong 7" < <(answers nboard "hint 4" "ping 7")

step "a release: twice the same bytes, quickstart in a bare Debian in a minute, the packages for npm and Python"
scripts/release.sh --dirty "$out/release"
for archive in "$out"/release/othello-toolkit-*-"$(uname -m)"-unknown-linux-gnu.tar.gz; do
    scripts/check-release.sh "$archive" | tail -n 1
done
scripts/check-web.sh --npm "$out"/release/othello-toolkit-*.tgz "${engine%/*}" | tail -n 1
scripts/check-python.sh --torch --wheel "$out"/release/othello_toolkit-*_"$(uname -m)".whl "${engine%/*}" | tail -n 5
git clone --quiet . "$out/clone"
(cd "$out/clone" && scripts/release.sh "$out/again" >/dev/null)
diff "$out/release/SHA256SUMS" "$out/again/SHA256SUMS" && echo "the same $(wc -l <"$out/again/SHA256SUMS") files"

step "the small recipe by Snakemake, on two cores and on a cluster of one machine"
scripts/workflow/check.sh "${engine%/*}" || { (($? == 3)) && echo "skipped: no Snakemake from PyPI"; }

step "one binary on processors of several generations; the programs for aarch64 and for Windows"
mkdir "$out/others"
tar -xzf "$out"/release/othello-toolkit-*-aarch64-unknown-linux-gnu.tar.gz -C "$out/others"
python3 -m zipfile -e "$out"/release/othello-toolkit-*-x86_64-pc-windows-gnu.zip "$out/others"
scripts/check-processors.sh "$engine" "$trainer" "$out"/others/*/bin

step "quickstart prints what the README says"
cargo test --release -p othello-trainer --test integration -- --ignored quickstart | grep "test result"

step "the phases 12 to 57 of a fit beat the mean for each number of discs, on held-out games"
"$trainer" quickstart --seed 7 --out "$out/quickstart"
weights=$out/quickstart/generation-3.weights games=$out/quickstart/generation-3.games
fit=("$trainer" fit "$games" --phases 12..57 --json)
"${fit[@]}" --patterns discs --out "$out/discs.weights" >"$out/discs.json"
"${fit[@]}" --out "$out/patterns.weights" >"$out/patterns.json"
by_phase test_mae "$out"/{discs,patterns}.json 1

step "a fit that the system gives no more memory than it was told: the same bytes"
"$engine" selfplay --games 300000 --seed 3 --random-plies 6..10 --depth 1 --exact 0 --weights mobility \
    --out "$out/many.games" --json
fit=("$trainer" fit "$out/many.games" --patterns small --epochs 3 --json)
"${fit[@]}" --out "$out/roomy.weights" >"$out/fit"
prlimit --data=$((330 << 20)) "${fit[@]}" --threads 1 --memory-mb 330 --out "$out/narrow.weights" >"$out/fit"
cmp "$out"/{roomy,narrow}.weights && echo "the same bytes"

step "the inner loop beside the machine's limit"
"$trainer" bench --json

step "a million board lines on one thread, as fast as 500000 a second, whole process"
python3 -c 'import random
random.seed(1)
for number in range(1_000_000):
    empty = number % 55
    discs = random.choices("XO", k=64 - empty)
    print("".join(random.sample(discs + ["-"] * empty, 64)))' >"$out/boards.txt"
{ time "$engine" evaluate --threads 1 --json "$out/boards.txt" >"$out/embedded.json"; } 2>&1

step "weights built into a binary give the values of their file, without it"
head -n 20000 "$out/boards.txt" >"$out/some.txt"
values() { sed 's/.*\("values":\[[^]]*\]\).*/\1/'; }
"$engine" evaluate "$out/some.txt" --weights "$weights" --json | values >"$out/by-file"
OTHELLO_WEIGHTS=$weights CARGO_TARGET_DIR=$out/target cargo build --release -p othello-engine
rm "$weights"
"$out/target/release/othello-engine" evaluate "$out/some.txt" --json | values >"$out/by-binary"
cmp "$out/by-file" "$out/by-binary" && echo "the same $(wc -l <"$out/some.txt") values"

step "25 kills of every command: identical results, at most 1.2 times the work, nothing finished done again"
OTHELLO_KILLS=25 cargo test --release --workspace --test kill -- --include-ignored --nocapture --test-threads 1 | grep kills

step "the CUDA kernels, run on the CPU, under AddressSanitizer and UndefinedBehaviorSanitizer"
tests=$(cargo test -p othello-fit --lib --no-run 2>&1 | sed -n 's/.*Executable.*(\(.*\))/\1/p')
sanitized() {
    OTHELLO_HOST_CFLAGS="-fsanitize=address,undefined -fno-sanitize-recover=undefined" ASAN_OPTIONS=detect_leaks=0 \
        LD_PRELOAD=$(cc -print-file-name=libasan.so) "$tests" "$@"
}
sanitized backend::kernels --skip a_changed_constant --skip tests::cuda
sanitized --ignored a_kernel_that_reads_past_its_rows >"$out/found" 2>&1 && { echo "nobody noticed"; exit 1; }
grep -m 1 heap-buffer-overflow "$out/found"

step "every entry point of the CUDA driver and of NVRTC fails with every error, and at its first and last call"
OTHELLO_FAULTS=all cargo test -p othello-trainer --test integration -- every_entry_point --nocapture 2>&1 |
    grep -E "^(cu|nvrtc|kernel|entry)|test result"

step "registers and spills of the CUDA kernels"
(eval "$(scripts/nvrtc.sh --ptxas)" && "$tests" no_kernel_spills --nocapture 2>&1 |
    grep -E "Compiling entry|spill|Used|skipped|test result")

if [[ ! -d $shared/data ]]; then
    step "skipped: no $shared/data"
    exit
fi

step "validation error on WTHOR by phase: Adam within 0.5 % of least squares run to convergence"
printf 'patience = 1000\n[least_squares]\nepochs = 120\n' >"$out/converged.toml"
"$trainer" import wthor "$shared/data/wthor" --out "$out/wthor.games" --json
fit=("$trainer" fit "$out/wthor.games" --patterns scalars --device cpu --json)
"${fit[@]}" --optimizer lsq --settings "$out/converged.toml" --out "$out/lsq.weights" >"$out/lsq.json"
"${fit[@]}" --optimizer adam --out "$out/adam.weights" >"$out/adam.json"
by_phase validation_mse "$out"/{lsq,adam}.json 1.005
