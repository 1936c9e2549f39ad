import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { RedisEvent } from '@data-designer/engine/parts';
import { NO_REDIS, startRedis, type TestRedis } from '../../test/start-redis.ts';
import { timingOf } from '../timing.ts';
import { GroupQueue, GroupWorker } from './group-queue.ts';
import { openRedis, type RedisLink } from './open-redis.ts';
import { RedisWatch } from './redis-watch.ts';

vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 });

/** A machine that holds its groups until a test ends them. */
interface Held {
  readonly worker: GroupWorker;
  /** The groups that it has, each with the function that ends it: made, or given back. */
  readonly groups: Map<number, (isMade: boolean) => void>;
  readonly lost: number[];
  idle: number;
  /** Whether its groups are too few. */
  needsMore: boolean;
}

describe.skipIf(NO_REDIS)('the row groups of a queue', () => {
  let redis: TestRedis;
  let link: RedisLink;
  let queue: GroupQueue;
  const opened: GroupWorker[] = [];
  const events: RedisEvent[] = [];
  beforeAll(async () => void (redis = await startRedis()));
  beforeEach(async () => {
    await redis.client.flushall();
    events.length = 0;
    const watch = new RedisWatch((event) => void events.push(event));
    link = await openRedis(redis.address, 'a-run', { watch });
    queue = await GroupQueue.open(link);
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((worker) => worker.close()));
    await queue[Symbol.asyncDispose]();
    await link[Symbol.asyncDispose]();
  });
  afterAll(async () => {
    await redis?.[Symbol.asyncDispose]();
    vi.resetConfig();
  });

  /** The beats of this lease are too long to end within a test. */
  async function machine({ slots = 3, leaseMs = 900_000, needsMore = true } = {}): Promise<Held> {
    const groups = new Map<number, (isMade: boolean) => void>();
    const lost: number[] = [];
    const make = (group: number): Promise<boolean> => {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      groups.set(group, resolve);
      return promise.finally(() => groups.delete(group));
    };
    const worker = await GroupWorker.open({
      link,
      timing: timingOf(leaseMs),
      slots,
      needsMore: () => held.needsMore,
      make,
      onEnded: () => {},
      onLeaseLost: (some) => lost.push(...some),
      onIdle: () => void held.idle++,
    });
    opened.push(worker);
    const held: Held = { worker, groups, lost, idle: 0, needsMore };
    return held;
  }

  /** The groups that wait or are active, from the queue itself. */
  const left = async () => (await queue.groups()).toSorted((a, b) => a - b);

  test('a machine leaves half of few groups to a machine that may join', async () => {
    await queue.add([0, 1, 2, 3]);
    const [first, second] = [await machine(), await machine()];
    first.worker.serve({ waiting: 4, active: 0, machines: 1 });
    await vi.waitFor(() => expect([...first.groups.keys()]).toEqual([0, 1]));
    second.worker.serve({ waiting: 2, active: 2, machines: 2 });
    await vi.waitFor(() => expect([...second.groups.keys()]).toEqual([2, 3]));
    expect(first.groups.size).toBe(2);
  });

  test('a machine takes as many of many groups as it has slots, and the next one with the end of one', async () => {
    await queue.add([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const { worker, groups } = await machine();
    worker.serve({ waiting: 10, active: 0, machines: 2 });
    await vi.waitFor(() => expect(groups.size).toBe(3));
    await redis.client.config('RESETSTAT');
    groups.get(0)?.(true);
    await vi.waitFor(() => expect([...groups.keys()]).toEqual([1, 2, 3]));
    const stats = await redis.client.info('commandstats');
    const calls = [...stats.matchAll(/cmdstat_(eval|evalsha):calls=(\d+)/g)].map(([, , count]) => Number(count));
    expect(calls.reduce((sum, count) => sum + count, 0)).toBe(1);
    expect(await left()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test('a machine takes only what it needs of few groups', async () => {
    await queue.add([0, 1, 2, 3]);
    const { worker, groups } = await machine({ needsMore: false });
    worker.serve({ waiting: 4, active: 0, machines: 1 });
    await vi.waitFor(() => expect(groups.size).toBe(1));
    groups.get(0)?.(true);
    await vi.waitFor(() => expect([...groups.keys()]).toEqual([1]));
    expect(await left()).toEqual([1, 2, 3]);
  });

  test('a machine takes a further group as soon as it needs one, and asks no more once none waits', async () => {
    await queue.add([0, 1, 2]);
    const held = await machine({ needsMore: false });
    held.worker.serve({ waiting: 9, active: 0, machines: 1 });
    await vi.waitFor(() => expect(held.groups.size).toBe(1));
    held.worker.takeIfNeeded();
    held.needsMore = true;
    held.worker.takeIfNeeded();
    await vi.waitFor(() => expect(held.groups.size).toBe(3));
    held.groups.get(0)?.(true);
    await vi.waitFor(() => expect(held.groups.size).toBe(2));
    await vi.waitFor(async () => expect(await left()).toEqual([1, 2]));
    await redis.client.config('RESETSTAT');
    for (let count = 0; count < 10; count++) held.worker.takeIfNeeded();
    await redis.client.ping();
    expect(await redis.client.info('commandstats')).not.toContain('cmdstat_eval');
  });

  test('a group that is given back waits for another machine, and an idle machine says so', async () => {
    await queue.add([0, 1]);
    const [first, second] = [await machine(), await machine()];
    first.worker.serve({ waiting: 2, active: 0, machines: 1 });
    await vi.waitFor(() => expect([...first.groups.keys()]).toEqual([0]));
    first.groups.get(0)?.(false);
    await vi.waitFor(async () => expect(await link.client.llen(`${link.prefix}:groups:wait`)).toBe(2));
    second.worker.serve({ waiting: 2, active: 0, machines: 1 });
    await vi.waitFor(() => expect(second.groups.size).toBe(1));
    const [one = -1] = second.groups.keys();
    second.groups.get(one)?.(true);
    await vi.waitFor(() => expect([...second.groups.keys()]).toEqual([1 - one]));
    second.groups.get(1 - one)?.(true);
    await vi.waitFor(async () => expect(await left()).toEqual([]));
    await vi.waitFor(() => expect(second.idle).toBe(1));
    expect(first.idle).toBe(0);
  });

  test('a machine renews its leases, and hears of those that Redis has lost', { tags: 'long' }, async () => {
    await queue.add([4]);
    const { worker, groups, lost } = await machine({ leaseMs: 1500 });
    worker.serve({ waiting: 1, active: 0, machines: 1 });
    await vi.waitFor(() => expect(groups.size).toBe(1));
    const renewed: string[] = [];
    const monitor = await redis.client.monitor();
    monitor.on('monitor', (_: string, [name = '', key = '']: readonly string[]) => {
      if (name.toLowerCase() === 'set' && key.endsWith(':g-4:lock')) renewed.push(key);
    });
    await vi.waitFor(() => expect(renewed.length).toBeGreaterThan(1), 10_000);
    monitor.disconnect();
    expect(lost).toEqual([]);
    await redis.client.flushall();
    await vi.waitFor(() => expect(lost).toContain(4), 10_000);
  });

  test('what Redis refuses is reported, and a lease that another machine has is not', async () => {
    await queue.add([0, 1]);
    const { worker, groups } = await machine({ slots: 1 });
    worker.serve({ waiting: 1, active: 0, machines: 1 });
    await vi.waitFor(() => expect(groups.size).toBe(1));
    await redis.client.flushall();
    groups.get(0)?.(true);
    await vi.waitFor(() => expect(groups.size).toBe(0));
    await redis.client.set(`${link.prefix}:groups:wait`, 'no list');
    worker.serve({ waiting: 1, active: 0, machines: 1 });
    await vi.waitFor(() =>
      expect(events).toMatchObject([{ type: 'redis-fail', reason: expect.stringMatching(/WRONGTYPE/) }]),
    );
  });

  test('the groups of a lost machine wait again, also after a lease that three does not divide', async () => {
    await queue.add([7]);
    const [lost, watching] = [await machine({ leaseMs: 310.4 }), await machine({ leaseMs: 310.4 })];
    lost.worker.serve({ waiting: 1, active: 0, machines: 1 });
    await vi.waitFor(() => expect(lost.groups.size).toBe(1));
    await lost.worker.close();
    await watching.worker.watchLeases();
    await vi.waitFor(async () => expect(await link.client.llen(`${link.prefix}:groups:wait`)).toBe(1), 10_000);
  });

  test('a check of leases that Redis refuses is told as refused, not as a lost connection', async () => {
    const { worker } = await machine({ leaseMs: 310.4 });
    await redis.client.set(`${link.prefix}:groups:active`, 'no list');
    await worker.watchLeases();
    await vi.waitFor(() => expect(events).toHaveLength(1), 10_000);
    expect(events).toMatchObject([{ type: 'redis-fail', reason: expect.stringMatching(/WRONGTYPE/) }]);
  });
});
