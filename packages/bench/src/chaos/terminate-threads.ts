import { appendFileSync } from 'node:fs';
import type { Worker } from 'node:worker_threads';
import { Random } from '@data-designer/core';

// Loaded ahead of a command: terminates most threads that the command starts, at random moments of their lives.

/** The part of all threads that is terminated while it starts, and the part that is while it works. */
const WHILE_STARTING = 0.3;
const WHILE_WORKING = 0.4;
/** About as long as a thread takes to load, and as long as a run goes on after that. */
const START_MS = 700;
const WORK_MS = 4000;

const { CHAOS_SEED: seed = '0', CHAOS_LOG: log = '' } = process.env;
const random = Random.of(Number(seed), 'threads');
let started = 0;

/** When a thread is terminated, in ms after it was started; undefined where it is spared. */
function drawMoment(number: number): number | undefined {
  const own = random.at(number);
  const share = own.float();
  if (share < WHILE_STARTING) return own.below(START_MS);
  return share < WHILE_STARTING + WHILE_WORKING ? START_MS + own.below(WORK_MS) : undefined;
}

process.on('worker', (worker: Worker) => {
  const number = started++;
  const ms = drawMoment(number);
  if (ms === undefined) return;
  setTimeout(() => {
    if (worker.threadId < 0) return;
    appendFileSync(log, `${JSON.stringify({ number, ms, isStarting: ms < START_MS })}\n`);
    void worker.terminate();
  }, ms).unref();
});
