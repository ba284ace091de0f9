import type { Engine, Options, Weights } from "./index.js";

type Methods = Pick<Engine, "game" | "value" | "values" | "search" | "moves" | "parts">;

/** A message to the worker: `load`, or a method of `Engine`. Without `load`, the first call loads the shipped weights. */
export type Question =
  | { id: number | string; call: "load"; args?: [Omit<Options, "locateFile">?] }
  | { [Call in keyof Methods]: { id: number | string; call: Call; args: Parameters<Methods[Call]> } }[keyof Methods];

/** The answer, with the number of the question. `load` results in the description of the weights. */
export type Answer =
  | { id: number | string; result: Weights | ReturnType<Methods[keyof Methods]>; error?: undefined }
  | { id: number | string; error: string; result?: undefined };
