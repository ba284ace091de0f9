// Tests that values and node counts in the browser are equal to those of the native program.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import test from "node:test";

import { browser, games, native, page, rules, weights } from "./browser.mjs";

const BOARDS = 1000;
const DEPTH = 4;

// Writes boards to a temporary file, which is removed at the end of the test. Returns its path.
function fileOf(t, boards) {
  const folder = mkdtempSync(path.join(tmpdir(), "othello-web-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, "boards.txt");
  writeFileSync(file, boards.join("\n"));
  return file;
}

// Searches moves on the page as the native program did, each from an empty transposition table.
// Also returns the time.
function rate(shown, boards, level, moves) {
  return shown.evaluate(async ([boards, level, moves]) => {
    const module = await WebAssembly.compile(await bytesOf(ENGINE_PROGRAM));
    globalThis.program = new Program(await WebAssembly.instantiate(module, HOST));
    program.load("shipped", await bytesOf(await shippedWeights), "load_part");
    const begun = performance.now();
    const rated = moves.map(({ position, move }) => {
      const question = { ask: "rate", board: boards[position - 1], square: move, level };
      const { steps, nodes, line } = program.ask({ ...question, forget: true });
      return [steps / 32, nodes, line.join("")];
    });
    return { rated, seconds: (performance.now() - begun) / 1000 };
  }, [boards, level, moves]);
}

const expectedOf = (moves) => moves.map(({ value, nodes, line }) => [value, nodes, line]);

test("values and nodes of 1,000 boards are the native program's", async (t) => {
  const positions = games(rules(), 20).flatMap((game) => game.positions);
  const boards = positions.map((position) => position.board).slice(0, BOARDS);
  assert.equal(boards.length, BOARDS);
  const file = fileOf(t, boards);
  const use = ["--weights", weights];
  const expected = {
    static: native("othello-engine", "evaluate", file, ...use).values.map((value) => value * 32),
    deep: native("othello-engine", "evaluate", file, "--depth", DEPTH, ...use).values.map((v) => v * 32),
    moves: native("othello-engine", "hint", file, "--level", DEPTH, "--hash-mb", "16", ...use).moves,
  };

  const shown = await page(await browser(t));
  const { rated } = await rate(shown, boards, DEPTH, expected.moves);
  assert.deepEqual(rated, expectedOf(expected.moves));
  const found = await shown.evaluate(([boards, depth]) => {
    const search = (board, depth) => program.ask({ ask: "search", board, depth, exact: 0, forget: true }).steps;
    return [0, depth].map((at) => boards.map((board) => search(board, at)));
  }, [boards, DEPTH]);
  assert.deepEqual(found, [expected.static, expected.deep]);
  const nodes = rated.reduce((sum, [, own]) => sum + own, 0);
  t.diagnostic(`${BOARDS} boards, ${rated.length} moves at level ${DEPTH}: ${nodes} nodes, all equal`);
  assert.deepEqual(shown.said, []);
});

test("nodes a second, beside the native program", async (t) => {
  const boards = games(rules(), 8).map(({ positions }) => positions[24].board);
  const call = ["hint", fileOf(t, boards), "--level", "9", "--hash-mb", "16", "--threads", "1"];
  const expected = native("othello-engine", ...call, "--weights", weights);
  const shown = await page(await browser(t));
  const { rated, seconds } = await rate(shown, boards, 9, expected.moves);
  assert.deepEqual(rated, expectedOf(expected.moves));
  const speed = (time) => `${(rated.reduce((sum, [, own]) => sum + own, 0) / time / 1e6).toFixed(2)} M`;
  t.diagnostic(`nodes a second at level 9: ${speed(seconds)} in Chromium, ${speed(expected.seconds)} native`);
});
