// What is known of positions: their moves by each evaluation, and the value of the whole game.

// The depth at which positions are valued that nobody looked at longer, and the empty squares that are solved.
const GRAPH_DEPTH = 6;
const GRAPH_EXACT = 10;

export class Analysis {
  // `changed` hears whenever more is known.
  constructor(changed) {
    this.changed = changed;
    this.known = new Map();
  }

  // What one evaluation knows of a position.
  of(engine, board) {
    const key = `${engine.description?.identity} ${board}`;
    if (!this.known.has(key)) this.known.set(key, { moves: new Map(), value: null, depth: -1, level: 0 });
    return this.known.get(key);
  }

  // The value of a position in steps for black, or null.
  valueForBlack(engine, { board, over, score }) {
    if (over) return score * 32;
    const { value } = this.of(engine, board);
    return value === null ? null : board[65] === "X" ? value : -value;
  }

  // Rates all moves of a position up to a level; what an earlier look found stays.
  async look(engine, { board, legal }, empties, level) {
    const known = this.of(engine, board);
    if (known.level >= level || legal.length === 0) return;
    const task = { board, legal, empties, level };
    const told = (found, round) => {
      known.moves.set(found.best, found);
      const reached = [...known.moves.values()].filter((one) => one.depth >= round);
      if (reached.length === legal.length && round > known.depth) {
        known.value = Math.max(...reached.map((one) => one.steps));
        known.depth = round;
      }
      this.changed();
    };
    if (await engine.deepen(task, told)) known.level = level;
  }

  // Values the first position of a game of which nothing is known; false where there is none.
  async fill(engine, positions) {
    const unknown = positions.find((one) => this.valueForBlack(engine, one) === null);
    if (!unknown) return false;
    const question = { ask: "search", board: unknown.board, forget: false };
    const found = await engine.ask({ ...question, depth: GRAPH_DEPTH, exact: GRAPH_EXACT });
    if (!found) return false;
    const known = this.of(engine, unknown.board);
    if (known.value === null) Object.assign(known, { value: found.steps, depth: found.depth });
    this.changed();
    return true;
  }
}
