// The worker thread of one evaluation. It answers questions one after another, and searches moves
// between the questions.

import { HOST, Program, bytesOf } from "./program.js";

let program;
let running = 0;

const pauses = new MessageChannel();
// Returns a promise that resolves after the waiting messages have been handled.
function pause() {
  return new Promise((done) => {
    pauses.port1.onmessage = done;
    pauses.port2.postMessage(null);
  });
}

const handlers = {
  async load({ module, name, bytes, played, builtin }) {
    program = new Program(await WebAssembly.instantiate(module, HOST));
    if (builtin) return program.ask({ ask: "builtin", name: builtin });
    if (bytes) return program.load(name, bytes);
    const begun = performance.now();
    const decoded = await bytesOf(played);
    const read = performance.now();
    const description = program.load(name, decoded, "load_part");
    return { ...description, took: { base64: read - begun, reading: performance.now() - read } };
  },
  counts: async ({ name, counts }) => program.load(name, await bytesOf(counts), "load_counts"),
  ask: async ({ question }) => program.ask(question),
};

// Searches all moves with increasing depth until the level is reached or another task arrives.
async function deepen({ id, board, legal, empties, level }) {
  running = id;
  const { depth, exact } = program.ask({ ask: "level", level });
  const steps = [];
  for (let at = 1; at <= Math.min(depth, empties - 1); at++) steps.push({ depth: at, exact: 0 });
  if (empties <= exact) steps.push({ depth: empties, exact: empties });
  let order = legal;
  for (const step of steps) {
    const rated = [];
    for (const square of order) {
      await pause();
      if (running !== id) return;
      const found = program.ask({ ask: "rate", board, square, level, ...step, forget: false });
      rated.push(found);
      postMessage({ id, rated: found, round: step.depth });
    }
    rated.sort((one, other) => other.steps - one.steps);
    order = rated.map((found) => found.best);
  }
  postMessage({ id, done: true });
}

onmessage = async ({ data }) => {
  const { id, kind } = data;
  try {
    if (kind === "stop") {
      running = 0;
      postMessage({ id, answer: null });
    } else if (kind === "deepen") {
      await deepen(data);
    } else {
      postMessage({ id, answer: await handlers[kind](data) });
    }
  } catch (error) {
    postMessage({ id, error: error.message });
  }
};
