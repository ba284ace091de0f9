// An evaluation in a separate worker thread. A search cannot be interrupted. If a search that must
// stop takes too long, its thread is terminated and a new thread is started.

const PATIENCE = 400;

export class Engine {
  #last = 0;
  #open = new Map();
  #ready;

  // `source` is {name, played, counts}, {name, file} or {name, builtin}. `played` is the weights
  // file without training counts, in base64. `counts` is a function that fetches the training
  // counts.
  constructor(module, workerAddress, source) {
    Object.assign(this, { module, workerAddress, source, description: null });
    this.#begin();
  }

  // A promise of the description of the weights, which is rejected if the weights cannot be used.
  get ready() {
    return this.#ready;
  }

  // Reads the training counts (occurrences of each weight in training), if they are in a separate
  // file.
  async readCounts() {
    await this.#ready;
    if (this.counts || !this.source.counts) return;
    this.counts = await this.source.counts();
    const known = await this.#send({ kind: "counts", name: this.source.name, counts: this.counts });
    Object.assign(this.description, known);
  }

  // Returns a promise of the answer to a question, which is null if a search was stopped.
  ask(question) {
    return this.#send({ kind: "ask", question });
  }

  // Searches all moves of a position with increasing depth. Calls `told` with the result of each
  // search.
  async deepen(task, told) {
    await this.stop();
    return this.#send({ kind: "deepen", ...task }, told);
  }

  // Stops all searches. Their promises resolve to null.
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
