// The table of all legal moves: the value of each move by one or two evaluations, the depth of its
// search, and its best line.

import { SIDES, discs, element, signed, valueText } from "./text.js";

export class MovesView {
  // Calls `chosen` with the move on which the user clicks, and `looked` with the line of the row
  // under the pointer.
  constructor(root, { chosen, looked }) {
    Object.assign(this, { root, chosen, looked });
  }

  // `analyses` has an entry for each evaluation: its name and the results for each move.
  show({ board, legal, over, score }, analyses) {
    if (over) {
      const winner = score > 0 ? "Black wins" : "White wins";
      const text = score === 0 ? "A draw." : `${winner} by ${Math.abs(score)} discs.`;
      this.root.replaceChildren(element("p", { class: "empty" }, `The game is over. ${text}`));
      return;
    }
    const [first, second] = analyses;
    const known = (square) => first?.moves.get(square);
    const rows = [...legal].sort((one, other) => {
      const [a, b] = [known(one)?.steps ?? -Infinity, known(other)?.steps ?? -Infinity];
      return b - a || (one < other ? -1 : 1);
    });
    const heads = ["Move", ...analyses.map((one) => one.name), second && "Difference", "Depth", "Line"];
    const side = SIDES[board[65]];
    this.root.replaceChildren(
      element(
        "table",
        { class: second ? "moves two" : "moves" },
        element("caption", {}, `Values for ${side}, who is to move, in discs`),
        element("thead", {}, element("tr", {}, ...heads.filter(Boolean).map(headCell))),
        element("tbody", {}, ...rows.map((square) => this.#row(square, analyses, rows[0]))),
      ),
    );
  }

  #row(square, analyses, best) {
    const found = analyses.map((one) => one.moves.get(square));
    const values = found.map((one) => element("td", { class: "number" }, one ? valueText(one) : "…"));
    if (analyses.length === 2) {
      const both = found.every(Boolean);
      const difference = both ? signed(discs(found[1].steps - found[0].steps)) : "…";
      values.push(element("td", { class: "number" }, difference));
    }
    const depth = found[0] ? found[0].how.replace("depth ", "") : "";
    const line = found[0]?.line ?? [];
    const button = element(
      "button",
      { type: "button", class: "plain", onclick: () => this.chosen(square) },
      square,
    );
    return element(
      "tr",
      {
        class: square === best && found[0] ? "best" : "",
        onmouseenter: () => this.looked(line),
        onmouseleave: () => this.looked([]),
      },
      element("th", { scope: "row" }, button),
      ...values,
      element("td", { class: "number" }, depth),
      element("td", { class: "line" }, line.slice(1).join(" ")),
    );
  }
}

function headCell(text) {
  return element("th", { scope: "col", class: text === "Move" || text === "Line" ? "" : "number" }, text);
}
