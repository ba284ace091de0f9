// The board: a grid of 64 buttons, between which the arrow keys move, and a drawing above them.

import { SIDES, drawn, element, squareName, squareNumber } from "./text.js";

const DISCS = { X: "black disc", O: "white disc", "-": "empty" };

export class BoardView {
  // Calls `pressed` with the name of a square that the user chooses.
  constructor(root, pressed) {
    this.squares = Array.from({ length: 64 }, (_, number) => this.#square(number, pressed));
    const rows = Array.from({ length: 8 }, (_, row) =>
      element("div", { role: "row" }, ...this.squares.slice(8 * row, 8 * row + 8)),
    );
    this.drawing = drawn("svg", { viewBox: "0 0 8 8", class: "drawing", "aria-hidden": "true" });
    const grid = element("div", { role: "grid", class: "squares", "aria-label": "Board" }, ...rows);
    grid.addEventListener("keydown", (event) => this.#key(event));
    const letters = [..."abcdefgh"].map((letter) => element("span", {}, letter));
    const digits = [..."12345678"].map((digit) => element("span", {}, digit));
    root.append(
      element("div", { class: "files", "aria-hidden": "true" }, ...letters),
      element("div", { class: "ranks", "aria-hidden": "true" }, ...digits),
      element("div", { class: "field" }, grid, this.drawing),
    );
    this.focusable = 19;
    this.squares[this.focusable].tabIndex = 0;
  }

  // Shows a position. `marks` has an entry {text, best} for some squares. `tints` has a number for
  // each square, or is null.
  show({ board, legal }, { last = null, marks = {}, tints = null, editing = false } = {}) {
    const side = board[65];
    const largest = tints ? Math.max(0.01, ...tints.map(Math.abs)) : 1;
    this.squares.forEach((button, number) => {
      const name = squareName(number);
      const disc = board[number];
      const isLegal = !editing && legal.includes(name);
      const mark = marks[name];
      button.className = "square";
      button.classList.toggle("black", disc === "X");
      button.classList.toggle("white", disc === "O");
      button.classList.toggle("legal", isLegal);
      button.classList.toggle("last", name === last);
      button.classList.toggle("best", Boolean(mark?.best));
      button.setAttribute("aria-disabled", String(!isLegal && !editing));
      button.firstChild.textContent = isLegal && mark ? mark.text : "";
      const words = [name, DISCS[disc]];
      if (isLegal) words.push(`legal move for ${SIDES[side]}`);
      if (isLegal && mark) words.push(`value ${mark.text.replace("−", "minus ")}`);
      if (name === last) words.push("played last");
      button.setAttribute("aria-label", words.join(", "));
      const tint = tints ? tints[number] / largest : 0;
      button.style.setProperty("--tint", Math.abs(tint).toFixed(3));
      button.classList.toggle("plus", tint > 0);
      button.classList.toggle("minus", tint < 0);
    });
  }

  // Draws a ring around each of the squares, and removes earlier rings.
  outline(squares = []) {
    const centres = squares.map(squareNumber).map((n) => [(n % 8) + 0.5, Math.floor(n / 8) + 0.5]);
    const rings = centres.map(([x, y]) =>
      drawn("rect", { x: x - 0.44, y: y - 0.44, width: 0.88, height: 0.88, rx: 0.1 }),
    );
    this.drawing.replaceChildren(...rings);
  }

  #square(number, pressed) {
    return element(
      "button",
      {
        type: "button",
        role: "gridcell",
        class: "square",
        tabindex: -1,
        onclick: () => {
          this.#focusOn(number, false);
          pressed(squareName(number));
        },
      },
      element("span", { class: "mark" }),
    );
  }

  #key(event) {
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const step = steps[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const within = (at) => Math.max(0, Math.min(7, at));
    const file = within((this.focusable % 8) + step[0]);
    const rank = within(Math.floor(this.focusable / 8) + step[1]);
    this.#focusOn(8 * rank + file, true);
  }

  #focusOn(number, move) {
    this.squares[this.focusable].tabIndex = -1;
    this.focusable = number;
    this.squares[number].tabIndex = 0;
    if (move) this.squares[number].focus();
  }
}
