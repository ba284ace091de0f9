// Charts by uPlot, each with its numbers in a table below, and as CSV.

const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const COLOURS = matchMedia("(prefers-color-scheme: dark)").matches
  ? ["#56c596", "#b3a2e0", "#e58d67", "#7cc0e8", "#e3cf6a", "#e89ac0"]
  : ["#1c7a55", "#6b5b95", "#b3502b", "#22709f", "#8a7410", "#a8447a"];
const DASHES = [[], [7, 4], [2, 3]];
const DASH_WORDS = ["", " (dashed)", " (dotted)"];

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

const shown = (value, digits = 3) =>
  value === null || value === undefined
    ? "–"
    : Number.isInteger(value) ? value.toLocaleString("en") : value.toFixed(digits);

// A probability, which is never nothing.
const probability = (p) => (p === null || p === undefined ? "–" : p < 0.001 ? "< 0.001" : p.toFixed(3));

const signed = (value, digits = 0) =>
  value === null || value === undefined ? "–" : (value > 0 ? "+" : "") + value.toFixed(digits);

function section(title, words, ...content) {
  const made = element("section", {}, element("h2", {}, title), element("p", {}, words), ...content);
  document.getElementById("report").append(made);
  return made;
}

// A line chart. `series` has for each line its name, its values, and its colour and dash by number; lines end
// where values are missing, or lead over these gaps.
function chart({ x, across, series, height = 280, logarithmic = false, digits = 3, overGaps = false }) {
  const place = element("div");
  const holder = element("div", {}, place, numbers([across, ...series.map((one) => one.name)], rows()));
  function rows() {
    return x.map((at, number) => [at, ...series.map((one) => one.values[number])]);
  }
  const grid = { stroke: style("--line"), width: 1 };
  const axis = { stroke: style("--soft"), grid, ticks: grid };
  const tens = (_, values) => values.map((value) => (Math.log10(value) % 1 === 0 ? value : null));
  const upwards = logarithmic ? { ...axis, grid: { ...grid, filter: tens } } : axis;
  const options = {
    width: 600,
    height,
    scales: { x: { time: false }, y: logarithmic ? { distr: 3 } : {} },
    axes: [{ ...axis, label: across, labelSize: 22 }, { ...upwards, size: 76 }],
    series: [
      { label: across },
      ...series.map(({ name, colour, dash = 0 }) => ({
        label: name + DASH_WORDS[dash],
        stroke: COLOURS[colour % COLOURS.length],
        dash: DASHES[dash],
        width: 2,
        spanGaps: overGaps,
        points: { show: x.length < 20 },
        value: (_, value) => shown(value, digits),
      })),
    ],
  };
  // A line is broken where there is null, and goes on through what is undefined.
  const drawable = (v) => (logarithmic && !(v > 0) ? null : v);
  const values = series.map((one) => one.values.map(drawable));
  requestAnimationFrame(() => {
    const drawn = new uPlot(options, [x, ...values], place);
    const fit = () => drawn.setSize({ width: Math.max(280, place.clientWidth), height });
    new ResizeObserver(fit).observe(place);
  });
  return holder;
}

// A table that can be opened, and copied as CSV.
function numbers(heads, rows) {
  const csv = () => [heads, ...rows].map((row) => row.map(field).join(",")).join("\n");
  const copy = element("button", { type: "button", onclick: () => copyText(csv(), copy) }, "Copy as CSV");
  const holder = element("div", { class: "table" });
  const details = element("details", {}, element("summary", {}, "Numbers"), copy, holder);
  // Built when it is first wanted: there are many.
  details.addEventListener("toggle", () => holder.firstChild ?? holder.append(table(heads, rows)));
  return details;
}

function table(heads, rows, words = false) {
  return element(
    "table",
    { class: words ? "words" : null },
    element("thead", {}, element("tr", {}, ...heads.map((text) => element("th", { scope: "col" }, text)))),
    element(
      "tbody",
      {},
      ...rows.map((row) => element("tr", {}, ...row.map((cell) => element("td", {}, cellText(cell))))),
    ),
  );
}

function cellText(cell) {
  return cell instanceof Node || typeof cell === "string" ? cell : shown(cell);
}

function field(cell) {
  const text = cell instanceof Node ? cell.textContent : String(cell ?? "");
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

async function copyText(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    const before = button.textContent;
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = before), 1500);
  } catch {
    prompt("Copy this:", text);
  }
}

// A choice of a phase; `chosen` hears of it, now and whenever it moves.
function phaseSlider(chosen, first = 30) {
  const output = element("output", {});
  const slider = element("input", { type: "range", min: 0, max: 59, value: first, "aria-label": "Phase" });
  const tell = () => {
    output.textContent = `phase ${slider.value}`;
    chosen(Number(slider.value));
  };
  slider.addEventListener("input", tell);
  tell();
  return element("div", { class: "choices" }, slider, output);
}

function selection(label, options, chosen) {
  const select = element(
    "select",
    { onchange: () => chosen(Number(select.value)) },
    ...options.map((text, number) => element("option", { value: number }, text)),
  );
  return element("label", {}, `${label} `, select);
}
