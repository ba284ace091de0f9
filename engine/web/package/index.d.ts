/** A board: 64 squares from a1 to h8, `X` black, `O` white, `-` empty, then a space and the side to move. */
export type Board = string;
/** A square such as `d3`. */
export type Square = string;

/** The strength of a search: a level (10 if nothing is said), or a depth and exact play near the end. */
export interface Strength {
  /** 1 to 60: about so many moves ahead, likely scores earlier and exact ones near the end. */
  level?: number;
  /** Plies to look ahead, 0 for the value as it stands. */
  depth?: number;
  /** Number of empty squares from which on searches go to the end. */
  exact?: number;
  /** True to search from an empty table, so that nodes are always the same. */
  forget?: boolean;
}

/** What a search found. */
export interface Found {
  /** Value for the side to move, in discs, -64 to 64. */
  value: number;
  /** Depth in plies. */
  depth: number;
  /** True if the value is the exact score. */
  exact: boolean;
  /** The kind of the value, in words. */
  how: string;
  /** Number of positions visited. */
  nodes: number;
}

/** What a search found, with the best move; null where the side must pass or the game is over. */
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
  /** Score for black, with empty squares for the winner; null before the end. */
  score: number | null;
}

/** The weights of an engine. */
export interface Weights {
  name: string;
  /** sha256 of the weights, or the name of an evaluation by hand. */
  identity: string;
  /** Name of the pattern set. */
  set?: string;
  patterns?: { name: string | null; squares: Square[] }[];
  parameters?: number;
  /** Number of positions of training, where the file has the counts. */
  positions?: number | null;
  provenance?: Record<string, unknown>;
}

/** The value of a position taken apart, in discs. */
export interface Parts {
  value: number;
  phase: number;
  instances: { pattern: string | null; squares: Square[]; discs: number; count: number | null }[];
  scalars: { scalar: string; number: number; discs: number; count: number | null }[];
}

/** An engine with one evaluation. Searches run in the thread that calls: in a page, use a worker. */
export class Engine {
  private constructor();
  /** Loads the engine with the weights that ship, a weights file, or an evaluation by hand. */
  static load(options?: { weights?: ArrayBuffer | Uint8Array | "mobility" | "none" }): Promise<Engine>;
  readonly weights: Weights;
  /** All positions of a transcript such as `f5d6c3`, the start first. Throws on an illegal move. */
  game(moves?: string, start?: Board): Position[];
  /** Value of a board as it stands, in discs. */
  value(board: Board): number;
  search(board: Board, strength?: Strength): Searched;
  /** All legal moves, the best first. */
  moves(board: Board, strength?: Strength): Rated[];
  parts(board: Board): Parts;
}
