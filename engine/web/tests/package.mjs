// Compares the npm package, which is installed next to this file, with the native program.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import test from "node:test";
import { Worker } from "node:worker_threads";

import { Engine } from "othello-toolkit";

const native = (...asked) =>
  JSON.parse(execFileSync(path.join(process.env.OTHELLO_PROGRAMS, "othello-engine"), [...asked, "--json"], { stdio: ["ignore", "pipe", "ignore"] }));
// A board on which white must pass, because all discs of black are in corners.
const PASS = `XO------${"-".repeat(48)}XO------ O`;
const MOVES = "f5d6c3d3c4f4c5b3c2e6c6b4b5d2e3a6";

test("values, moves and nodes are the native program's", async () => {
  const engine = await Engine.load();
  const boards = engine.game(MOVES).map(({ board }) => board);
  assert.equal(boards.length, MOVES.length / 2 + 1);
  writeFileSync("boards.txt", boards.join("\n"));
  assert.deepEqual(boards.map((board) => engine.value(board)), native("evaluate", "boards.txt").values);
  const deep = native("evaluate", "boards.txt", "--depth", "5").values;
  assert.deepEqual(boards.map((board) => engine.search(board, { depth: 5, forget: true }).value), deep);
  const hints = native("hint", "boards.txt", "--level", "4", "--hash-mb", "16").moves;
  const found = boards.flatMap((board, at) =>
    engine.moves(board, { level: 4, forget: true }).map(({ move, value, nodes }) => [at + 1, move, value, nodes].join()));
  assert.deepEqual(found.sort(), hints.map(({ position, move, value, nodes }) => [position, move, value, nodes].join()).sort());
  const file = readFileSync("node_modules/othello-toolkit/shipped.weights");
  assert.equal(engine.weights.identity, createHash("sha256").update(file).digest("hex"));
});

test("small weights are a weights file of the native program, at most a tenth of the shipped ones", async () => {
  const engine = await Engine.load({ weights: "small" });
  const [small, shipped] = ["small", "shipped"].map((name) => `node_modules/othello-toolkit/${name}.weights`);
  assert.ok(readFileSync(small).length * 10 < readFileSync(shipped).length);
  const boards = engine.game(MOVES).map(({ board }) => board);
  writeFileSync("boards.txt", boards.join("\n"));
  assert.deepEqual(engine.values(boards), native("evaluate", "boards.txt", "--weights", small).values);
  assert.ok(engine.search(boards[9], { level: 4 }).depth >= 4);
});

test("files may lie elsewhere", async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), "othello-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const asked = [];
  const locateFile = (name) => {
    cpSync(path.join("node_modules/othello-toolkit", name), path.join(folder, name));
    asked.push(name);
    return path.join(folder, name);
  };
  await Engine.load({ weights: "small", locateFile });
  assert.deepEqual(asked, ["othello.wasm", "small.weights"]);
});

test("a search ends in its time", async () => {
  const engine = await Engine.load({ weights: "small" });
  const { board } = engine.game(MOVES.slice(0, 20)).at(-1);
  const begun = performance.now();
  const found = engine.search(board, { depth: 40, ms: 200 });
  assert.ok(performance.now() - begun < 2000);
  assert.ok(found.depth < 40 && found.best !== null);
  // The time limit of an earlier search does not apply to the next search.
  assert.equal(engine.search(board, { depth: 6, forget: true }).depth, 6);
});

test("a worker thread of Node answers", async (t) => {
  const worker = new Worker(new URL(import.meta.resolve("othello-toolkit/worker")));
  t.after(() => worker.terminate());
  const ask = (question) => new Promise((done) => {
    worker.once("message", done);
    worker.postMessage(question);
  });
  const engine = await Engine.load({ weights: "small" });
  const { board } = engine.game("f5d6")[2];
  const { id, result } = await ask({ id: 1, call: "load", args: [{ weights: "small" }] });
  assert.deepEqual([id, result.identity], [1, engine.weights.identity]);
  assert.deepEqual(await ask({ id: 2, call: "value", args: [board] }), { id: 2, result: engine.value(board) });
  assert.match((await ask({ id: 3, call: "vallue" })).error, /"vallue" is not a call; expected load, game, value/);
});

test("the parts of a value add up to it, also with factors", async () => {
  const engine = await Engine.load();
  const moves = "c4c5b6d3c2a7d6c3b3e3c6b4f6d2a3e2f5a5a6c1f3a4f1e6b5e7a8f4f2d7g4b7d1g6g5";
  const boards = engine.game(moves).filter(({ over }) => !over).map(({ board }) => board);
  const values = engine.values(boards);
  assert.deepEqual(values, boards.map((board) => engine.value(board)));
  boards.forEach((board, at) => {
    const { instances, scalars, factors, value } = engine.parts(board);
    const sum = [...instances, ...scalars].reduce((sum, { discs }) => sum + discs, factors);
    assert.equal(Math.min(64, Math.max(-64, sum)), value);
    assert.equal(value, values[at]);
  });
});

test("a side that must pass has no moves", async () => {
  const engine = await Engine.load({ weights: "mobility" });
  const [{ passed, legal }] = engine.game("", PASS);
  assert.ok(passed && legal.length > 0);
  assert.deepEqual(engine.moves(PASS), []);
  assert.equal(engine.search(PASS, { depth: 2 }).best, null);
});

test("an evaluation by hand, and what is refused", async () => {
  const engine = await Engine.load({ weights: "mobility" });
  assert.equal(engine.weights.identity, "mobility");
  assert.throws(() => engine.game("a1"), /a1/);
  assert.throws(() => engine.search("no board"));
  const board = engine.game()[0].board;
  for (const [settings, expected] of [
    [{ depth: 100 }, /depth is 100; expected 0 to 60/],
    [{ exact: 61 }, /exact is 61; expected 0 to 60/],
    [{ depth: 6, level: 3 }, /cannot be combined/],
    [{ level: null }, /level: null is not a whole number/],
    [{ level: 61 }, /level is 61; expected 1 to 60/],
    [{ nodes: 0 }, /nodes is 0; expected at least 1/],
    [{ depth: 3, ms: 0 }, /ms is 0; expected at least 1/],
    [{ ms: "5" }, /ms: "5" is not a whole number/],
    [{ forget: 1 }, /forget: 1 is not true or false/],
    [{ depth: 1.5 }, /depth: 1.5 is not a whole number/],
    [{ dept: 3 }, /dept is not a setting/],
  ]) {
    assert.throws(() => engine.search(board, settings), expected);
    assert.throws(() => engine.moves(board, settings), expected);
  }
  assert.equal(engine.value("f5d6c3"), engine.value(engine.game("f5d6c3").at(-1).board));
  assert.throws(() => engine.value("f5d"), /^Error: `d` is not a square; expected a1 to h8/);
  assert.throws(() => engine.values(board), /is not an array of boards/);
  assert.throws(() => engine.values([board, "f5d"]), /^Error: boards\[1\]: `d` is not a square/);
  assert.throws(() => engine.value("X-"), /^Error: the board has 2 squares/);
  assert.ok(engine.search(board, { depth: 30, nodes: 50_000 }).nodes < 200_000);
  await assert.rejects(Engine.load({ weights: new Uint8Array(100) }));
  await assert.rejects(Engine.load({ weights: "/x.weights" }), /expected the bytes of a weights file/);
});

test("a program in CommonJS loads the package too", async () => {
  writeFileSync("common.cjs", 'import("othello-toolkit").then(({ Engine }) => Engine.load({ weights: "none" })).then((it) => console.log(it.weights.name));');
  assert.equal(execFileSync(process.execPath, ["common.cjs"], { encoding: "utf8" }), "none\n");
});
