import { Engine } from "othello-toolkit";

const engine = await Engine.load();
const game = engine.game("f5d6c3d3c4");
const { board } = game.at(-1);
console.log(board, "is worth", engine.value(board), "discs as it stands");
for (const { move, value, line } of engine.moves(board, { level: 6 })) {
  console.log(move, value, line.join(" "));
}
console.log("best:", engine.search(board, { level: 10 }).best);
