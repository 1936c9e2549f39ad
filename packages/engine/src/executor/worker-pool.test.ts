import { once } from 'node:events';
import { MessageChannel, type Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import type { ThreadPool } from './thread-pool.ts';
import { WorkerPool } from './worker-pool.ts';

const ONE = { threads: 1, groupsPerThread: 1 };
const NOWHERE = { kind: 'nowhere' } as const;

/** Leaves threads to their pool, and those of the pool to the next one. */
async function leave(pool: WorkerPool, threads: ThreadPool): Promise<void> {
  await pool.release(threads, { idle: true });
  await pool[Symbol.asyncDispose]();
}

/** The first thread that a pool leases before it ends. */
async function use(pool: WorkerPool, mark?: (threads: ThreadPool) => void): Promise<Worker | undefined> {
  const threads = pool.lease(ONE);
  mark?.(threads);
  const [first] = threads.threads;
  await leave(pool, threads);
  return first;
}

test('idle threads of a pool that ends serve the next pool, unless they have limits or have loaded plug-ins', async () => {
  const first = await use(new WorkerPool());
  expect(await use(new WorkerPool())).toBe(first);
  const limited = await use(new WorkerPool({ resourceLimits: { maxOldGenerationSizeMb: 60 } }));
  expect(limited).not.toBe(first);
  expect(limited?.threadId).toBe(-1);
  expect(await use(new WorkerPool(), (threads) => (threads.hasPlugins = true))).toBe(first);
  expect(first?.threadId).toBe(-1);
  expect(await use(new WorkerPool())).not.toBe(first);
});

test('pools at the same time have threads of their own, and one of them serves the next pool', async () => {
  const pools = [new WorkerPool(), new WorkerPool()];
  const leased = pools.map((pool) => ({ pool, threads: pool.lease(ONE) }));
  const [one, other] = leased.map(({ threads }) => threads.threads[0]);
  expect(one).not.toBe(other);
  for (const { pool, threads } of leased) await leave(pool, threads);
  expect(other?.threadId).toBe(-1);
  expect(await use(new WorkerPool())).toBe(one);
});

test('idle threads of a pool that is not disposed serve the next pool, and a pool that lent its threads starts others', async () => {
  const first = new WorkerPool();
  const threads = first.lease(ONE);
  await first.release(threads, { idle: true });
  await using second = new WorkerPool();
  const lent = second.lease(ONE);
  expect(lent).toBe(threads);
  const others = first.lease(ONE);
  expect(others).not.toBe(threads);
  expect(others.threads[0]?.threadId).not.toBe(-1);
  others.hasPlugins = true;
  await first.release(others, { idle: true });
  const third = new WorkerPool();
  const own = third.lease(ONE);
  expect(own).not.toBe(others);
  await third.release(own, { idle: true });
  await second.release(lent, { idle: true });
  const fourth = new WorkerPool({ resourceLimits: { maxOldGenerationSizeMb: 60 } });
  const limited = fourth.lease(ONE);
  expect([own, lent]).not.toContain(limited);
  for (const pool of [first, third, fourth]) await pool[Symbol.asyncDispose]();
  await limited.destroy();
});

test(
  'a task whose channel has closed fails as the I/O thread is lost, and the thread serves the next task',
  { tags: 'long' },
  async () => {
    await using pool = new WorkerPool();
    const threads = pool.lease(ONE);
    const { port1, port2: port } = new MessageChannel();
    const closed = once(port, 'close');
    port1.close();
    await closed;
    const group = { index: 0, firstRow: 0, rows: 1 };
    const task = { run: 'one', plan: '{}', group, folder: undefined, mediaRoots: [], destination: NOWHERE, port };
    await expect(threads.run(task, { transferList: [port] })).rejects.toMatchObject({ code: 'run/gateway-lost' });
    const { port2: open } = new MessageChannel();
    const outcome = await threads.run({ ...task, port: open }, { transferList: [open] });
    expect(outcome).toHaveProperty('failure');
    await pool.release(threads, { idle: true });
  },
);
