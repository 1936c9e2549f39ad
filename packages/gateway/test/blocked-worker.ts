import { parentPort, workerData } from 'node:worker_threads';
import { beat, type HeartbeatMemory, noteCell } from '../src/thread/heartbeat.ts';

// A worker that notes a cell and blocks its event loop.

const { heartbeat } = workerData as { readonly heartbeat: HeartbeatMemory };
beat(heartbeat);
setTimeout(() => {
  parentPort?.postMessage('no beat from now on');
  noteCell(heartbeat, { position: 7, column: 2 });
  for (;;);
}, 500);
