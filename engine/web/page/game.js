// A game: its start position, its moves, and the position that the page shows.

export const START = "---------------------------OX------XO--------------------------- X";

export class Game {
  // `program` is the engine's program, which checks the rules.
  constructor(program) {
    this.program = program;
    this.set(START, []);
  }

  // Replaces the game. Throws an error if a move is illegal; the old game then remains.
  set(start, moves, at = moves.length) {
    const positions = this.program.ask({ ask: "game", start, moves: moves.join("") });
    Object.assign(this, { start, moves, positions });
    this.goTo(at);
  }

  // Replaces the game by one that is read from a text in any notation.
  read(text) {
    const { start, moves } = this.program.ask({ ask: "read", text });
    this.set(start, moves.match(/../g) ?? []);
  }

  get position() {
    return this.positions[this.at];
  }

  // The side to move, "X" or "O".
  get side() {
    return this.position.board[65];
  }

  get empties() {
    return 64 - this.position.black - this.position.white;
  }

  // Plays a move in the shown position. Removes all moves after this position.
  play(square) {
    this.set(this.start, [...this.moves.slice(0, this.at), square]);
  }

  goTo(at) {
    this.at = Math.max(0, Math.min(at, this.moves.length));
  }

  // The part of the page's address after `#`, which describes the game.
  get address() {
    const fields = new URLSearchParams();
    if (this.start !== START) fields.set("start", this.start.replace(" ", ""));
    if (this.moves.length > 0) fields.set("moves", this.moves.join(""));
    if (this.at !== this.moves.length) fields.set("at", this.at);
    return fields.toString();
  }

  openAddress(address) {
    const fields = new URLSearchParams(address);
    const moves = (fields.get("moves") ?? "").match(/..?/g) ?? [];
    const start = fields.get("start");
    const at = fields.has("at") ? Math.trunc(Number(fields.get("at"))) || 0 : moves.length;
    this.set(start ? `${start.slice(0, 64)} ${start.slice(64)}` : START, moves, at);
  }
}
