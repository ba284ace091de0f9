// A graph of the value for black of every position of the game.

import { discs, drawn, signed } from "./text.js";

const NARROWEST = 280;
const HEIGHT = 150;
const LEFT = 34;
const RIGHT = 8;
const BOTTOM = 20;
const SCALES = [4, 8, 16, 32, 64];

export class GraphView {
  // Calls `chosen` with the number of moves before the position on which the user clicks.
  constructor(root, chosen) {
    this.root = root;
    this.picture = drawn("svg", {
      role: "img",
      onclick: (event) => {
        const box = this.picture.getBoundingClientRect();
        const part = (event.clientX - box.left - LEFT) / (box.width - LEFT - RIGHT);
        chosen(Math.round(part * this.length));
      },
    });
    root.append(this.picture);
  }

  // `lines` has an entry for each evaluation: its name, and the values for black in steps of 1/32
  // disc, or null for an unknown value.
  show(lines, at) {
    const width = Math.max(NARROWEST, this.root.clientWidth);
    this.picture.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    this.length = Math.max(1, lines[0].values.length - 1);
    const all = lines.flatMap((line) => line.values).filter((value) => value !== null);
    const largest = Math.max(0, ...all.map((value) => Math.abs(discs(value))));
    const scale = SCALES.find((one) => one >= largest) ?? 64;
    const x = (move) => LEFT + (move / this.length) * (width - LEFT - RIGHT);
    const y = (value) => (HEIGHT - BOTTOM) * (0.5 - value / scale / 2.2);
    const grid = [-scale, -scale / 2, 0, scale / 2, scale].map((value) =>
      drawn(
        "g",
        { class: value === 0 ? "axis zero" : "axis" },
        drawn("line", { x1: LEFT, x2: width - RIGHT, y1: y(value), y2: y(value) }),
        drawn("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, signed(value, 0)),
      ),
    );
    const every = this.length > 30 ? 10 : this.length > 12 ? 5 : 1;
    const numbers = Array.from({ length: this.length + 1 }, (_, move) => move);
    const ticks = numbers.filter((move) => move % every === 0).map((move) =>
      drawn("text", { class: "tick", x: x(move), y: HEIGHT - 4, "text-anchor": "middle" }, `${move}`),
    );
    const drawnLines = lines.map(({ name, values }, number) => {
      const points = values.map((value, move) => (value === null ? null : [x(move), y(discs(value))]));
      const path = runs(points).map((run) => `M${run.map((p) => p.map(round).join(" ")).join("L")}`);
      const dots = points.map((point, move) =>
        point &&
        drawn(
          "circle",
          { cx: round(point[0]), cy: round(point[1]), r: move === at ? 5 : 2.5 },
          drawn("title", {}, `${name}, move ${move}: ${signed(discs(values[move]))}`),
        ),
      );
      return drawn("g", { class: `value value${number}` }, drawn("path", { d: path.join("") }), ...dots);
    });
    const here = drawn("line", { class: "here", x1: x(at), x2: x(at), y1: 0, y2: HEIGHT - BOTTOM });
    this.picture.replaceChildren(...grid, ...ticks, here, ...drawnLines);
    const known = lines[0].values[at];
    const now = known === null ? "not known yet" : `${signed(discs(known))} discs for black`;
    this.picture.setAttribute("aria-label", `Value of the game, move by move. At move ${at}: ${now}.`);
  }
}

// Splits a list at its nulls into lists of points.
function runs(points) {
  const found = [[]];
  for (const point of points) {
    if (point) found.at(-1).push(point);
    else if (found.at(-1).length > 0) found.push([]);
  }
  return found.filter((run) => run.length > 0);
}

function round(number) {
  return Math.round(number * 10) / 10;
}
