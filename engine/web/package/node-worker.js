// The worker in Node: new Worker(new URL(import.meta.resolve("othello-toolkit/worker"))) of node:worker_threads.

import { parentPort } from "node:worker_threads";

import { answers } from "./engine.js";
import { Engine } from "./node.js";

parentPort.on("message", answers(Engine, (message) => parentPort.postMessage(message)));
