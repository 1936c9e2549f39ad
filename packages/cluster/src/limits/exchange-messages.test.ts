import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ADMISSION_SETTINGS } from '@data-designer/gateway/adaptive-limit';
import { modelWith } from '../../test/calling-machine.ts';
import { NO_REDIS, startRedis, type TestRedis } from '../../test/start-redis.ts';
import { openRedis, type RedisLink } from '../redis/open-redis.ts';
import { type OpenClusterLimits, openClusterLimits, openRunLimits } from './open-cluster-limits.ts';

const RESOURCE = modelWith(8);
const PLAN = { resources: [RESOURCE], maxCost: null };

describe.skipIf(NO_REDIS)('the limits of a machine', () => {
  let redis: TestRedis;
  let link: RedisLink;
  beforeAll(async () => void (redis = await startRedis()));
  beforeEach(async () => {
    await redis.client.flushall();
    link = await openRedis(redis.address, 'a-run');
    return () => link[Symbol.asyncDispose]();
  });
  afterAll(() => redis?.[Symbol.asyncDispose]());

  const open = (machine = 'a'): Promise<OpenClusterLimits> =>
    openClusterLimits(link, { plan: PLAN, machine, spentBefore: 0 });

  test('are exchanged at once where another machine asks this one for it', async () => {
    const limits = await open();
    let asked = 0;
    const forget = limits.onExchangeNow(() => asked++);
    let wanted = 0;
    /** Messages come in order: the second one is for this machine. A call too many shows at the next message. */
    const tell = async (message: string, calls: number): Promise<void> => {
      await redis.client.publish(link.keys('limits'), message);
      await redis.client.publish(link.keys('limits'), 'exchange:other:a');
      wanted += calls + 1;
      await expect.poll(() => asked, { timeout: 10_000 }).toBe(wanted);
    };
    await tell('exchange:other:*', 1);
    await tell('exchange:other:b,a', 1);
    await tell('exchange:a:*', 0);
    await tell('exchange:other:b', 0);
    await tell('exchange:other:', 0);
    await tell('poll:other:*', 0);
    await tell('exchange:other:b', 0);
    forget();
    const known = asked;
    await redis.client.publish(link.keys('limits'), 'exchange:other:*');
    const other = await open('b');
    let heard = 0;
    other.onExchangeNow(() => heard++);
    await limits[Symbol.asyncDispose]();
    await redis.client.publish(link.keys('limits'), 'exchange:other:*');
    await expect.poll(() => heard).toBeGreaterThan(0);
    expect(asked).toBe(known);
    await other[Symbol.asyncDispose]();
  });

  test('are exchanged again as the limit of all machines grows with time', async () => {
    const admission = { ...ADMISSION_SETTINGS, startupRampSeconds: 0.05 };
    await using limits = await openClusterLimits(link, { plan: PLAN, machine: 'a', spentBefore: 0, admission });
    let asked = 0;
    limits.onExchangeNow(() => asked++);
    const use = { permits: { held: 0, wanted: 8 }, inFlight: 0, granted: {}, ends: {}, retryAfterMs: 0 };
    const limitOf = async () =>
      (await limits.exchange({ resources: { [RESOURCE.id]: use }, spent: 0 })).resources[RESOURCE.id]?.limit;
    expect(await limitOf()).toBe(1);
    await expect.poll(() => asked, { timeout: 10_000 }).toBeGreaterThan(0);
    await expect.poll(limitOf, { timeout: 10_000 }).toBe(8);
  });

  test('are those of the runs that it shares them with', async () => {
    await using own = await openRunLimits(link, { plan: PLAN, machine: 'a', spentBefore: 0 }, undefined);
    const joint = { id: 'flow', resources: [RESOURCE], spentBefore: 0, account: 'stage', made: {} };
    await using shared = await openRunLimits(link, { plan: PLAN, machine: 'a', spentBefore: 0 }, joint);
    let [ofRun, ofFlow] = [0, 0];
    own.onExchangeNow(() => ofRun++);
    shared.onExchangeNow(() => ofFlow++);
    await redis.client.publish(link.forRun('flow').keys('limits'), 'exchange:other:*');
    await expect.poll(() => ofFlow).toBe(1);
    await redis.client.publish(link.keys('limits'), 'exchange:other:*');
    await expect.poll(() => ofRun).toBe(1);
    expect(ofFlow).toBe(1);
  });
});
