// Any pattern's weights, phase by phase, found by drawing its squares; and what squares are worth.

const CYCLE = { "": "-", "-": "X", X: "O", O: "" };
const SQUARES = Array.from({ length: 64 }, (_, n) => "abcdefgh"[n % 8] + (Math.floor(n / 8) + 1));
const PHASES = Array.from({ length: 60 }, (_, phase) => phase);

// The class of a pattern that has these discs on an instance of these squares, or undefined: one of the
// ways in which the pattern lies on the squares gives its smallest configuration.
function findClass(pattern, drawn) {
  const squares = Object.keys(drawn).map(Number);
  const own = pattern.instances[0];
  const images = SYMMETRIES.map((turn) => own.map(turn));
  const lying = images.filter((image) => image.length === squares.length && image.every((n) => n in drawn));
  const texts = new Set(lying.map((image) => image.map((n) => drawn[n]).join("")));
  return { lies: lying.length > 0, found: pattern.shown.find((one) => texts.has(one.discs)) };
}

const SYMMETRIES = [0, 1, 2, 3, 4, 5, 6, 7].map((number) => (square) => {
  let [file, rank] = [square % 8, Math.floor(square / 8)];
  if (number & 1) file = 7 - file;
  if (number & 2) rank = 7 - rank;
  return number & 4 ? 8 * file + rank : 8 * rank + file;
});

function patternSection(run) {
  const { patterns } = run.weights;
  if (patterns.length === 0) return;
  let drawn = {};
  const buttons = SQUARES.map((name, number) =>
    element("button", {
      type: "button",
      onclick: () => {
        const next = CYCLE[drawn[number] ?? ""];
        if (next) drawn[number] = next;
        else delete drawn[number];
        show();
      },
      "data-name": name,
    }),
  );
  const result = element("div", { class: "list", "aria-live": "polite" });
  const list = element("div", { class: "table" });
  const take = (pattern, discs) => {
    drawn = Object.fromEntries(pattern.instances[0].map((square, place) => [square, discs[place]]));
    show();
  };
  const choose = (number) => {
    const pattern = patterns[number];
    const rows = pattern.shown.slice(0, 100).map((one) => [
      element("button", { type: "button", onclick: () => take(pattern, one.discs) }, one.discs),
      one.counts.reduce((sum, count) => sum + count, 0),
    ]);
    list.replaceChildren(table(["Met most", "Times"], rows));
    if (pattern.shown.length > 0) take(pattern, pattern.shown[0].discs);
  };
  const show = () => {
    buttons.forEach((button, number) => {
      const disc = drawn[number] ?? "";
      button.className = disc ? `drawn ${disc}` : "";
      const words = { "": "not drawn", "-": "empty", X: "player", O: "opponent" }[disc];
      button.setAttribute("aria-label", `${button.dataset.name}, ${words}`);
    });
    result.replaceChildren(...drawnResult(patterns, drawn));
  };
  section(
    `Weights of a pattern: ${run.name}`,
    "Draw squares: each press on a square changes it to empty, the player’s disc (black), the opponent’s disc (white), and not drawn. " +
      "If the squares are a pattern, its weight is drawn by phase.",
    element(
      "div",
      { class: "choices" },
      selection("Begin with", patterns.map((pattern) => pattern.name), choose),
      element("button", { type: "button", onclick: () => ((drawn = {}), show()) }, "Empty the board"),
    ),
    element("div", { class: "boards" }, element("div", { class: "board" }, ...buttons), result, list),
  );
  choose(0);
}

function drawnResult(patterns, drawn) {
  const squares = Object.keys(drawn).map(Number);
  if (squares.length === 0) return [element("p", {}, "No squares are drawn.")];
  for (const pattern of patterns) {
    const { lies, found } = findClass(pattern, drawn);
    if (!lies) continue;
    const text = `${pattern.name}: ${squares.map((n) => SQUARES[n]).join(" ")}`;
    if (!found) {
      const note = `Not among the ${pattern.shown.length} most frequent classes; \`report --classes\` takes more.`;
      return [element("p", {}, text), element("p", { class: "note" }, note)];
    }
    const series = [{ name: "weight in discs", values: found.steps.map((step) => step / 32), colour: 0 }];
    const counts = [{ name: "times met", values: found.counts, colour: 1 }];
    return [
      element("p", {}, text),
      chart({ x: PHASES, across: "phase", series, height: 200 }),
      chart({ x: PHASES, across: "phase", series: counts, height: 150, logarithmic: true }),
    ];
  }
  const within = patterns.filter((pattern) =>
    SYMMETRIES.some((turn) => {
      const image = new Set(pattern.instances[0].map(turn));
      return squares.every((square) => image.has(square));
    }),
  );
  const names = within.map((pattern) => pattern.name).join(", ");
  return [element("p", {}, names ? `Not a whole pattern yet; part of: ${names}.` : "Part of no pattern of the set.")];
}

function squaresSection(runs) {
  const holder = element("div", { class: "boards" });
  const boards = runs.map((run) => {
    const cells = SQUARES.map((name) => element("span", { title: name }));
    const words = element("p", {}, run.name);
    holder.append(element("div", {}, words, element("div", { class: "board", role: "img" }, ...cells)));
    return { run, cells };
  });
  const show = (phase) => {
    for (const { run, cells } of boards) {
      const values = run.weights.squares[phase];
      const largest = Math.max(0.001, ...values);
      cells.forEach((cell, number) => {
        cell.textContent = values[number].toFixed(2);
        cell.style.background = `color-mix(in oklab, #e0a52f ${(values[number] / largest) * 90}%, var(--felt))`;
      });
      const most = SQUARES[values.indexOf(Math.max(...values))];
      cells[0].parentElement.setAttribute("aria-label", `${run.name}, phase ${phase}: most on ${most}`);
    }
  };
  section(
    "Influence of squares",
    "The mean absolute value of the weights over the training positions, in discs, divided among the squares of each instance.",
    phaseSlider(show),
    holder,
    numbers(
      ["phase", ...runs.flatMap((run) => SQUARES.map((name) => `${run.name} ${name}`))],
      PHASES.map((phase) => [phase, ...runs.flatMap((run) => run.weights.squares[phase])]),
    ),
  );
}
