import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { heartbeatMemory, HeartbeatWatch, notedCell } from './heartbeat.ts';

test('a thread is alive while it beats and silent once its event loop is blocked, and its noted cell can still be read', async () => {
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
});
