// The page: a game, its players, and the analysis of its positions by the evaluations.

import { Analysis } from "./analysis.js";
import { BoardView } from "./board.js";
import { Game } from "./game.js";
import { GraphView } from "./graph.js";
import { MovesView } from "./moves.js";
import { PartsView, tintsOf } from "./parts.js";
import { Players } from "./players.js";
import { HOST, Program, bytesOf } from "./program.js";
import { Setup } from "./setup.js";
import { SIDES, element, squareNumber, valueText } from "./text.js";

const LEVELS = [...Array.from({ length: 24 }, (_, n) => n + 1), 26, 28, 30, 40, 60];
const FIRST_LEVEL = 10;
const HUMAN = "you";

const at = (id) => document.getElementById(id);

class Page {
  constructor(program, module) {
    this.game = new Game(program);
    this.board = new BoardView(at("board"), (square) => this.#pressed(square));
    this.graph = new GraphView(at("graph"), (move) => this.#goTo(move));
    this.moves = new MovesView(at("moves"), {
      chosen: (square) => this.#play(square),
      looked: (line) => this.board.outline(line.slice(0, 1)),
    });
    this.partsView = new PartsView(at("parts"), (squares) => this.board.outline(squares));
    this.players = new Players(at("weights"), module, () => this.#evaluationsChanged());
    this.analysis = new Analysis(() => this.#showSoon());
    this.setup = new Setup(at("setup"), this.game, () => this.#changed());
    this.parts = null;
    this.turn = 0;
    this.#controls();
    this.#openAddress();
    addEventListener("hashchange", () => this.#openAddress());
  }

  async begin(played, counts) {
    await this.players.begin(played, counts);
    if (at("parts").closest("details").open) this.#readCounts();
    document.documentElement.dataset.ready = "true";
  }

  #controls() {
    at("new").onclick = () => this.#changed(() => this.game.set(this.game.start, []));
    at("first").onclick = () => this.#goTo(0);
    at("back").onclick = () => this.#goTo(this.game.at - 1);
    at("forward").onclick = () => this.#goTo(this.game.at + 1);
    at("last").onclick = () => this.#goTo(this.game.moves.length);
    at("undo").onclick = () => this.#undo();
    at("slider").oninput = () => this.#goTo(Number(at("slider").value));
    at("share").onclick = () => this.#copy(location.href, "The link is copied.");
    at("transcript").onclick = () =>
      this.#copy(this.game.moves.join("") || this.game.position.board, "The game is copied.");
    for (const side of ["X", "O"]) {
      at(`level${side}`).append(...LEVELS.map((level) => element("option", { value: level }, level)));
      at(`level${side}`).value = FIRST_LEVEL;
      at(`player${side}`).onchange = () => this.#changed();
      at(`level${side}`).onchange = () => this.#changed();
    }
    this.#offerPlayers();
    at("playerO").value = "0";
    for (const radio of document.querySelectorAll("input[name=view]")) radio.onchange = () => this.#changed();
    const details = at("parts").closest("details");
    details.ontoggle = () => details.open && this.#readCounts();
    addEventListener("keydown", (event) => this.#key(event));
    addEventListener("dragover", (event) => this.#drag(event, true));
    addEventListener("dragleave", (event) => this.#drag(event, false));
    addEventListener("drop", (event) => {
      this.#drag(event, false);
      if (event.dataTransfer.files[0]) this.players.open(event.dataTransfer.files[0]);
    });
  }

  // Reads the training counts of the weights, when the user opens the view of the weights.
  #readCounts() {
    this.players.readCounts().catch((error) => this.#say(error.message));
  }

  #key(event) {
    const typing = event.target.closest?.("input, textarea, select");
    if (typing || event.altKey || event.ctrlKey || event.metaKey) return;
    const ids = { n: "new", u: "undo", b: "back", f: "forward", s: "share" };
    const id = ids[event.key];
    if (!id) return;
    event.preventDefault();
    at(id).click();
  }

  #drag(event, over) {
    event.preventDefault();
    document.body.classList.toggle("dropping", over);
  }

  async #copy(text, said) {
    try {
      await navigator.clipboard.writeText(text);
      this.#say(said);
    } catch {
      prompt("Copy this:", text);
    }
  }

  // Returns the player of a side: an engine, or null for a human.
  #playerOf(side) {
    const choice = at(`player${side}`).value;
    return choice === HUMAN ? null : (this.players.engines[Number(choice)] ?? null);
  }

  #offerPlayers() {
    const names = this.players.engines.map((engine) => engine.source.name);
    if (names.length === 0) names.push("shipped weights");
    for (const side of ["X", "O"]) {
      const select = at(`player${side}`);
      const before = select.value || HUMAN;
      const options = names.map((name, number) => element("option", { value: number }, name));
      select.replaceChildren(element("option", { value: HUMAN }, "You"), ...options);
      select.value = before;
      if (select.selectedIndex < 0) select.value = "0";
    }
  }

  #evaluationsChanged() {
    this.#offerPlayers();
    const said = at("status").textContent; // Such as what is wrong with the address.
    this.#changed();
    this.#say(said);
  }

  #openAddress() {
    try {
      if (location.hash.slice(1) !== this.game.address) this.game.openAddress(location.hash.slice(1));
      this.#changed();
    } catch (error) {
      this.#changed();
      this.#say(`The address holds no game: ${error.message}`);
    }
  }

  #pressed(square) {
    if (this.setup.editing) {
      this.setup.press(squareNumber(square));
      this.#show();
    } else if (!this.#playerOf(this.game.side)) {
      this.#play(square);
    }
  }

  #play(square) {
    if (this.setup.editing) return;
    if (!this.game.position.legal.includes(square)) {
      this.#say(`${square} is not a legal move. ${this.#whoseTurn()}`);
      return;
    }
    const side = SIDES[this.game.side];
    this.#changed(() => this.game.play(square));
    this.#say(`${side} played ${square}. ${this.#whoseTurn()}`);
  }

  // Takes back moves to the last position in which a human is to move. If there is no such
  // position, takes back one move.
  #undo() {
    let to = this.game.at - 1;
    const byEngine = (move) => this.#playerOf(this.game.positions[move].board[65]);
    while (to > 0 && byEngine(to)) to--;
    const kept = to < 0 || byEngine(to) ? this.game.at - 1 : to;
    if (kept >= 0) this.#changed(() => this.game.set(this.game.start, this.game.moves.slice(0, kept)));
  }

  #goTo(move) {
    this.#changed(() => this.game.goTo(move));
  }

  #whoseTurn() {
    const { over, passed, score, legal } = this.game.position;
    if (over) return score === 0 ? "A draw." : `${score > 0 ? "Black" : "White"} wins by ${Math.abs(score)}.`;
    const other = SIDES[this.game.side === "X" ? "O" : "X"];
    const pass = passed ? `${other} must pass. ` : "";
    const count = legal.length === 1 ? "1 legal move" : `${legal.length} legal moves`;
    return `${pass}${SIDES[this.game.side]} to move: ${count}.`;
  }

  #say(text) {
    at("status").textContent = text;
  }

  #wait(text) {
    at("thinking").textContent = text;
  }

  // Makes a change, shows the new state, and starts the searches for the new position.
  #changed(change = () => {}) {
    change();
    if (location.hash.slice(1) !== this.game.address) {
      history.replaceState(null, "", `#${this.game.address}`);
    }
    this.parts = null;
    this.#say(this.#whoseTurn());
    this.#show();
    this.#think(++this.turn).catch((error) => this.#say(error.message));
  }

  // Searches in this order: the move of the engine to move, the parts of the static value, all
  // moves, and the graph of the game.
  async #think(turn) {
    const { position, empties } = this.game;
    const engines = this.players.engines.filter((engine) => engine.description);
    const over = () => turn !== this.turn;
    this.#wait(engines.length === 0 ? "The weights are being read…" : "");
    if (engines.length === 0) return;
    await Promise.all(engines.map((engine) => engine.stop()));
    if (over() || this.setup.editing) return;
    const player = this.#playerOf(this.game.side);
    const atEnd = this.game.at === this.game.moves.length;
    if (player && engines.includes(player) && !position.over && atEnd) {
      const level = Number(at(`level${this.game.side}`).value);
      const question = { ask: "search", board: position.board, level, forget: false };
      this.#wait("Thinking…");
      const found = await player.ask(question);
      if (over() || !found) return;
      return this.#play(found.best);
    }
    if (position.over) return this.#fillGraph(turn, engines);
    this.parts = await engines[0].ask({ ask: "parts", board: position.board });
    if (over() || !this.parts) return;
    this.partsView.show(position.board, this.parts);
    this.#show();
    const level = Math.max(Number(at("levelX").value), Number(at("levelO").value));
    await Promise.all(engines.map((engine) => this.analysis.look(engine, position, empties, level)));
    if (!over()) await this.#fillGraph(turn, engines);
  }

  async #fillGraph(turn, engines) {
    for (const engine of engines) {
      while (turn === this.turn && (await this.analysis.fill(engine, this.game.positions)));
    }
  }

  // Shows the new state with the next frame of the screen, at most once for each frame.
  #showSoon() {
    if (this.awaited) return;
    this.awaited = requestAnimationFrame(() => {
      this.awaited = null;
      this.#show();
    });
  }

  #show() {
    const { game } = this;
    const { position } = game;
    const engines = this.players.engines.filter((engine) => engine.description);
    const analyses = engines.map((engine) => ({
      name: engine.source.name,
      moves: this.analysis.of(engine, position.board).moves,
    }));
    const view = document.querySelector("input[name=view]:checked").value;
    const editing = this.setup.editing;
    const shown = editing ? { board: this.setup.board, legal: [] } : position;
    this.board.show(shown, {
      last: game.at > 0 ? game.moves[game.at - 1] : null,
      marks: view === "values" && analyses.length > 0 ? marksOf(analyses[0].moves) : {},
      tints: view === "parts" && this.parts && !editing ? tintsOf(this.parts) : null,
      editing,
    });
    for (const [side, count] of [["X", position.black], ["O", position.white]]) {
      at(`count${side}`).textContent = count;
      at(`bar${side}`).classList.toggle("turn", !position.over && game.side === side);
    }
    this.moves.show(position, analyses);
    const lines = engines.map((engine) => ({
      name: engine.source.name,
      values: game.positions.map((one) => this.analysis.valueForBlack(engine, one)),
    }));
    this.graph.show(lines.length > 0 ? lines : [{ name: "", values: game.positions.map(() => null) }], game.at);
    this.#showControls();
  }

  #showControls() {
    const { at: move, moves } = this.game;
    for (const id of ["first", "back", "undo"]) at(id).disabled = move === 0;
    for (const id of ["forward", "last"]) at(id).disabled = move === moves.length;
    Object.assign(at("slider"), { max: moves.length, value: move });
    at("move").textContent = `Move ${move} of ${moves.length}`;
  }
}

function marksOf(moves) {
  const best = Math.max(...[...moves.values()].map((found) => found.steps));
  const marks = [...moves].map(([square, found]) => [
    square,
    { text: valueText(found), best: found.steps === best },
  ]);
  return Object.fromEntries(marks);
}

// The weights are in a separate script, which the browser loads after this script, so that the
// board appears earlier. The training counts are in a third script, which is loaded on demand.
let takeShippedWeights, takeShippedCounts;
const shippedWeights = new Promise((take) => (takeShippedWeights = take));
const countsTaken = new Promise((take) => (takeShippedCounts = take));
function shippedCounts() {
  return new Promise((done, fail) => {
    const onerror = () => fail(new Error("the counts of the weights are not there: counts.js"));
    document.head.append(element("script", { src: "counts.js", onload: () => done(countsTaken), onerror }));
  });
}

async function begin() {
  const module = await WebAssembly.compile(await bytesOf(ENGINE_PROGRAM));
  const program = new Program(await WebAssembly.instantiate(module, HOST));
  const page = new Page(program, module);
  performance.mark("board");
  const played = await shippedWeights;
  performance.mark("weights arrived");
  await page.begin(played, shippedCounts);
  performance.mark("weights ready");
}

begin().catch((error) => {
  at("status").textContent = `This browser cannot run the engine: ${error.message}`;
});
