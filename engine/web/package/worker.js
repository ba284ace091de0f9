// A worker with an engine, so that a page does not wait for searches: new Worker(new URL("othello-toolkit/worker",
// import.meta.url), { type: "module" }).

import { answers } from "./engine.js";
import { Engine } from "./index.js";

const answer = answers(Engine, (message) => self.postMessage(message));
self.onmessage = ({ data }) => answer(data);
