// The package for npm, installed beside this file, against the native program.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import test from "node:test";

import { Engine } from "othello-toolkit";

const native = (...asked) =>
  JSON.parse(execFileSync(path.join(process.env.OTHELLO_PROGRAMS, "othello-engine"), [...asked, "--json"], { stdio: ["ignore", "pipe", "ignore"] }));
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
  assert.equal(engine.weights.identity, native("weights").sha256);
});

test("an evaluation by hand, and what is refused", async () => {
  const engine = await Engine.load({ weights: "mobility" });
  assert.equal(engine.weights.identity, "mobility");
  assert.throws(() => engine.game("a1"), /a1/);
  assert.throws(() => engine.search("no board"));
  await assert.rejects(Engine.load({ weights: new Uint8Array(100) }));
});
