import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageChannel, type Worker } from 'node:worker_threads';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { DataDesigner } from 'data-designer';
import { afterEach, expect, test } from 'vitest';
import { rowGroups } from '@data-designer/core';
import type { GroupChannels } from '../packages/engine/src/executor/executor.ts';
import { ThreadExecutor } from '../packages/engine/src/executor/thread-executor.ts';
import { WorkerPool } from '../packages/engine/src/executor/worker-pool.ts';
import { GatewayHost } from '../packages/gateway/src/gateway-host.ts';
import { startSimulator } from '@data-designer/simulator';
import { runCommand } from './command-line.ts';

const ROWS = 20;
const DOCUMENT = {
  columns: [
    { name: 'topic', column_type: 'sampler', sampler_type: 'category', params: { values: ['moon', 'salt'] } },
    { name: 'title', column_type: 'expression', expr: '{{ topic | upper }}' },
  ],
};
const DESKS: GroupChannels = {
  open: () => new MessageChannel().port2,
  destination: () => ({ kind: 'memory' }) as const,
  redact: <Data>(data: Data) => Promise.resolve(data),
};

const openGateway = () => GatewayHost.open({ resources: [], providers: { models: [], tools: [] }, frozen: {} });

let onWorker: (worker: Worker) => void = () => {};

afterEach(() => void process.off('worker', onWorker));

/** Limits as they are by default: a pool with limits starts threads of its own. */
const NEW = { silenceMs: 30_000 };

/** Is told of each thread that is started from here on, until the test ends. */
function onEachThread(tell: (worker: Worker, number: number) => void): void {
  let number = 0;
  onWorker = (worker) => tell(worker, number++);
  process.on('worker', onWorker);
}

async function rowsOn(pool: WorkerPool, channels = DESKS): Promise<number> {
  const designer = new DataDesigner({ runConfig: { seed: 3, bufferSize: 10 } });
  const plan = await designer.validate({ document: DOCUMENT, source: 'the test' }, { numRecords: ROWS });
  const options = { pool, groups: 1, maxConcurrentRowGroups: 1, onEvent: () => {} };
  await using executor = new ThreadExecutor(plan, options);
  let rows = 0;
  for await (const result of executor.run(rowGroups(plan), channels)) rows += result.rows;
  return rows;
}

test('a create command leaves its threads to the next one of the process', { tags: 'long' }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lost-threads-'));
  await using server = await startSimulator();
  const provider = { name: 'own', endpoint: server.url, provider_type: 'openai' };
  writeFileSync(join(folder, 'providers.json'), JSON.stringify({ providers: [provider] }));
  const model = { alias: 'writer', model: 'sim-small', provider: 'own', skip_health_check: true };
  const format = { type: 'object', properties: { x: { type: 'integer' } } };
  const asked = {
    name: 'x',
    column_type: 'llm-structured',
    model_alias: 'writer',
    prompt: 'An x.',
    output_format: format,
  };
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ model_configs: [model], columns: [asked] }));
  const words = ['create', join(folder, 'config.json'), '--providers', join(folder, 'providers.json'), '-n', '2'];
  expect(await runCommand([...words, '-o', folder])).toMatchObject({ code: 0 });
  const started: number[] = [];
  onEachThread(({ threadId }) => started.push(threadId));
  expect(await runCommand([...words, '-o', folder])).toMatchObject({ code: 0 });
  expect(started).toEqual([]);
  rmSync(folder, { recursive: true });
});

test('threads that end during their start are replaced, also repeatedly', { tags: 'long' }, async () => {
  await using pool = new WorkerPool(NEW);
  onEachThread((worker, number) => {
    if (number < 3) void sleep(20).then(() => worker.terminate());
  });
  expect(await rowsOn(pool)).toBe(ROWS);
});

test(
  'if every thread ends during its start the run fails with a code, and the pool serves the next run',
  { tags: 'long' },
  async () => {
    await using pool = new WorkerPool(NEW);
    onEachThread((worker) => void sleep(20).then(() => worker.terminate()));
    await expect(rowsOn(pool)).rejects.toMatchObject({
      code: 'run/workers-lost',
      message: expect.stringMatching(/^No worker thread is left: \d+ threads ended; the last reason: /),
    });
    process.off('worker', onWorker);
    expect(await rowsOn(pool)).toBe(ROWS);
  },
);

test('the ports of row groups that no thread took are closed', { tags: 'long' }, async () => {
  await using pool = new WorkerPool(NEW);
  onEachThread((worker) => void sleep(20).then(() => worker.terminate()));
  const closed: Promise<unknown>[] = [];
  const open = () => {
    const { port1, port2 } = new MessageChannel();
    closed.push(once(port1, 'close'));
    return port2;
  };
  await expect(rowsOn(pool, { ...DESKS, open })).rejects.toMatchObject({ code: 'run/workers-lost' });
  expect(closed.length).toBeGreaterThan(0);
  await Promise.all(closed);
});

test('threads sized for another number of open row groups are not used again', async () => {
  await using pool = new WorkerPool();
  const earlier = pool.lease({ threads: 1, groupsPerThread: 3 });
  const [thread] = earlier.threads;
  await pool.release(earlier, { idle: true });
  const alone = pool.lease({ threads: 1, groupsPerThread: 1 }, { areNew: true });
  expect(alone.threads).not.toContain(thread);
  await pool.release(alone, { idle: false });
  const next = pool.lease({ threads: 1, groupsPerThread: 1 });
  expect(next.threads).toEqual([thread]);
  await pool.release(next, { idle: false });
});

test('threads without memory to start end the run with a code', { tags: 'long', timeout: 120_000 }, async () => {
  await using pool = new WorkerPool({ resourceLimits: { maxOldGenerationSizeMb: 6 } });
  await expect(rowsOn(pool)).rejects.toMatchObject({
    code: 'run/workers-lost',
    data: { reason: expect.stringContaining('reaching memory limit') },
  });
});

test('an I/O thread that ends is reported at once', { tags: 'long' }, async () => {
  // Takes the thread that waits for a run, if there is one.
  const other = await openGateway();
  onEachThread((worker) => void sleep(20).then(() => worker.terminate()));
  await expect(openGateway()).rejects.toMatchObject({ code: 'run/gateway-lost' });
  process.off('worker', onWorker);
  onEachThread((worker) => void worker.once('message', () => void worker.terminate()));
  await using gateway = await openGateway();
  await expect(gateway.lost).rejects.toMatchObject({ code: 'run/gateway-lost' });
  await expect(gateway.drain(30_000)).rejects.toMatchObject({ code: 'run/gateway-lost' });
  await other[Symbol.asyncDispose]();
});

test('a thread that ends while Piscina requires its entry leaves the process alive', { tags: 'long' }, async () => {
  const script = join(import.meta.dirname, 'end-while-required.ts');
  const entry = join(import.meta.dirname, '../packages/data-designer/dist/worker-entry.js');
  const { stdout } = await promisify(execFile)(process.execPath, [script, entry]);
  expect(stdout).toBe('alive\n');
});
