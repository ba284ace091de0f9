// The engine for JavaScript, except the functions that read its files, which index.js and node.js
// add.

import { HOST, Program } from "./program.js";

const START = "---------------------------OX------XO--------------------------- X";
const STEPS_PER_DISC = 32;
const LIMITS = ["level", "depth", "exact", "nodes", "ms"];

const inDiscs = ({ steps, line, ...rest }) => ({ value: steps / STEPS_PER_DISC, ...rest, ...(line && { line }) });

// Compiles the WebAssembly module that `readFile("othello.wasm")` returns, and loads weights. The
// weights of the package are also read by `readFile`.
export async function load(Engine, readFile, weights = "shipped") {
  if (!isWeights(weights)) {
    throw new TypeError(`weights: ${shown(weights)} is not weights; expected the bytes of a weights file ` +
      `(ArrayBuffer or Uint8Array), ${NAMES.map(shown).join(", ")}`);
  }
  const module = await WebAssembly.compile(await readFile("othello.wasm"));
  const program = new Program(await WebAssembly.instantiate(module, HOST));
  if (typeof weights !== "string") return new Engine(program, program.load("weights", new Uint8Array(weights)));
  if (!FILES.includes(weights)) return new Engine(program, program.ask({ ask: "builtin", name: weights }));
  // The weights files of the package have no training counts.
  return new Engine(program, program.load(weights, await readFile(`${weights}.weights`), "load_part"));
}

const FILES = ["shipped", "small"];
const NAMES = [...FILES, "mobility", "none"];
const isWeights = (it) => it instanceof ArrayBuffer || it instanceof Uint8Array || NAMES.includes(it);
const shown = (value) => (typeof value === "string" ? `"${value}"` : String(value));

export class BaseEngine {
  #program;

  constructor(program, weights) {
    this.#program = program;
    this.weights = weights;
  }

  game(moves = "", start = START) {
    return this.#program.ask({ ask: "game", start, moves });
  }

  value(board) {
    return this.values([board])[0];
  }

  values(boards) {
    if (!Array.isArray(boards)) throw new TypeError(`boards: ${shown(boards)} is not an array of boards`);
    return this.#program.ask({ ask: "values", boards }).map((steps) => steps / STEPS_PER_DISC);
  }

  search(board, settings = {}) {
    const { line, ...found } = inDiscs(this.#program.ask({ ask: "search", board, ...strength(settings) }));
    return found;
  }

  moves(board, settings = {}) {
    const how = strength(settings);
    const [{ legal, passed }] = this.game("", board);
    const rated = (passed ? [] : legal).map((square) => inDiscs(this.#program.ask({ ask: "rate", board, square, ...how })));
    return rated
      .map(({ best, ...found }) => ({ move: best, ...found }))
      .sort((one, other) => other.value - one.value);
  }

  parts(board) {
    const { steps, ...parts } = this.#program.ask({ ask: "parts", board });
    return { value: steps / STEPS_PER_DISC, ...parts };
  }
}

// Checks the settings of a search and adds defaults. The settings have a level, or a depth and the
// number of empty squares at or below which the search is exact. The default is level 10.
function strength({ forget = false, ...settings }) {
  for (const [name, value] of Object.entries(settings)) {
    if (!LIMITS.includes(name)) throw new TypeError(`${name} is not a setting; expected ${LIMITS.join(", ")} or forget`);
    if (value === undefined) delete settings[name];
    else if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${name}: ${shown(value)} is not a whole number`);
  }
  if (typeof forget !== "boolean") throw new TypeError(`forget: ${shown(forget)} is not true or false`);
  const { level, depth, exact } = settings;
  if (level === undefined && depth === undefined && exact === undefined) return { level: 10, ...settings, forget };
  if (level === undefined) return { depth: 0, exact: 0, ...settings, forget };
  if (depth !== undefined || exact !== undefined) throw new TypeError("level: cannot be combined with depth or exact");
  return { ...settings, forget };
}

// Returns a handler of messages { id, call, args }, in which `call` is "load" or a method of the
// engine. The handler passes its answers to `post`.
export function answers(Engine, post) {
  let engine;
  return async ({ id, call, args = [] }) => {
    try {
      if (call === "load") engine = Engine.load(...args);
      const loaded = await (engine ??= Engine.load());
      if (!METHODS.includes(call)) throw new TypeError(`call: ${shown(call)} is not a call; expected ${METHODS.join(", ")}`);
      post({ id, result: call === "load" ? loaded.weights : loaded[call](...args) });
    } catch (error) {
      post({ id, error: error.message });
    }
  };
}

const METHODS = ["load", "game", "value", "values", "search", "moves", "parts"];
