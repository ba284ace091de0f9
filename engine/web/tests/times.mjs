// Measures the time from opening the page to the engine's first move, and the steps of this time.
// This is a measurement on a quiet machine, not a test: scripts/check-web.sh --times.

import { launched, page } from "./browser.mjs";

const RUNS = 5;
const opened = await launched();
const runs = [];
for (let run = 0; run <= RUNS; run++) {
  const shown = await page(opened, { ready: false, address: "#moves=f5" });
  await shown.waitForFunction(() => document.getElementById("slider").max === "2", null, { polling: 5 });
  const times = await shown.evaluate(() => {
    const now = performance.now();
    const marks = performance.getEntriesByType("mark").map(({ name, startTime }) => [name, startTime]);
    const parts = performance.getEntriesByType("measure").map(({ name, duration }) => [`of it, ${name}`, duration]);
    return Object.fromEntries([...marks, ...parts, ["first move", now]]);
  });
  if (run > 0) runs.push(times); // The first one also starts the browser.
  await shown.context().close();
}
await opened.close();
for (const name of Object.keys(runs[0])) {
  const sorted = runs.map((times) => times[name]).sort((a, b) => a - b);
  console.log(`${name}: ${sorted[RUNS >> 1].toFixed(0)} ms (${sorted[0].toFixed(0)} to ${sorted.at(-1).toFixed(0)})`);
}
