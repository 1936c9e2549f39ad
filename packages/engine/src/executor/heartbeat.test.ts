import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { heartbeatMemory, HeartbeatWatch } from './heartbeat.ts';

test('a worker whose event loop hangs is ended; until then its beats keep it alive', async () => {
  const heartbeat = heartbeatMemory();
  const worker = new Worker(new URL('../../test/blocked-worker.ts', import.meta.url), { workerData: { heartbeat } });
  const said: unknown[] = [];
  worker.on('message', (message) => said.push(message));
  using _watch = new HeartbeatWatch(heartbeat, () => [worker], 2000);
  await once(worker, 'exit');
  // It beats for longer than the silence that it is given.
  expect(said).toEqual(['no beat from now on']);
});
