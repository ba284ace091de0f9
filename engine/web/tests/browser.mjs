// Opens the page in a headless browser. Any output on the browser's console is an error.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import path from "node:path";

import { HOST, Program } from "../page/program.js";

export const repository = path.resolve(import.meta.dirname, "../../..");
const needed = (name) => process.env[name] ?? assert.fail(`${name} is not set: call scripts/check-web.sh`);

export const conformance = path.join(repository, "datasets/conformance/conformance.weights");
export const weights = path.join(repository, "engine/weights/default.weights");
const require = createRequire(path.join(needed("WEB_CHECK"), "/"));
const { chromium } = require("playwright-core");

// Runs one of the native programs with `--json`, and returns its JSON output.
export function native(name, ...args) {
  const program = path.join(needed("OTHELLO_PROGRAMS"), name);
  const run = spawnSync(program, [...args, "--json"], { encoding: "utf8", maxBuffer: 1 << 28 });
  assert.equal(run.status, 0, run.stderr || String(run.error));
  return JSON.parse(run.stdout);
}

// Returns the engine's WebAssembly program from the page, for the rules of the game.
export function rules() {
  const script = readFileSync(path.join(needed("OTHELLO_PAGE"), "page.js"), "utf8");
  const [, base64] = script.match(/ENGINE_PROGRAM = "([^"]*)"/);
  return new Program(new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(base64, "base64")), HOST));
}

export const launched = () => chromium.launch({ executablePath: needed("CHROMIUM"), args: ["--no-sandbox"] });

// Opens a browser, which is closed at the end of `test`.
export async function browser(test) {
  const opened = await launched();
  test.after(() => opened.close());
  return opened;
}

// Opens the page from a file on the disk, as a user does who has copied the folder.
export async function page(opened, { address = "", ready = true, ...options } = {}) {
  const file = path.join(needed("OTHELLO_PAGE"), "index.html");
  const shown = await open(opened, file, options, address);
  if (ready) await shown.waitForSelector("html[data-ready]", { timeout: 60_000 });
  return shown;
}

export async function open(opened, file, options = {}, address = "") {
  const context = await opened.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const shown = await context.newPage();
  shown.said = [];
  shown.on("console", (message) => shown.said.push(message.text()));
  shown.on("pageerror", (error) => shown.said.push(error.stack));
  shown.on("request", (request) => {
    if (!/^(file|blob|data):/.test(request.url())) shown.said.push(`asked for ${request.url()}`);
  });
  await shown.goto(`${pathToFileURL(file)}${address}`);
  return shown;
}

// Simulates that the user drops a file on the page.
export async function drop(shown, name, bytes) {
  const base64 = Buffer.from(bytes).toString("base64");
  await shown.evaluate(
    async ([name, base64]) => {
      const data = new DataTransfer();
      data.items.add(new File([await bytesOf(base64)], name));
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true }));
    },
    [name, base64],
  );
}

// Returns the positions of random games: [{board, legal, over, passed}, …] for each game. Every
// call returns the same games.
export function games(program, count) {
  let seed = 20260801;
  const below = (bound) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * bound);
  };
  return Array.from({ length: count }, () => {
    let moves = "";
    for (;;) {
      const start = "---------------------------OX------XO--------------------------- X";
      const positions = program.ask({ ask: "game", start, moves });
      const { legal, over } = positions.at(-1);
      if (over) return { moves: moves.match(/../g), positions };
      moves += legal[below(legal.length)];
    }
  });
}
