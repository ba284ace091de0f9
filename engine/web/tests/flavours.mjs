// Measures the shipped or the small weights of the npm package, which is installed in the working
// folder: node flavours.mjs shipped|small. All times are processor times.

import { statSync } from "node:fs";

import { Engine } from "othello-toolkit";

const [weights] = process.argv.slice(2);
const seconds = () => process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6;
const begun = seconds();
const engine = await Engine.load({ weights });
const loaded = seconds();
const boards = engine.game("f5d6c3d3c4f4c5b3c2e6c6b4b5d2e3a6").slice(6).map(({ board }) => board);
const nodes = boards.map((board) => engine.search(board, { depth: 9, forget: true }).nodes).reduce((sum, it) => sum + it);
const searched = seconds();
const many = boards.flatMap((board) => Array(1000).fill(board));
engine.values(many);
console.log(weights, {
  bytes: statSync(`node_modules/othello-toolkit/${weights}.weights`).size,
  load: loaded - begun,
  resident: process.resourceUsage().maxRSS / 1024,
  nodesPerSecond: nodes / (searched - loaded),
  valuesPerSecond: many.length / (seconds() - searched),
});
