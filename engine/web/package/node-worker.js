// The worker for Node, to be started by node:worker_threads: new Worker(new
// URL(import.meta.resolve("othello-toolkit/worker"))).

import { parentPort } from "node:worker_threads";

import { answers } from "./engine.js";
import { Engine } from "./node.js";

parentPort.on("message", answers(Engine, (message) => parentPort.postMessage(message)));
