// Checks the types of the npm package: this file compiles only if they agree with the code.

import { Engine, type Board, type Parts, type Rated, type Searched } from "othello-toolkit";
import type { Answer, Question } from "othello-toolkit/worker";

const engine: Engine = await Engine.load({ weights: "mobility" });
const board: Board = engine.game("f5")[1]!.board;
const found: Searched = engine.search(board, { level: 4 });
const moves: Rated[] = engine.moves(board, { depth: 3, exact: 10, forget: true });
engine.search(board, { level: 4, nodes: 1000, ms: 50 });
const values: number[] = engine.values([board]);
const small: Promise<Engine> = Engine.load({ weights: "small", locateFile: (name) => `https://x/${name}` });
const question: Question = { id: 1, call: "search", args: [board, { level: 4 }] };
const answer = {} as Answer;
const best: string | null = found.best;
const parts: Parts = engine.parts(board);
// @ts-expect-error: no weights of this name
Engine.load({ weights: "smal" });
// @ts-expect-error: not a call
const wrong: Question = { id: 1, call: "vallue", args: [board] };
// @ts-expect-error: a level is a number
engine.search(board, { level: "4" });
// @ts-expect-error: a level or a depth
engine.search(board, { level: 4, depth: 3 });
console.log(values, small, question, answer.error ?? answer.result, wrong, best, moves[0]?.line, parts.instances.length, engine.value(board));
