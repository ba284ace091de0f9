// A worker with an engine, so that a page does not wait for searches: new Worker(new URL("othello-toolkit/worker",
// import.meta.url), { type: "module" }). It takes { id, call, args }, where `call` is "load" or a method of Engine, and
// answers { id, result } or { id, error }.

import { Engine } from "./index.js";

let engine;

self.onmessage = async ({ data: { id, call, args = [] } }) => {
  try {
    if (call === "load") engine = Engine.load(...args);
    const loaded = await (engine ?? (engine = Engine.load()));
    self.postMessage({ id, result: call === "load" ? loaded.weights : loaded[call](...args) });
  } catch (error) {
    self.postMessage({ id, error: error.message });
  }
};
