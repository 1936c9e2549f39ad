import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { NO_REDIS, startRedis, type TestRedis } from '../../test/start-redis.ts';
import { openRedis, type RedisLink } from '../redis/open-redis.ts';
import { RunState } from '../redis/run-state.ts';
import { timingOf } from '../timing.ts';
import { CoordinatorLease, takeLeaseIfLost } from './coordinator-lease.ts';

/** Renewed every 10 ms, and over after a long time. */
const TIMING = { ...timingOf(), beatMs: 4 };
const PATH = '/data/made';

/** A folder whose lock this machine has unless a test says otherwise. */
const folder = (isHeld: () => Promise<boolean> = () => Promise.resolve(true)) => ({ path: PATH, isHeld });

describe.skipIf(NO_REDIS)('the lease of the coordinator of a run', () => {
  let redis: TestRedis;
  let link: RedisLink;
  let state: RunState;
  beforeAll(async () => void (redis = await startRedis()));
  beforeEach(async () => {
    await redis.client.flushall();
    link = await openRedis(redis.address, 'a-run');
    state = new RunState(link, TIMING);
    return () => link[Symbol.asyncDispose]();
  });
  afterAll(() => redis?.[Symbol.asyncDispose]());

  const leaseOf = (id: string, timing = TIMING) =>
    new CoordinatorLease(id, { state: new RunState(link, timing), timing });

  test('is taken at once, and given up at its end', async () => {
    {
      await using lease = leaseOf('first');
      await expect.poll(() => state.coordinator()).toBe('first');
      expect([lease.isLeading, lease.mayRenew]).toEqual([true, true]);
    }
    expect(await state.coordinator()).toBeUndefined();
  });

  test('is not led by a machine that finds another holder', async () => {
    await state.lead('other');
    await using lease = leaseOf('first');
    await expect.poll(() => lease.isLeading).toBe(false);
    expect(await state.coordinator()).toBe('other');
  });

  test('is renewed by itself, if no report has done it', async () => {
    const quick = { ...TIMING, coordinatorMs: 4000 };
    await using lease = leaseOf('first', quick);
    await expect.poll(() => state.coordinator()).toBe('first');
    await redis.client.del(link.keys('coordinator'));
    await expect.poll(() => state.coordinator()).toBe('first');
    lease.renewed(false);
    expect(lease.isLeading).toBe(false);
    lease.renewed(true);
    expect(lease.isLeading).toBe(true);
  });

  test('is lost with the lock of the folder, and given up for the machine that has it', async () => {
    let isHeld = true;
    await using lease = leaseOf('first');
    await expect.poll(() => state.coordinator()).toBe('first');
    lease.hold(folder(() => Promise.resolve(isHeld)));
    await lease.refuseLost();
    isHeld = false;
    const lost = { code: 'cluster/taken-over', data: { path: PATH } };
    await expect(lease.refuseLost()).rejects.toMatchObject(lost);
    await expect(lease.lost).rejects.toMatchObject(lost);
    expect([lease.isLeading, lease.mayRenew]).toEqual([false, false]);
    await expect.poll(() => state.coordinator()).toBeUndefined();
    lease.renewed(true);
    expect(lease.isLeading).toBe(false);
  });

  test('is lost if the folder cannot be read', async () => {
    await using lease = leaseOf('first');
    lease.hold(folder(() => Promise.reject(new Error('a bad disk'))));
    await expect(lease.lost).rejects.toThrow('a bad disk');
    expect(lease.isLeading).toBe(false);
  });

  test('is passed to another machine, which has it once it has the folder', async () => {
    let isHeld = true;
    await using lease = leaseOf('first');
    await expect.poll(() => state.coordinator()).toBe('first');
    lease.hold(folder(() => Promise.resolve(isHeld)));
    const passed = lease.pass('second');
    expect([lease.isLeading, lease.mayRenew]).toEqual([false, false]);
    await expect.poll(() => state.coordinator()).toBe('second');
    isHeld = false;
    expect(await passed).toBe(true);
    expect(await state.coordinator()).toBe('second');
  });

  test('is led again if the other machine does not take the folder', async () => {
    await using lease = leaseOf('first', { ...TIMING, coordinatorMs: 200 });
    await expect.poll(() => state.coordinator()).toBe('first');
    lease.hold(folder());
    expect(await lease.pass('second')).toBe(false);
    expect(lease.mayRenew).toBe(true);
    await expect.poll(() => lease.isLeading).toBe(true);
    expect(await state.coordinator()).toBe('first');
  });

  test('is taken from a run without machines only', async () => {
    const quick = { ...timingOf(300), beatMs: 5 };
    const own = new RunState(link, quick);
    expect(await takeLeaseIfLost(own, quick, 'new')).toBe(true);
    expect(await own.coordinator()).toBe('new');
    await own.release('new');
    await new RunState(link, timingOf()).lead('other');
    expect(await takeLeaseIfLost(own, quick, 'new')).toBe(false);
    expect(await own.coordinator()).toBe('other');
  });
});
