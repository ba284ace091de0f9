/**
 * A board: 64 squares from a1 to h8, `X` black, `O` white, `-` empty, then a space and the side to move; or the moves
 * that lead to it, such as `f5d6`.
 */
export type Board = string;
/** A square such as `d3`. */
export type Square = string;

/** The strength of a search: a level (by default 10), or a depth and exact play near the end. */
export type Strength = Limit &
  (
    | {
        /** 1 to 60: about this depth; selective scores and then exact ones near the end. */
        level?: number;
        depth?: undefined;
        exact?: undefined;
      }
    | {
        level?: undefined;
        /** Depth in moves, 0 to 60; 0 for the static value. */
        depth?: number;
        /** Number of empty squares at or below which the search is exact, 0 to 60. */
        exact?: number;
      }
  );

/** Limits of a search, and its table. At a limit, a search returns its deepest complete result. */
export interface Limit {
  /** Greatest number of nodes, at least 1; the search exceeds it by some ten thousand at most. */
  nodes?: number;
  /** Time in milliseconds, at least 1; the search exceeds it by some milliseconds. For `moves`, the time of each move. */
  ms?: number;
  /** True to search from an empty table, so that nodes are always the same. */
  forget?: boolean;
}

/** The result of a search. */
export interface Found {
  /** Value for the side to move, in discs, -64 to 64. */
  value: number;
  /** Depth in plies. */
  depth: number;
  /** True if the value is the exact score. */
  exact: boolean;
  /** Kind of search that found the value: `depth 12`, `exact`, or `95 % sure`. */
  how: string;
  /** Number of positions visited. */
  nodes: number;
}

/** The result of a search, with the best move; null if the side must pass or the game is over. */
export interface Searched extends Found {
  best: Square | null;
}

/** A move with its value, and the line that follows. */
export interface Rated extends Found {
  move: Square;
  line: Square[];
}

/** A position of a game. */
export interface Position {
  board: Board;
  legal: Square[];
  over: boolean;
  /** True if the side whose turn it was had to pass. */
  passed: boolean;
  black: number;
  white: number;
  /** Final score for black in discs, with empty squares for the winner; null before the end. */
  score: number | null;
}

/** The weights of an engine. */
export interface Weights {
  name: string;
  /** SHA-256 of the weights file, or the name of a hand-written evaluation. */
  identity: string;
  /** Name of the pattern set. */
  set?: string;
  patterns?: { name: string | null; squares: Square[] }[];
  parameters?: number;
  /** Number of training positions; null if the file has no training counts. */
  positions?: number | null;
  provenance?: Record<string, unknown>;
}

/** The terms of a position's value, in discs. `value` is their sum, limited to ±64. */
export interface Parts {
  value: number;
  phase: number;
  instances: { pattern: string | null; squares: Square[]; discs: number; count: number | null }[];
  scalars: { scalar: string; number: number; discs: number; count: number | null }[];
  /** The joint contribution of the factors of all instances and scalars; 0 without factors. */
  factors: number;
}

/** The options of `Engine.load`. */
export interface Options {
  /** The shipped weights (by default), small ones, the bytes of a weights file, or a hand-written evaluation. */
  weights?: ArrayBuffer | Uint8Array | "shipped" | "small" | "mobility" | "none";
  /** Returns the address of `othello.wasm` or a file of weights if it does not lie next to `index.js`. */
  locateFile?: (name: "othello.wasm" | "shipped.weights" | "small.weights") => string | URL | undefined;
}

/** An engine with one evaluation. Searches run in the thread that calls: in a page, use a worker. */
export class Engine {
  private constructor();
  static load(options?: Options): Promise<Engine>;
  readonly weights: Weights;
  /** All positions of a transcript such as `f5d6c3`, the start first. Throws on an illegal move. */
  game(moves?: string, start?: Board): Position[];
  /** Static value of a board in discs, for the side to move. */
  value(board: Board): number;
  /** Static values of many boards. */
  values(boards: Board[]): number[];
  search(board: Board, strength?: Strength): Searched;
  /** All legal moves, the best first; none if the side to move must pass. */
  moves(board: Board, strength?: Strength): Rated[];
  parts(board: Board): Parts;
}
