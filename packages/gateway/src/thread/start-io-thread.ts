import { Worker } from 'node:worker_threads';
import { compileCacheEnvironment, sourceExecArgv, threadEntry } from '@data-designer/core';
import { heartbeatMemory, type HeartbeatMemory } from './heartbeat.ts';

/** The I/O thread's young generation, in MB: default heaps of several threads cost more than their work does. */
const YOUNG_GENERATION_MB = 16;

/** An I/O thread that loads, or waits for the settings of its run: its first message. */
export interface StartedIoThread {
  readonly worker: Worker;
  readonly heartbeat: HeartbeatMemory;
}

let warm: StartedIoThread | undefined;

/** Starts the I/O thread of the next run now, so that it loads while the run is prepared. It keeps no process alive. */
export function warmIoThread(): void {
  if (warm) return;
  const started = start();
  started.worker.unref();
  // A thread that ends before a run takes it is forgotten; its error would end the process if nothing listened.
  const forget = (): void => {
    if (warm === started) warm = undefined;
  };
  started.worker.on('error', forget).once('exit', forget);
  warm = started;
}

/** The warm I/O thread, or a new one; throws where the system has no room for it. */
export function takeIoThread(): StartedIoThread {
  const taken = warm ?? start();
  warm = undefined;
  taken.worker.ref();
  return taken;
}

function start(): StartedIoThread {
  const heartbeat = heartbeatMemory();
  const worker = new Worker(threadEntry(import.meta.url, './io-thread'), {
    workerData: heartbeat,
    env: { ...process.env, ...compileCacheEnvironment() },
    execArgv: sourceExecArgv(import.meta.url),
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
  return { worker, heartbeat };
}
