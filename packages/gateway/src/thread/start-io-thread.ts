import { Worker } from 'node:worker_threads';
import { compileCacheEnvironment, sourceExecArgv, threadEntry } from '@data-designer/core';
import { heartbeatMemory, type HeartbeatMemory } from './heartbeat.ts';

/** The I/O thread's young generation, in MB: default heaps of several threads cost more than their work does. */
const YOUNG_GENERATION_MB = 16;

/** How long a thread without a run waits for the next one. */
const LONGEST_IDLE_MS = 60_000;

/** An I/O thread that loads, or waits for the settings of its run: its first message. */
export interface StartedIoThread {
  readonly worker: Worker;
  readonly heartbeat: HeartbeatMemory;
}

/** The thread that waits for the next run, and the timer that ends it. */
let warm: StartedIoThread | undefined;
let idle: NodeJS.Timeout | undefined;

/** Starts the I/O thread of the next run now, so that it loads while the run is prepared. It keeps no process alive. */
export function warmIoThread(): void {
  if (!warm) keep(start());
}

/** The thread that waits, or a new one; throws where the system has no room for it. */
export function takeIoThread(): StartedIoThread {
  if (!warm) return start();
  const taken = warm;
  warm = undefined;
  clearTimeout(idle);
  taken.worker.off('error', forget).off('exit', forget).ref();
  return taken;
}

/** Keeps a thread without a run for the next one, for a while; false if another one waits already. */
export function returnIoThread(returned: StartedIoThread): boolean {
  if (warm) return false;
  keep(returned);
  idle = setTimeout(() => void returned.worker.terminate(), LONGEST_IDLE_MS).unref();
  return true;
}

/** Ends the thread that waits for the next run. */
export async function endWarmIoThread(): Promise<void> {
  const ended = warm?.worker;
  warm = undefined;
  clearTimeout(idle);
  await ended?.terminate();
}

function keep(started: StartedIoThread): void {
  warm = started;
  // The error of a thread that ends before a run takes it would end the process if nothing listened.
  started.worker.on('error', forget).on('exit', forget).unref();
}

function forget(this: Worker): void {
  if (warm?.worker === this) warm = undefined;
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
