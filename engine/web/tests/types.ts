// Compiles where the types of the package for npm are what its code gives.

import { Engine, type Board, type Parts, type Rated, type Searched } from "othello-toolkit";

const engine: Engine = await Engine.load({ weights: "mobility" });
const board: Board = engine.game("f5")[1]!.board;
const found: Searched = engine.search(board, { level: 4 });
const moves: Rated[] = engine.moves(board, { depth: 3, exact: 10, forget: true });
const best: string | null = found.best;
const parts: Parts = engine.parts(board);
// @ts-expect-error: a level is a number
engine.search(board, { level: "4" });
// @ts-expect-error: a level or a depth
engine.search(board, { level: 4, depth: 3 });
console.log(best, moves[0]?.line, parts.instances.length, engine.value(board));
