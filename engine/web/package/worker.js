// A worker with an engine, so that searches do not block a page. Started by: new Worker(new
// URL("othello-toolkit/worker", import.meta.url), { type: "module" }).

import { answers } from "./engine.js";
import { Engine } from "./index.js";

const answer = answers(Engine, (message) => self.postMessage(message));
self.onmessage = ({ data }) => answer(data);
