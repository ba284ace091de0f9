// The engine for Node, which reads its files from the disk.

import { readFile } from "node:fs/promises";

import { BaseEngine, load } from "./engine.js";

export class Engine extends BaseEngine {
  static load({ weights, locateFile } = {}) {
    return load(Engine, (name) => readFile(locateFile?.(name) ?? new URL(name, import.meta.url)), weights);
  }
}
