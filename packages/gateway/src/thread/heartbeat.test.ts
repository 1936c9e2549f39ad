import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { heartbeatMemory, HeartbeatWatch, noteCell, notedCell } from './heartbeat.ts';

test(
  'a thread is alive while it beats and silent once its event loop is blocked, and its noted cell can still be read',
  { tags: 'long' },
  async () => {
    const heartbeat = heartbeatMemory();
    const worker = new Worker(new URL('../../test/blocked-worker.ts', import.meta.url), {
      workerData: { heartbeat },
    });
    const watch = new HeartbeatWatch(heartbeat, 2000);
    expect(notedCell(heartbeat)).toBeUndefined();
    await once(worker, 'message');
    expect(watch.look()).toBe('alive');
    while (watch.look() === 'alive') await sleep(1000);
    expect(notedCell(heartbeat)).toEqual({ position: 7, column: 2 });
    await worker.terminate();
  },
);

test('a noted cell of an attempt says which one, and the next note does not keep it', () => {
  const heartbeat = heartbeatMemory();
  noteCell(heartbeat, { position: 0, column: 1, attempt: 0 });
  expect(notedCell(heartbeat)).toEqual({ position: 0, column: 1, attempt: 0 });
  noteCell(heartbeat, { position: 0, column: 1 });
  expect(notedCell(heartbeat)).toEqual({ position: 0, column: 1 });
});
