// An evaluation in a thread of its own. A search cannot be interrupted: where one takes too long to be waited
// for, its thread is ended and another one is begun.

const PATIENCE = 400;

export class Engine {
  #last = 0;
  #open = new Map();
  #ready;

  // `source` is {name, played, counts}, {name, file} or {name, builtin}. `played` is what is played by, in base64;
  // `counts` gets the rest of the file.
  constructor(module, workerAddress, source) {
    Object.assign(this, { module, workerAddress, source, description: null });
    this.#begin();
  }

  // What the weights are; fails where they cannot be used.
  get ready() {
    return this.#ready;
  }

  // Reads how often training met each weight, where that was left for later.
  async readCounts() {
    await this.#ready;
    if (this.counts || !this.source.counts) return;
    this.counts = await this.source.counts();
    const known = await this.#send({ kind: "counts", name: this.source.name, counts: this.counts });
    Object.assign(this.description, known);
  }

  // The answer to a question; null where a search was stopped.
  ask(question) {
    return this.#send({ kind: "ask", question });
  }

  // Rates all moves of a position deeper and deeper; `told` hears of each.
  async deepen(task, told) {
    await this.stop();
    return this.#send({ kind: "deepen", ...task }, told);
  }

  // Ends what is being searched and rated: whoever waits for it gets null.
  async stop() {
    const searches = [...this.#open].filter(([, one]) => isSearch(one.message));
    if (searches.length === 0) return;
    for (const [id, one] of searches) {
      this.#open.delete(id);
      one.resolve(null);
    }
    const late = setTimeout(() => this.#restart(), PATIENCE);
    await this.#send({ kind: "stop" });
    clearTimeout(late);
  }

  end() {
    this.worker.terminate();
    for (const { resolve } of this.#open.values()) resolve(null);
    this.#open.clear();
  }

  #begin() {
    this.worker = new Worker(this.workerAddress);
    this.worker.onmessage = ({ data }) => this.#heard(data);
    this.worker.onerror = (event) => {
      event.preventDefault();
      this.#failAll(new Error(`the engine stopped: ${event.message || "no reason given"}`));
    };
    this.#ready = this.#load();
    this.#ready.catch(() => {}); // Whoever asks hears of it.
  }

  async #load() {
    const { name, played, file, builtin } = this.source;
    const bytes = file && new Uint8Array(await file.arrayBuffer());
    const message = { kind: "load", module: this.module, name, played, bytes, builtin };
    const description = await this.#post(message);
    if (this.counts) Object.assign(description, await this.#post({ kind: "counts", name, counts: this.counts }));
    this.description = description;
    return this.description;
  }

  #restart() {
    this.worker.terminate();
    const waiting = [...this.#open.values()];
    this.#open.clear();
    this.#begin();
    for (const one of waiting) {
      if (one.message.kind === "stop") one.resolve(null);
      else this.#send(one.message, one.told).then(one.resolve, one.reject);
    }
  }

  async #send(message, told) {
    await this.#ready;
    return this.#post(message, told);
  }

  #post(message, told) {
    return new Promise((resolve, reject) => {
      const id = ++this.#last;
      this.#open.set(id, { message, told, resolve, reject });
      this.worker.postMessage({ ...message, id });
    });
  }

  #heard({ id, answer, error, rated, round, done }) {
    const one = this.#open.get(id);
    if (!one) return;
    if (rated) return one.told(rated, round);
    this.#open.delete(id);
    if (error !== undefined) one.reject(new Error(error));
    else one.resolve(done ? true : answer);
  }

  #failAll(error) {
    for (const { reject } of this.#open.values()) reject(error);
    this.#open.clear();
  }
}

function isSearch({ kind, question }) {
  return kind === "deepen" || question?.ask === "search";
}
