import { parentPort, workerData } from 'node:worker_threads';
import { beat, type HeartbeatMemory } from '../src/executor/heartbeat.ts';

// A worker that beats for a while, then never again.

beat((workerData as { readonly heartbeat: HeartbeatMemory }).heartbeat);
setTimeout(() => {
  parentPort?.postMessage('no beat from now on');
  for (;;);
}, 2500);
