// Draws formulas by KaTeX: each line of the input is a JSON list of a formula and whether it stands alone, each line of
// the output a JSON object with its `html` or an `error`.
import { createInterface } from "node:readline";
import katex from "katex";

for await (const line of createInterface({ input: process.stdin })) {
  const [formula, displayMode] = JSON.parse(line);
  try {
    console.log(JSON.stringify({ html: katex.renderToString(formula, { displayMode, strict: "error" }) }));
  } catch ({ message }) {
    console.log(JSON.stringify({ error: message }));
  }
}
