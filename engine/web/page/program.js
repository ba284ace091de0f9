// The engine's program: a WebAssembly module that answers questions in JSON.

// The imports of the WebAssembly module: a clock in milliseconds.
export const HOST = { host: { milliseconds: () => performance.now() } };

export class Program {
  constructor(instance) {
    this.exports = instance.exports;
  }

  // Asks a question and returns the answer. Throws an error with the message of the engine.
  ask(question) {
    this.#write([new TextEncoder().encode(JSON.stringify(question))]);
    return this.#answer(this.exports.ask());
  }

  // Loads a weights file from its bytes. If `how` is `load_part` or `load_counts`, the bytes are a
  // part of a file: the weights without training counts, or only the counts.
  load(name, bytes, how = "load") {
    const encoded = new TextEncoder().encode(name);
    this.#write([encoded, bytes]);
    return this.#answer(this.exports[how](encoded.length));
  }

  #write(parts) {
    let at = this.exports.buffer(parts.reduce((sum, part) => sum + part.length, 0));
    for (const part of parts) {
      new Uint8Array(this.exports.memory.buffer, at, part.length).set(part);
      at += part.length;
    }
  }

  #answer(length) {
    const bytes = new Uint8Array(this.exports.memory.buffer, this.exports.answer(), length);
    const { answer, error } = JSON.parse(new TextDecoder().decode(bytes));
    if (error !== undefined) throw new Error(error);
    return answer;
  }
}

// Decodes base64 to bytes.
export async function bytesOf(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const answer = await fetch(`data:application/octet-stream;base64,${base64}`);
  return new Uint8Array(await answer.arrayBuffer());
}
