// The sections of the page, in their order.

const { runs, matches, losses } = JSON.parse(document.getElementById("data").textContent);

// Runs are called by their files; where these are called the same, by their paths.
const files = runs.map((run) => run.name.split("/").at(-1).replace(/\.weights$/, ""));
if (new Set(files).size === runs.length) runs.forEach((run, number) => (run.name = files[number]));

const root = (value) => (value === null || value === undefined ? null : Math.sqrt(value));
const withReport = runs.filter((run) => run.phases);
const byPhase = (run, value) =>
  PHASES.map((phase) => {
    const row = run.phases.find((one) => one.phase === phase);
    return row ? value(row) : null;
  });
const named = (run, what) => (runs.length > 1 ? `${run.name}: ${what}` : what);

function summary() {
  const weighted = (run, error, count) => {
    const rows = run.phases.filter((row) => row[error] !== null && row[count] > 0);
    const sum = rows.reduce((all, row) => all + row[count], 0);
    return sum ? rows.reduce((all, row) => all + row[error] * row[count], 0) / sum : null;
  };
  const rows = runs.map((run) => {
    const met = run.weights.positions.reduce((all, count) => all + count, 0);
    const positions = run.phases?.reduce((all, row) => all + row.positions, 0) ?? met;
    const validation = run.phases && weighted(run, "validation_mae", "validation_positions");
    const test = run.phases && weighted(run, "test_mae", "test_positions");
    return [run.name, run.weights.set, positions, validation, test, run.sha256.slice(0, 16)];
  });
  const heads = ["Run", "Pattern set", "Training positions", "Validation error", "Test error", "SHA-256"];
  const without = runs.filter((run) => !run.phases).map((run) => run.name);
  const words =
    "Errors are mean absolute errors over all phases, in discs." +
    (without.length > 0
      ? ` There is no report of a fit (WEIGHTS.report.json) next to ${without.join(", ")}: the following is from the weights alone.`
      : "");
  section("Runs", words, element("div", { class: "table" }, table(heads, rows)), numbers(heads, rows));
}

function errors() {
  if (withReport.length === 0) return;
  const lines = (value) =>
    withReport.flatMap((run, colour) =>
      value.map(([what, of, dash]) => ({ name: named(run, what), values: byPhase(run, of), colour, dash })),
    );
  const squared = [
    ["training", (row) => root(row.train_mse), 0],
    ["validation", (row) => root(row.validation_mse), 1],
    ["test", (row) => root(row.test_mse), 2],
  ];
  section(
    "Error by phase",
    "The root of the mean squared error, in discs. The strips show the most frequent kind of label of each phase: errors with different kinds of labels are not comparable.",
    ...withReport.flatMap(labelStrip),
    chart({ x: PHASES, across: "phase", series: lines(squared) }),
  );
  const absolute = [
    ["validation", (row) => row.validation_mae, 1],
    ["test", (row) => row.test_mae, 2],
  ];
  section(
    "Mean absolute error by phase",
    "In discs, on positions that the fit did not train on.",
    chart({ x: PHASES, across: "phase", series: lines(absolute) }),
  );
}

// The kinds of labels by phase, as a strip under the same phases as a chart.
function labelStrip(run) {
  const kinds = [...new Set(run.phases.flatMap((row) => row.labels.map(([kind]) => kind)))];
  const colourOf = (kind) => COLOURS[(kinds.indexOf(kind) + 1) % COLOURS.length];
  const cells = PHASES.map((phase) => {
    const labels = run.phases.find((row) => row.phase === phase)?.labels ?? [];
    const all = labels.reduce((sum, [, count]) => sum + count, 0);
    const words = labels.map(([kind, count]) => `${kind} ${((100 * count) / all).toFixed(0)} %`).join(", ");
    const colour = labels.length > 0 ? colourOf(labels[0][0]) : "transparent";
    const cell = element("span", { title: `phase ${phase}: ${words || "no positions"}` });
    cell.style.cssText = `flex: 1; background: ${colour}`;
    return cell;
  });
  const legend = kinds.map((kind) => {
    const swatch = element("span", { class: "swatch" });
    swatch.style.background = colourOf(kind);
    return element("span", {}, swatch, kind);
  });
  const share = (row, kind) => row.labels.find(([name]) => name === kind)?.[1] ?? 0;
  return [
    element("div", { class: "labels" }, ...cells),
    element("div", { class: "legend" }, element("span", {}, named(run, "labels of training positions")), ...legend),
    numbers(
      ["phase", ...kinds],
      run.phases.map((row) => [row.phase, ...kinds.map((kind) => share(row, kind))]),
    ),
  ];
}

function data() {
  if (withReport.length === 0) return;
  const series = withReport.flatMap((run, colour) =>
    [
      ["training", (row) => row.positions],
      ["validation", (row) => row.validation_positions],
      ["test", (row) => row.test_positions],
    ].map(([what, of], dash) => ({ name: named(run, what), values: byPhase(run, of), colour, dash })),
  );
  section(
    "Data by ply",
    "How many different positions each phase has, on a logarithmic scale.",
    chart({ x: PHASES, across: "ply", series, logarithmic: true, digits: 0 }),
  );
}

// What the weights themselves tell of their data.
function trainedOn() {
  const counted = runs.map((run, colour) => ({ run, colour })).filter(({ run }) => !run.phases);
  if (counted.length === 0) return;
  section(
    "Data by phase",
    "How many positions of its own each phase was trained on, by the counts in the weights file, on a logarithmic scale.",
    chart({
      x: PHASES,
      across: "phase",
      series: counted.map(({ run, colour }) => ({ name: named(run, "positions"), values: run.weights.positions, colour })),
      logarithmic: true,
      digits: 0,
    }),
  );
}

function sizes() {
  for (const run of runs) {
    const { patterns } = run.weights;
    if (patterns.length === 0) continue;
    const largest = Math.max(0.001, ...patterns.flatMap((pattern) => pattern.sizes));
    const fifths = PHASES.filter((phase) => phase % 5 === 4);
    const shade = (discs) => {
      const cell = element("span", {}, discs.toFixed(2));
      cell.style.cssText = `display: block; padding: 0 0.4em; background: color-mix(in oklab, #e0a52f ${(discs / largest) * 80}%, transparent)`;
      return cell;
    };
    const squaresOf = (pattern) => pattern.instances[0].map((square) => SQUARES[square]).join(" ");
    const total = (pattern) => pattern.sizes.reduce((sum, discs) => sum + discs, 0);
    const sorted = [...patterns].sort((one, other) => total(other) - total(one));
    section(
      `Influence of patterns by phase${runs.length > 1 ? `: ${run.name}` : ""}`,
      "How many discs an instance of a pattern adds or subtracts: the mean absolute value of its weights over the training positions. " +
        "Each row is a pattern, the most influential first; each column is a phase.",
      element(
        "div",
        { class: "table whole" },
        table(
          ["Pattern", ...fifths.map(String)],
          sorted.map((pattern) => [squaresOf(pattern), ...fifths.map((phase) => shade(pattern.sizes[phase]))]),
        ),
      ),
      numbers(
        ["phase", ...sorted.map(squaresOf)],
        PHASES.map((phase) => [phase, ...sorted.map((pattern) => pattern.sizes[phase])]),
      ),
    );
  }
}

function epochs() {
  const measured = runs.filter((run) => run.metrics?.length > 0);
  if (measured.length === 0) return;
  const place = element("div");
  const show = (phase) => {
    const lines = measured.map((run) => run.metrics.filter((row) => row.phase === phase));
    const longest = Math.max(0, ...lines.map((rows) => rows.length));
    const x = Array.from({ length: longest }, (_, number) => number + 1);
    const values = (rows, key) => x.map((_, number) => root(rows[number]?.[key] ?? null));
    const series = measured.flatMap((run, colour) => [
      { name: named(run, "training"), values: values(lines[colour], "train_mse"), colour, dash: 0 },
      { name: named(run, "validation"), values: values(lines[colour], "validation_mse"), colour, dash: 1 },
    ]);
    place.replaceChildren(
      longest > 0
        ? chart({ x, across: "epoch", series, digits: 4 })
        : element("p", { class: "note" }, "This phase was not fitted: it has no positions."),
    );
  };
  section(
    "Error by epoch",
    "The root of the mean squared error of one phase while it was fitted, before weights were rounded.",
    phaseSlider(show),
    place,
  );
}

function coverage() {
  const place = element("div");
  const names = [...new Set(runs.flatMap((run) => run.weights.patterns.map((pattern) => pattern.name)))];
  if (names.length === 0) return;
  const show = (number) => {
    const series = runs.flatMap((run, colour) => {
      const pattern = run.weights.patterns.find((one) => one.name === names[number]);
      if (!pattern) return [];
      return ["met at all", "10 times", "100 times"].map((what, least) => ({
        name: named(run, `${what}, of ${pattern.classes.toLocaleString("en")}`),
        values: pattern.met.map((met) => (100 * met[least]) / pattern.classes),
        colour,
        dash: least,
      }));
    });
    place.replaceChildren(chart({ x: PHASES, across: "phase", series, digits: 1 }));
  };
  section(
    "Coverage",
    "The percentage of the classes of a pattern that occur in training positions. A class is a configuration with its mirror images; a class that never occurs has no weight of its own.",
    element("div", { class: "choices" }, selection("Pattern", names, show)),
    place,
  );
  show(0);
}

function scalars() {
  for (const run of runs) {
    for (const scalar of run.weights.scalars) {
      const total = new Array(65).fill(0);
      for (const counts of scalar.counts) counts.forEach((count, number) => (total[number] += count));
      const all = total.reduce((sum, count) => sum + count, 0);
      if (all === 0) continue;
      // The numbers below which so much of what was met lies.
      const quantile = (part) => {
        let sum = 0;
        return total.findIndex((count) => (sum += count) >= part * all);
      };
      // A count may occur in every second phase only: a line goes on through the one between.
      const isMet = (phase, number) => scalar.counts[phase]?.[number] > 0;
      const chosen = [...new Set([0.1, 0.3, 0.5, 0.7, 0.9].map(quantile))];
      const series = chosen.map((number, colour) => ({
        name: `${number}`,
        values: PHASES.map((phase) =>
          isMet(phase, number)
            ? scalar.steps[phase][number] / 32
            : isMet(phase - 1, number) && isMet(phase + 1, number) ? undefined : null,
        ),
        colour,
      }));
      section(
        `Weight of ${scalar.name.replaceAll("_", " ")}${runs.length > 1 ? `: ${run.name}` : ""}`,
        "In discs, by phase: a line for each of some counts, from rarely small to rarely large ones; a count that occurs in fewer than two phases has no line.",
        chart({ x: PHASES, across: "phase", series, height: 220 }),
      );
    }
  }
}

// The models of pruning, if the weights have them.
function predictions() {
  const kinds = ["deviation", "offset", "slope"];
  for (const run of runs) {
    const { probcut } = run.weights.predictions;
    if (probcut.length === 0) continue;
    const plies = [...new Set(probcut.map((row) => row.ply))];
    const depths = [...new Set(probcut.map((row) => row.deep))].filter((deep) => deep % 2 === 0);
    const place = element("div");
    const show = (number) => {
      const series = depths.map((deep, colour) => {
        const rows = probcut.filter((row) => row.deep === deep);
        const name = `depth ${deep} by depth ${rows[0].shallow}`;
        return { name, values: rows.map((row) => row[kinds[number]]), colour };
      });
      place.replaceChildren(chart({ x: plies, across: "ply", series }));
    };
    section(
      `Prediction of deeper searches${runs.length > 1 ? `: ${run.name}` : ""}`,
      "A deeper search’s value is the slope times the shallow search’s value, plus the offset, in discs; the standard deviation is that of the difference. " +
        "Searches with ProbCut prune by this prediction.",
      element("div", { class: "choices" }, selection("Number", kinds, show)),
      place,
    );
    show(0);
  }
  const known = runs.map((run, colour) => ({ run, colour })).filter(({ run }) => run.weights.predictions.ends.length > 0);
  if (known.length === 0) return;
  const lines = known.flatMap(({ run, colour }) =>
    ["deviation", "offset"].map((kind, dash) => ({
      name: named(run, kind),
      values: run.weights.predictions.ends.map((row) => row[kind]),
      colour,
      dash,
    })),
  );
  section(
    "Prediction of exact scores",
    "As above, for the exact score: the endgame ProbCut schedule prunes by this prediction.",
    chart({ x: known[0].run.weights.predictions.ends.map((row) => row.empties), across: "empty squares", series: lines }),
  );
}

// Errors on data by number of empty squares: even and odd ones apart, since they differ by who moves last.
function byEmpties() {
  if (losses.length === 0) return;
  const name = ({ name, errors }) => `${name}, ${errors.depth === 0 ? "static" : `${errors.depth} plies`}`;
  const met = losses.flatMap(({ errors }) => errors.phases.filter((row) => row.positions > 0));
  const x = [...new Set(met.map((row) => row.empties))].sort((one, other) => one - other);
  const lines = (value) =>
    losses.flatMap((loss, colour) =>
      ["even", "odd"].map((parity, dash) => ({
        name: `${name(loss)}: ${parity}`,
        values: x.map((empties) => {
          const row = loss.errors.phases.find((one) => one.empties === empties);
          return empties % 2 === dash ? row?.[value] : null;
        }),
        colour,
        dash,
      })),
    );
  const heads = ["Errors of", "Empty squares", "Positions", "Bias", "Standard error", "MAE", "MSE"];
  const cells = (loss, of, row) => [name(loss), of, row.positions, row.bias, row.bias_error, row.mae, row.mse];
  const groups = losses.flatMap((loss) =>
    [...loss.errors.by_group, { name: "all", ...loss.errors }].map((row) => cells(loss, row.name, row)),
  );
  const rows = losses.flatMap((loss) =>
    loss.errors.phases.filter((row) => row.positions > 0).map((row) => cells(loss, row.empties, row)),
  );
  section(
    "Bias by number of empty squares",
    "By how many discs values are too high on average, separately for even and odd numbers of empty squares; 0 means no bias. The standard error counts each game once.",
    chart({ x, across: "empty squares", series: lines("bias"), overGaps: true }),
    element("div", { class: "table" }, table(heads, groups)),
    numbers(heads, rows),
  );
  section(
    "Mean absolute error by number of empty squares",
    "In discs, on the same positions.",
    chart({ x, across: "empty squares", series: lines("mae"), overGaps: true }),
  );
}

function played() {
  if (matches.length === 0) return;
  const heads = ["First", "Second", "Pairs", "Wins", "Draws", "Losses", "Discs", "±", "Elo", "from", "to", "p"];
  const rows = matches.map((one) => {
    const { first, second, pairs, wins, draws, losses, mean_discs, mean_discs_error, elo, elo_interval } = one;
    return [first, second, pairs, wins, draws, losses, mean_discs, mean_discs_error, elo, ...elo_interval, one.p_value];
  });
  // People read whole points, and a probability that is not nothing; the CSV has the numbers.
  const told = matches.map((one, number) => [
    ...rows[number].slice(0, 6),
    signed(one.mean_discs, 2),
    shown(one.mean_discs_error, 2),
    ...[one.elo, ...one.elo_interval].map((elo) => signed(elo)),
    probability(one.p_value),
  ]);
  section(
    "Matches",
    "Points of Elo by which the first player is stronger, with 95 % intervals; an interval that excludes 0 proves a difference.",
    eloPicture(),
    element("div", { class: "table" }, table(heads, told)),
    numbers(heads, rows),
  );
}

// A row for each match: the players, and the interval on a scale that all rows share.
function eloPicture() {
  const ends = matches.flatMap((one) => [one.elo, ...one.elo_interval]).filter((end) => end !== null);
  const most = Math.max(20, ...ends.map(Math.abs)) * 1.1;
  const x = (elo) => 50 + (elo / most) * 48;
  const rows = matches.flatMap(({ first, second, elo, elo_interval: [from, to] }) => {
    const scale = element("span", { class: "scale" });
    scale.innerHTML = `<svg width="100%" height="24">
      <line x1="50%" x2="50%" y1="0" y2="24"/>
      <line class="interval" x1="${x(from ?? -most)}%" x2="${x(to ?? most)}%" y1="12" y2="12"/>
      ${elo === null ? "" : `<circle cx="${x(elo)}%" cy="12" r="4"/>`}</svg>`;
    return [element("span", {}, `${first} against ${second}`), scale];
  });
  const words = { class: "matches", role: "img", "aria-label": "Elo points with intervals; the table has the numbers" };
  return element("div", words, ...rows, element("span", {}), element("span", { class: "zero" }, "0 Elo"));
}

function provenance() {
  const flat = (value, path = "", into = {}) => {
    if (value !== null && typeof value === "object") {
      for (const [key, inner] of Object.entries(value)) flat(inner, path ? `${path}.${key}` : key, into);
    } else into[path] = String(value);
    return into;
  };
  const all = runs.map((run) => flat(run.provenance));
  const keys = [...new Set(all.flatMap(Object.keys))].sort();
  const row = (key) => [key, ...all.map((one) => one[key] ?? "–")];
  const differing = keys.filter((key) => new Set(all.map((one) => one[key])).size > 1);
  const heads = ["", ...runs.map((run) => run.name)];
  const words = runs.length > 1 ? "The settings and data that differ between the runs." : "The settings and data that determine the weights.";
  const first = runs.length > 1 ? differing : keys;
  section(
    "Provenance",
    first.length > 0 ? words : "The runs were made from the same settings and data.",
    element("div", { class: "table whole" }, table(heads, first.map(row), true)),
    numbers(heads, keys.map(row)),
  );
}

summary();
errors();
data();
trainedOn();
epochs();
coverage();
sizes();
squaresSection(runs);
runs.forEach(patternSection);
scalars();
predictions();
byEmpties();
played();
provenance();
