// The engine for JavaScript: in Node, in Deno, in a browser's worker, by one call each.

import { Program } from "./program.js";

const START = "---------------------------OX------XO--------------------------- X";
const STEPS_PER_DISC = 32;

// The bytes of a file of this package.
async function fileOf(name) {
  const address = new URL(name, import.meta.url);
  if (address.protocol !== "file:") {
    const answer = await fetch(address);
    if (!answer.ok) throw new Error(`${address}: ${answer.status} ${answer.statusText}`);
    return new Uint8Array(await answer.arrayBuffer());
  }
  const { readFile } = await import("node:fs/promises");
  return new Uint8Array(await readFile(address));
}

const inDiscs = ({ steps, line, ...rest }) => ({ value: steps / STEPS_PER_DISC, ...rest, ...(line && { line }) });

export class Engine {
  #program;

  constructor(program, weights) {
    this.#program = program;
    this.weights = weights;
  }

  static async load({ weights } = {}) {
    const module = await WebAssembly.compile(await fileOf("./othello.wasm"));
    const program = new Program(await WebAssembly.instantiate(module));
    if (weights === "mobility" || weights === "none") {
      return new Engine(program, program.ask({ ask: "builtin", name: weights }));
    }
    // The weights that ship are without the counts of training.
    if (weights) return new Engine(program, program.load("weights", new Uint8Array(weights)));
    return new Engine(program, program.load("shipped", await fileOf("./shipped.weights"), "load_part"));
  }

  game(moves = "", start = START) {
    return this.#program.ask({ ask: "game", start, moves });
  }

  value(board) {
    return this.search(board, { depth: 0 }).value;
  }

  search(board, { level, depth, exact, forget = false } = {}) {
    const { line, ...found } = inDiscs(this.#program.ask({ ask: "search", board, ...strength(level, depth, exact), forget }));
    return found;
  }

  moves(board, { level, depth, exact, forget = false } = {}) {
    const how = { ...strength(level, depth, exact), forget };
    const [{ legal }] = this.game("", board);
    const rated = legal.map((square) => inDiscs(this.#program.ask({ ask: "rate", board, square, ...how })));
    return rated
      .map(({ best, ...found }) => ({ move: best, ...found }))
      .sort((one, other) => other.value - one.value);
  }

  parts(board) {
    const { steps, ...parts } = this.#program.ask({ ask: "parts", board });
    return { value: steps / STEPS_PER_DISC, ...parts };
  }
}

// A level, or a depth and the number of empty squares of perfect play; level 10 where nothing is said.
function strength(level, depth, exact) {
  if (level === undefined && depth === undefined && exact === undefined) return { level: 10 };
  if (level !== undefined) return { level, depth, exact };
  return { depth: depth ?? 0, exact: exact ?? 0 };
}
