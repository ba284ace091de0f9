// Tests the report of real runs in a browser.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import test from "node:test";

import { browser, conformance, native, open } from "./browser.mjs";

test("the report of two runs and a match is drawn, and its numbers can be copied", async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), "othello-report-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const at = (name) => path.join(folder, name);
  native("othello-engine", "selfplay", "--games", "200", "--seed", "1", "--depth", "1", "--out", at("a.games"));
  const fit = (seed, out) =>
    native("othello-trainer", "fit", at("a.games"), "--patterns", "small", "--optimizer", "lsq", "--seed", seed, "--out", at(out));
  fit("1", "one.weights");
  fit("2", "two.weights");
  const boards = "--------------------------OXX------XO--------------------------- O\n";
  writeFileSync(at("openings.txt"), boards);
  const rules = ["--openings", at("openings.txt"), "--pairs", "1", "--depth", "1", "--exact", "4"];
  const played = native("othello-trainer", "match", at("one.weights"), at("two.weights"), ...rules);
  const clear = { elo: 105.632, elo_interval: [80.25, 131.5], p_value: 1e-9 };
  writeFileSync(at("match.json"), JSON.stringify({ ...played, ...clear }));
  const runs = [at("one.weights"), at("two.weights"), "--match", at("match.json")];
  const written = native("othello-trainer", "report", ...runs, "--out", at("page.html"));
  assert.deepEqual([written.runs, written.matches, written.without_report], [2, 1, []]);

  const set = native("othello-engine", "weights", at("one.weights")).patterns;
  const shown = await open(await browser(t), at("page.html"));
  const titles = await shown.locator("h2").allTextContents();
  const wanted = ["Runs", "Error by phase", "Data by ply", "Error by epoch", "Coverage", "Influence of squares"];
  for (const title of [...wanted, "Matches", "Provenance"]) assert.ok(titles.includes(title), title);
  await shown.waitForFunction(() => document.querySelectorAll(".uplot canvas").length >= 7);
  // The numbers of every chart are in a table under the chart, and in a legend while the pointer is
  // on the chart.
  const section = shown.locator("section", { has: shown.locator("h2", { hasText: /^Error by phase$/ }) });
  assert.equal(await section.locator(".table tbody tr").count(), 0);
  await section.locator("summary").last().click();
  // The table appears a moment after the click.
  await section.locator(".table tbody tr").last().waitFor();
  assert.equal(await section.locator(".table tbody tr").count(), 60);
  await section.locator(".u-over").hover({ position: { x: 200, y: 50 } });
  assert.match(await section.locator(".u-legend").textContent(), /phase\D*\d+/);
  // Elo differences are integers, small probabilities are not shown as 0, and each interval is next
  // to its players.
  const matches = shown.locator("section", { has: shown.locator("h2", { hasText: "Matches" }) });
  assert.match(await matches.locator(".table tbody").first().textContent(), /\+106\+80\+132< 0\.001$/);
  const [players, scale] = await Promise.all([0, 1].map((n) => matches.locator(".matches > span").nth(n).boundingBox()));
  assert.ok(Math.abs(players.y + players.height / 2 - scale.y - scale.height / 2) < 4, "an interval out of line");
  // The two runs differ in their seeds.
  const provenance = shown.locator("section", { has: shown.locator("h2", { hasText: "Provenance" }) });
  assert.match(await provenance.locator(".table tbody").first().textContent(), /settings\.seed\s*1\s*2/);
  // The four corners are a pattern of the set, in any order of drawing.
  const weights = shown.locator("section", { hasText: "Draw squares" }).first();
  await weights.locator("text=Empty the board").click();
  for (const corner of ["h8", "a1", "h1", "a8"]) await weights.locator(`button[aria-label^="${corner},"]`).click();
  await weights.locator("p", { hasText: "corners: a1 h1 a8 h8" }).waitFor();
  // The table lists the patterns of the set by their influence.
  const sizes = shown.locator("section", { has: shown.locator("h2", { hasText: "Influence of patterns by phase: one" }) });
  assert.equal(await sizes.locator(".table.whole tbody tr").count(), set.length);
  assert.deepEqual(shown.said, []);
  if (process.env.WEB_PICTURES) {
    mkdirSync(process.env.WEB_PICTURES, { recursive: true });
    await shown.evaluate(() => scrollTo(0, 0));
    await shown.screenshot({ path: path.join(process.env.WEB_PICTURES, "report.png") });
    await matches.screenshot({ path: path.join(process.env.WEB_PICTURES, "matches.png") });
  }
});

test("a count that occurs in every second phase only has a line", async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), "othello-report-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const at = (name) => path.join(folder, name);
  writeFileSync(at("set.toml"), 'name = "quadrants"\nscalars = ["odd_quadrants"]\n[[pattern]]\nsquares = "a1 b1 c1"\n');
  native("othello-engine", "selfplay", "--games", "200", "--seed", "1", "--depth", "1", "--out", at("a.games"));
  native("othello-trainer", "fit", at("a.games"), "--patterns", at("set.toml"), "--out", at("one.weights"));
  native("othello-trainer", "report", at("one.weights"), "--out", at("page.html"));
  const shown = await open(await browser(t), at("page.html"));
  const section = shown.locator("section", { has: shown.locator("h2", { hasText: "Weight of odd quadrants" }) });
  await section.locator("canvas").waitFor();
  // Counts the pixels of a chart that are not grey: its lines.
  const coloured = (canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let at = 0; at < data.length; at += 4) {
      const [least, most] = [Math.min(...data.slice(at, at + 3)), Math.max(...data.slice(at, at + 3))];
      if (data[at + 3] > 200 && most - least > 60) count += 1;
    }
    return count;
  };
  await shown.waitForTimeout(500);
  assert.ok((await section.locator("canvas").evaluate(coloured)) > 200, "an empty chart");
  if (process.env.WEB_PICTURES) await section.screenshot({ path: path.join(process.env.WEB_PICTURES, "odd-quadrants.png") });
});

test("the report of a weights file alone shows what the file holds", async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), "othello-report-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const out = path.join(folder, "page.html");
  native("othello-trainer", "report", conformance, "--out", out);
  const shown = await open(await browser(t), out);
  const titles = await shown.locator("h2").allTextContents();
  for (const title of ["Runs", "Data by phase", "Coverage", "Influence of patterns by phase", "Provenance"]) {
    assert.ok(titles.includes(title), title);
  }
  assert.ok(!titles.includes("Error by phase"));
  assert.match(await shown.locator("section").first().textContent(), /no report of a fit/);
  assert.deepEqual(shown.said, []);
});
