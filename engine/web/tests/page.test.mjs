// Tests of the page: the actions of a user.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { browser, conformance, drop, games, native, page, rules, weights as shipped } from "./browser.mjs";

const square = (name) => `button[aria-label^="${name},"]`;
const status = (shown) => shown.locator("#status").textContent();

test("a person plays both sides of a whole game with passes", async (t) => {
  const game = games(rules(), 40).find(({ positions }) => positions.filter((one) => one.passed).length >= 2);
  const shown = await page(await browser(t), { ready: false });
  await shown.selectOption("#playerO", "you");
  let passes = 0;
  for (const move of game.moves) {
    await shown.click(square(move));
    passes += /must pass/.test(await status(shown));
  }
  const end = game.positions.at(-1);
  assert.equal(passes, game.positions.filter((one) => one.passed).length);
  const winner = end.score > 0 ? "Black wins" : "White wins";
  assert.match(await status(shown), end.score === 0 ? /A draw/ : new RegExp(`${winner} by ${Math.abs(end.score)}`));
  const counts = await shown.locator(".side output").allTextContents();
  assert.deepEqual(counts.map(Number), [end.black, end.white]);
  assert.ok((await shown.evaluate(() => location.hash)).includes(game.moves.join("")));
  assert.deepEqual(shown.said, []);
});

test("two engines play a whole game, and its values are drawn", async (t) => {
  const shown = await page(await browser(t));
  for (const side of ["X", "O"]) {
    await shown.selectOption(`#level${side}`, "2");
    await shown.selectOption(`#player${side}`, "0");
  }
  await shown.waitForFunction(() => / by \d+\.|draw/.test(document.getElementById("status").textContent));
  const moves = Number(await shown.locator("#slider").getAttribute("max"));
  assert.ok(moves >= 50, `${moves} moves`);
  await shown.waitForFunction(
    (circles) => document.querySelectorAll("#graph circle").length === circles,
    moves + 1,
  );
  assert.deepEqual(shown.said, []);
});

test("a dropped file plays beside the shipped weights, and a damaged one is refused in words", async (t) => {
  const shown = await page(await browser(t));
  await drop(shown, "mine.weights", readFileSync(conformance));
  await shown.locator("th", { hasText: "mine.weights" }).waitFor();
  assert.equal(await shown.locator("th", { hasText: "Difference" }).count(), 1);
  await shown.waitForFunction(() => !document.getElementById("moves").textContent.includes("…"));
  await shown.selectOption("#playerO", { label: "mine.weights" });
  await shown.click(square("f5"));
  await shown.waitForFunction(() => document.getElementById("slider").max === "2");

  const damaged = readFileSync(conformance);
  damaged[60_000] ^= 1;
  for (const [bytes, words] of [
    [damaged, /damaged\.weights: damaged: section .* does not match its checksum; copy or make the file again/],
    [damaged.subarray(0, 50_000), /damaged\.weights: cut short/],
    [Buffer.from("no weights at all"), /damaged\.weights: begins with `no weigh`, which is not a file of this program/],
  ]) {
    await drop(shown, "damaged.weights", bytes);
    await shown.locator("#weights [role=alert]", { hasText: words }).waitFor({ timeout: 10_000 });
  }
  assert.equal(await shown.locator("th", { hasText: "mine.weights" }).count(), 1, "the one before stays");
  assert.deepEqual(shown.said, []);
});

test("a link, a pasted position and one that is set up by hand are opened; nonsense is refused in words", async (t) => {
  // A regression: the page failed if the number of moves in the address was not an integer.
  const shown = await page(await browser(t), { address: "#moves=f5d6c3d3c4&at=3.5" });
  await shown.selectOption("#playerO", "you");
  assert.equal(await shown.locator("#move").textContent(), "Move 3 of 5");
  await shown.click(square("a1"), { force: true }); // The button is marked as disabled.
  assert.match(await status(shown), /^a1 is not a legal move\. /);
  // A regression: this message was overwritten when the weights were loaded.
  const broken = await page(shown.context().browser(), { address: "#moves=f5d6c" });
  assert.match(await status(broken), /^The address holds no game: .*c/);
  await shown.click("#setup-title");
  const paste = async (text) => {
    await shown.fill("#pasted", text);
    await shown.click("text=Open it");
  };
  await paste("f5f4a1");
  await shown.locator("#setup [role=alert]", { hasText: "move 3" }).waitFor();
  await paste("-OOO------OOOO--XXXOOXXX-XOOOXX-XXXXOOOOOXXOOOO---OXOO---OOOO--- X; E1:+0; F8:-2;");
  assert.match(await status(shown), /Black to move/);
  assert.equal(await shown.locator("#countX").textContent(), "16");
  await shown.click("text=Set up by hand");
  await shown.click(square("a1"));
  await shown.selectOption("#side", "O");
  await shown.click("text=Take this position");
  assert.equal(await shown.locator("#countX").textContent(), "17");
  assert.match(await shown.evaluate(() => decodeURIComponent(location.hash)), /^#start=X.*O$/);
  assert.deepEqual(shown.said, []);
});

test("the page is played by keys, and everything has a name", async (t) => {
  const shown = await page(await browser(t));
  await shown.locator(square("d3")).focus();
  await shown.keyboard.press("ArrowLeft");
  await shown.keyboard.press("ArrowDown");
  assert.match(await shown.evaluate(() => document.activeElement.getAttribute("aria-label")), /^c4, empty, legal/);
  await shown.keyboard.press("Enter");
  await shown.waitForFunction(() => document.getElementById("slider").max === "2");
  await shown.keyboard.press("u");
  assert.equal(await shown.locator("#slider").getAttribute("max"), "0");
  const nameless = await shown.evaluate(() => {
    const controls = [...document.querySelectorAll("button, input, select, textarea")];
    const named = (it) => it.ariaLabel || it.labels?.length > 0 || it.textContent.trim();
    return controls.filter((it) => !named(it)).map((it) => it.outerHTML);
  });
  assert.deepEqual(nameless, []);
  assert.deepEqual(shown.said, []);
});

test("how often training met the weights is read when somebody looks at them", async (t) => {
  const shown = await page(await browser(t));
  const weights = shown.locator("#weights li small");
  assert.doesNotMatch(await weights.textContent(), /trained on/);
  assert.equal(await shown.locator("script[src='counts.js']").count(), 0);
  await shown.click("#parts-title");
  await shown.locator("#weights li small", { hasText: /trained on [\d,]+ positions/ }).waitFor();
  await shown.waitForFunction(() => !document.getElementById("parts").textContent.includes("…"));
  const largest = shown.locator("#parts table").nth(1).locator("tbody tr").first();
  const [squares] = await largest.locator("th").allTextContents();
  const [there, met] = (await largest.locator("td").allTextContents()).slice(-2);
  const asked = ["--inspect", squares, there.replaceAll("-", ".")];
  const { inspect } = native("othello-engine", "weights", shipped, ...asked);
  assert.equal(Number(met.replaceAll(",", "")), inspect.counts[0]);
  // The memory of WebAssembly never shrinks, so its size is the greatest size that was needed,
  // including the training counts.
  const [thread] = shown.workers();
  const bytes = await thread.evaluate(() => program.exports.memory.buffer.byteLength);
  t.diagnostic(`the program takes ${(bytes / 1e6).toFixed(0)} MB`);
  assert.ok(bytes < 360e6, `${bytes} bytes`);
  assert.deepEqual(shown.said, []);
});

test("a search that takes too long is given up when something else is wanted", async (t) => {
  const shown = await page(await browser(t));
  await shown.selectOption("#levelX", "40");
  await shown.waitForTimeout(3000);
  await shown.selectOption("#levelX", "1");
  await shown.selectOption("#levelO", "1");
  await shown.click(square("f5"));
  await shown.waitForFunction(() => document.getElementById("slider").max === "2", null, { timeout: 20_000 });
  await shown.selectOption("#levelO", "40");
  await shown.click(".square.legal");
  await shown.waitForTimeout(1500);
  assert.match(await shown.locator("#thinking").textContent(), /Thinking/);
  await shown.selectOption("#levelO", "1");
  await shown.waitForFunction(() => document.getElementById("slider").max === "4", null, { timeout: 20_000 });
  assert.deepEqual(shown.said, []);
});

test("pictures for the guides", { skip: !process.env.WEB_PICTURES && "only where asked for" }, async (t) => {
  const opened = await browser(t);
  const address = "#moves=f5d6c3d3c4f4f6g5e6c5f3b5b4a3c7e3g4g6c6h3c2f7";
  const wide = { viewport: { width: 1160, height: 800 } };
  const narrow = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
  for (const [name, options] of Object.entries({ page: wide, dark: { ...wide, colorScheme: "dark" }, phone: narrow })) {
    const shown = await page(opened, { address, ...options });
    await shown.selectOption("#playerO", "you");
    await shown.waitForFunction(() => document.querySelectorAll("#graph circle").length === 23, null, { timeout: 120_000 });
    if (name === "dark") await shown.check("input[value=parts]");
    if (name === "dark") await shown.click("#parts-title");
    await shown.evaluate(() => document.activeElement.blur());
    await shown.screenshot({ path: `${process.env.WEB_PICTURES}/${name}.png` });
    await shown.context().close();
  }
});
