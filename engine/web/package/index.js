// The engine for browsers, their workers, Deno and bundlers. Bundlers find the files by the literal
// addresses in this module.

import { BaseEngine, load } from "./engine.js";

const FILES = {
  "othello.wasm": new URL("./othello.wasm", import.meta.url),
  "shipped.weights": new URL("./shipped.weights", import.meta.url),
  "small.weights": new URL("./small.weights", import.meta.url),
};

export class Engine extends BaseEngine {
  static load({ weights, locateFile } = {}) {
    const readFile = async (name) => {
      const address = locateFile?.(name) ?? FILES[name];
      const answer = await fetch(address);
      const type = answer.headers.get("content-type") ?? "";
      if (!answer.ok || type.startsWith("text/html")) {
        throw new Error(`${address}: ${answer.status} ${type}; expected ${name} (set locateFile if it lies elsewhere)`);
      }
      return new Uint8Array(await answer.arrayBuffer());
    };
    return load(Engine, readFile, weights);
  }
}
