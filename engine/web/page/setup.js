// The editor for positions: the user sets up a board by hand, or pastes a text.

import { element } from "./text.js";

const NEXT = { "-": "X", X: "O", O: "-" };

export class Setup {
  // Calls `done` when the user begins or ends the setup of a position.
  constructor(root, game, done) {
    Object.assign(this, { root, game, done, squares: null });
    this.problem = element("p", { class: "problem", role: "alert", hidden: true });
    this.text = element("textarea", {
      id: "pasted",
      rows: 3,
      spellcheck: "false",
      placeholder: "f5d6c3…, or 64 characters with X or O to move, or a line of OBF",
    });
    this.side = element(
      "select",
      { id: "side" },
      element("option", { value: "X" }, "Black"),
      element("option", { value: "O" }, "White"),
    );
    this.begin = button("Set up by hand", () => this.start());
    this.take = button("Take this position", () => this.finish());
    this.cancel = button("Cancel", () => this.stop());
    this.editor = element(
      "p",
      { hidden: true },
      "Press squares: black, white, empty. ",
      element("label", { for: "side" }, "To move: "),
      this.side,
      " ",
      this.take,
      " ",
      this.cancel,
    );
    root.append(
      element("label", { for: "pasted" }, "A transcript, a board line or OBF"),
      this.text,
      element("p", {}, button("Open it", () => this.#paste()), " ", this.begin),
      this.editor,
      this.problem,
    );
  }

  get editing() {
    return this.squares !== null;
  }

  // The current board of the editor, with the side to move.
  get board() {
    return `${this.squares.join("")} ${this.side.value}`;
  }

  start() {
    const { board } = this.game.position;
    this.squares = [...board.slice(0, 64)];
    this.side.value = board[65];
    this.#changed();
  }

  press(number) {
    this.squares[number] = NEXT[this.squares[number]];
  }

  finish() {
    this.#attempt(() => {
      this.game.set(this.board, []);
      this.stop();
    });
  }

  stop() {
    this.squares = null;
    this.#changed();
  }

  #paste() {
    this.#attempt(() => {
      this.game.read(this.text.value);
      this.stop();
    });
  }

  #changed() {
    this.editor.hidden = !this.editing;
    this.begin.hidden = this.editing;
    this.done();
  }

  #attempt(work) {
    this.problem.hidden = true;
    try {
      work();
    } catch (error) {
      this.problem.textContent = error.message;
      this.problem.hidden = false;
    }
  }
}

function button(text, onclick) {
  return element("button", { type: "button", class: "button", onclick }, text);
}
