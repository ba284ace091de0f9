// The evaluations on the page: the shipped evaluation, and a weights file that the user has added.

import { Engine } from "./engine.js";
import { element } from "./text.js";

export class Players {
  // Calls `changed` whenever an evaluation is added or removed.
  constructor(root, module, changed) {
    const blob = new Blob([ENGINE_WORKER], { type: "text/javascript" });
    Object.assign(this, { root, module, changed, engines: [] });
    this.workerAddress = URL.createObjectURL(blob);
    this.problem = element("p", { class: "problem", role: "alert", hidden: true });
    this.list = element("ul", { class: "weights" });
    const file = element("input", {
      type: "file",
      accept: ".weights",
      id: "file",
      onchange: () => {
        if (file.files[0]) this.open(file.files[0]);
        file.value = "";
      },
    });
    const label = element("label", { for: "file", class: "button" }, "Open a .weights file");
    root.append(this.list, this.problem, element("p", {}, file, label, " or drop it anywhere on the page."));
  }

  // Loads the shipped weights. The promise resolves when the weights are ready.
  async begin(played, counts) {
    const engine = this.#engine({ name: "shipped weights", played, counts });
    this.engines.push(engine);
    this.#show();
    const { took } = await engine.ready;
    for (const [name, duration] of Object.entries(took)) performance.measure(name, { start: 0, duration });
    this.#show();
    this.changed();
  }

  // Reads the training counts of the first evaluation. They take as long to load as the weights,
  // and only the view of the weights needs them.
  async readCounts() {
    if (this.engines.length === 0) return;
    await this.engines[0].readCounts();
    this.#show();
    this.changed();
  }

  // Loads a file as the second evaluation. If the file cannot be used, shows the reason and changes
  // nothing.
  async open(file) {
    this.problem.hidden = true;
    const engine = this.#engine({ name: file.name, file });
    try {
      await engine.ready;
    } catch (error) {
      engine.end();
      this.problem.textContent = `Not taken: ${error.message}`;
      this.problem.hidden = false;
      return;
    }
    this.engines.splice(1).forEach((one) => one.end());
    this.engines.push(engine);
    this.#show();
    this.changed();
  }

  #remove(engine) {
    this.engines = this.engines.filter((one) => one !== engine);
    this.#show();
    this.changed();
    engine.end();
  }

  #engine(source) {
    return new Engine(this.module, this.workerAddress, source);
  }

  #show() {
    this.list.replaceChildren(...this.engines.map((engine, number) => this.#item(engine, number)));
  }

  #item(engine, number) {
    const { name } = engine.source;
    const about = engine.description;
    const facts = about
      ? `pattern set “${about.set}”, ${trainedOn(about)}SHA-256 ${about.identity.slice(0, 12)}…`
      : "being read…";
    const remove = element(
      "button",
      { type: "button", class: "plain", "aria-label": `Remove ${name}`, onclick: () => this.#remove(engine) },
      "Remove",
    );
    return element(
      "li",
      {},
      element("span", { class: `swatch value${number}`, "aria-hidden": "true" }),
      element("div", {}, element("strong", {}, name), element("small", {}, facts)),
      this.engines.length > 1 ? remove : null,
    );
  }
}

function trainedOn({ positions }) {
  return positions === null ? "" : `trained on ${positions.toLocaleString("en")} positions, `;
}
