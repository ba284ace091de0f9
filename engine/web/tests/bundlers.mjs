// Tests the npm package in Chromium: in programs that bundlers build, in a plain module, and in a
// worker. scripts/check-web.sh --npm runs these tests in a folder where the package, the bundlers and
// playwright-core are installed.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import test from "node:test";

import { chromium } from "playwright-core";

import { Engine } from "othello-toolkit";

const BOARD = "--------------------------XX-------XOO-----XOX------------------ O";
const PACKAGE = "node_modules/othello-toolkit";
const MAIN = `import { Engine } from "othello-toolkit";
const engine = await Engine.load();
const found = engine.search("${BOARD}", { depth: 4, forget: true });
document.title = JSON.stringify([engine.value("${BOARD}"), found.value, found.best, found.nodes]);
`;
const IN_WORKER = `const worker = new Worker(new URL("othello-toolkit/worker.js", import.meta.url), { type: "module" });
worker.onmessage = ({ data }) => (document.title = JSON.stringify(data.result ?? data.error));
worker.postMessage({ id: 1, call: "value", args: ["${BOARD}"] });
`;
const TYPES = { html: "text/html", js: "text/javascript", mjs: "text/javascript", wasm: "application/wasm" };

// Serves a folder by a plain web server on a free port. Returns a promise of its address.
function serve(t, folder) {
  const server = createServer((request, answer) => {
    const file = path.join(folder, request.url === "/" ? "index.html" : request.url.split("?")[0]);
    if (!existsSync(file)) return answer.writeHead(404).end();
    answer.setHeader("content-type", TYPES[path.extname(file).slice(1)] ?? "application/octet-stream");
    answer.end(readFileSync(file));
  });
  t.after(() => server.close());
  return new Promise((done) => server.listen(0, "127.0.0.1", () => done(`http://127.0.0.1:${server.address().port}/`)));
}

async function titleOf(t, folder) {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });
  t.after(() => browser.close());
  const shown = await browser.newPage();
  const said = [];
  shown.on("pageerror", (error) => said.push(error.stack));
  await shown.goto(await serve(t, folder));
  await shown.waitForFunction(() => document.title !== "").catch(() => assert.fail(said.join("\n") || "no answer"));
  return JSON.parse(await shown.title());
}

async function expected() {
  const engine = await Engine.load();
  const { value, best, nodes } = engine.search(BOARD, { depth: 4, forget: true });
  return [engine.value(BOARD), value, best, nodes];
}

function project(name, script, source = MAIN) {
  mkdirSync(name, { recursive: true });
  writeFileSync(path.join(name, "index.html"), `<!doctype html><title></title>${script}`);
  writeFileSync(path.join(name, "main.js"), source);
}

function bundle(...command) {
  const run = spawnSync(path.join("node_modules/.bin", command[0]), command.slice(1), { encoding: "utf8" });
  assert.equal(run.status, 0, run.stdout + run.stderr);
}

// Copies the files of the package that some bundlers do not copy.
const copyFiles = (folder) => {
  for (const name of ["othello.wasm", "shipped.weights", "small.weights"]) cpSync(path.join(PACKAGE, name), path.join(folder, name));
};
const BUNDLED = '<script type="module" src="bundle.js"></script>';

test("Vite", async (t) => {
  project("vite", '<script type="module" src="/main.js"></script>');
  bundle("vite", "build", "vite", "--outDir", "../vite-built", "--logLevel", "warn", "--target", "es2022");
  assert.deepEqual(await titleOf(t, "vite-built"), await expected());
});

test("esbuild", async (t) => {
  project("esbuild", BUNDLED);
  bundle("esbuild", "esbuild/main.js", "--bundle", "--format=esm", "--outfile=esbuild/bundle.js", "--log-level=error");
  copyFiles("esbuild");
  assert.deepEqual(await titleOf(t, "esbuild"), await expected());
});

test("Rollup", async (t) => {
  project("rollup", BUNDLED);
  const plugin = ["--plugin", "node-resolve={browser: true}"];
  bundle("rollup", "rollup/main.js", ...plugin, "--format", "es", "--file", "rollup/bundle.js", "--silent");
  copyFiles("rollup");
  assert.deepEqual(await titleOf(t, "rollup"), await expected());
});

test("a plain module with an import map, and the worker", async (t) => {
  const map = { imports: { "othello-toolkit": "./othello-toolkit/index.js" } };
  const script = `<script type="importmap">${JSON.stringify(map)}</script><script type="module" src="main.js"></script>`;
  for (const [name, source, answer] of [["plain", MAIN, await expected()], ["worker", IN_WORKER, (await expected())[0]]]) {
    project(name, script, source);
    cpSync(PACKAGE, path.join(name, "othello-toolkit"), { recursive: true, dereference: true });
    assert.deepEqual(await titleOf(t, name), answer, name);
  }
});
