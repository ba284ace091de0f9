// The static value of the position, split into the contributions of patterns.

import { SIDES, discs, element, signed, squareNumber } from "./text.js";

const SHOWN = 12;

export class PartsView {
  // Calls `looked` with the squares of the part under the pointer.
  constructor(root, looked) {
    Object.assign(this, { root, looked });
  }

  show(board, parts) {
    const side = SIDES[board[65]];
    const totals = new Map();
    for (const { pattern, discs: own } of parts.instances) {
      totals.set(pattern, (totals.get(pattern) ?? 0) + own);
    }
    for (const { scalar, number, discs: own } of parts.scalars) {
      totals.set(`${scalar.replaceAll("_", " ")} (${number})`, own);
    }
    if (parts.factors) totals.set("factors (all together)", parts.factors);
    const byPattern = [...totals].sort((one, other) => Math.abs(other[1]) - Math.abs(one[1]));
    const largest = Math.max(0.01, ...byPattern.map(([, own]) => Math.abs(own)));
    const rowOf = ([name, own]) => {
      const squares = parts.instances.filter((one) => one.pattern === name).flatMap((one) => one.squares);
      return this.#row(name, own, largest, squares, []);
    };
    const instances = [...parts.instances].sort((a, b) => Math.abs(b.discs) - Math.abs(a.discs));
    const most = Math.max(0.01, Math.abs(instances[0]?.discs ?? 0));
    const instanceRow = ({ squares, discs: own, count }) => {
      const there = squares.map((square) => board[squareNumber(square)]).join("");
      return this.#row(squares.join(" "), own, most, squares, [there, count?.toLocaleString("en") ?? "…"]);
    };
    this.root.replaceChildren(
      element(
        "p",
        {},
        `As it stands, without a search, the position is worth `,
        element("strong", {}, `${signed(discs(parts.steps), 2)} discs`),
        ` for ${side}: the sum of these parts. Point at one to see its squares.`,
      ),
      table(["By pattern", "Discs", ""], byPattern.map(rowOf)),
      table(
        [`The ${SHOWN} largest single parts`, "Discs", "", "There", "Met"],
        instances.slice(0, SHOWN).map(instanceRow),
      ),
      element("p", { class: "note" }, "“Met” is how often training positions of this phase had it."),
    );
  }

  #row(name, own, largest, squares, more) {
    const width = (Math.abs(own) / largest) * 50;
    const bar = element("span", {
      class: own < 0 ? "bar minus" : "bar plus",
      style: `width:${width.toFixed(1)}%`,
    });
    const look = () => this.looked(squares);
    const away = () => this.looked([]);
    const button = element("button", { type: "button", class: "plain", onfocus: look, onblur: away }, name);
    return element(
      "tr",
      { onmouseenter: look, onmouseleave: away },
      element("th", { scope: "row" }, squares.length > 0 ? button : name),
      element("td", { class: "number" }, signed(own, 2)),
      element("td", { class: "bars", "aria-hidden": "true" }, bar),
      ...more.map((text, number) => element("td", { class: number ? "number" : "discs" }, text)),
    );
  }
}

// Returns the sum of all parts for each square, in discs. The value of an instance is divided
// equally among its squares.
export function tintsOf(parts) {
  const tints = new Array(64).fill(0);
  for (const { squares, discs: own } of parts.instances) {
    for (const square of squares) tints[squareNumber(square)] += own / squares.length;
  }
  return tints;
}

function table(heads, rows) {
  const cells = heads.map((text, number) =>
    element(text ? "th" : "td", text ? { scope: "col", class: number === 1 ? "number" : "" } : {}, text),
  );
  return element(
    "table",
    { class: "parts" },
    element("thead", {}, element("tr", {}, ...cells)),
    element("tbody", {}, ...rows),
  );
}
