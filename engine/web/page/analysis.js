// The results of the page's searches: the values of moves and positions by each evaluation.

// The search depth for the graph of the game, and the number of empty squares at or below which the
// graph has exact scores.
const GRAPH_DEPTH = 6;
const GRAPH_EXACT = 10;

export class Analysis {
  // Calls `changed` whenever a new result is stored.
  constructor(changed) {
    this.changed = changed;
    this.known = new Map();
  }

  // Returns the results of one evaluation for a position; creates an empty entry if there are none.
  of(engine, board) {
    const key = `${engine.description?.identity} ${board}`;
    if (!this.known.has(key)) this.known.set(key, { moves: new Map(), value: null, depth: -1, level: 0 });
    return this.known.get(key);
  }

  // Returns the value of a position for black in steps of 1/32 disc; null if the value is unknown.
  valueForBlack(engine, { board, over, score }) {
    if (over) return score * 32;
    const { value } = this.of(engine, board);
    return value === null ? null : board[65] === "X" ? value : -value;
  }

  // Searches all moves of a position up to a level. Keeps the results of earlier searches.
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

  // Searches the first position of a game whose value is unknown. Returns false if all values are
  // known or the search was stopped.
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
