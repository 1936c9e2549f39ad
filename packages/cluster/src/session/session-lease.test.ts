import { existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { acceptOffer, type ClusterPaths, clusterPaths, datasetPaths } from '@data-designer/dataset';
import { testFolder } from '@data-designer/testing/test-folder';
import { NO_REDIS, startRedis, type TestRedis } from '../../test/start-redis.ts';
import { openRedis, type RedisLink } from '../redis/open-redis.ts';
import { RunState } from '../redis/run-state.ts';
import { timingOf } from '../timing.ts';
import { SessionLease } from './session-lease.ts';

const root = testFolder('session-lease');
/** Renewed often, and not over before its time. */
const TIMING = { ...timingOf(), beatMs: 10 };

describe.skipIf(NO_REDIS)('the lease of a session', () => {
  let redis: TestRedis;
  let link: RedisLink;
  let state: RunState;
  let path: string;
  let cluster: ClusterPaths;
  beforeAll(async () => void (redis = await startRedis()));
  beforeEach(async () => {
    await redis.client.flushall();
    link = await openRedis(redis.address, 'a-session');
    state = new RunState(link, TIMING);
    path = mkdtempSync(join(root, 'flow-'));
    cluster = clusterPaths(datasetPaths(path), 'a-session');
    mkdirSync(cluster.folder, { recursive: true });
    return () => link[Symbol.asyncDispose]();
  });
  afterAll(() => redis?.[Symbol.asyncDispose]());

  const take = (id: string) => SessionLease.take(state, TIMING, { id, path });

  test('is taken by one machine at a time', async () => {
    {
      await using _ = await take('first');
      await expect(take('second')).rejects.toMatchObject({ code: 'cluster/taken-over', data: { path } });
      expect(await state.coordinator()).toBe('first');
    }
    expect(await state.coordinator()).toBeUndefined();
    await using _ = await take('second');
    expect(await state.coordinator()).toBe('second');
  });

  test('is renewed, and is lost once another machine has it', async () => {
    await using lease = await take('first');
    await redis.client.del(link.keys('coordinator'));
    await expect.poll(() => state.coordinator()).toBe('first');
    await redis.client.set(link.keys('coordinator'), 'second');
    await expect.poll(() => lease.lost.aborted).toBe(true);
    expect(lease.lost.reason).toMatchObject({ code: 'cluster/taken-over', data: { path } });
    await lease[Symbol.asyncDispose]();
    expect(await state.coordinator()).toBe('second');
  });

  test('is renewed no more once it is given up', async () => {
    await (await take('first'))[Symbol.asyncDispose]();
    await using other = await take('second');
    await redis.client.del(link.keys('coordinator'));
    await expect.poll(() => state.coordinator()).toBe('second');
    expect(other.lost.aborted).toBe(false);
  });

  test('goes to the machine that takes the offer, which finds no other holder', async () => {
    const lease = await take('first');
    let hasReleased = false;
    const offered = lease.offer(cluster, async () => {
      hasReleased = true;
      expect(existsSync(cluster.offer)).toBe(true);
      expect(await state.coordinator()).toBe('first');
    });
    await expect.poll(async () => hasReleased && (await state.coordinator()) === undefined).toBe(true);
    await using _ = await take('second');
    expect(await acceptOffer(cluster)).toBe(true);
    expect(await offered).toBe(true);
    expect(await state.coordinator()).toBe('second');
  });

  test('is taken back if no machine takes the offer', { tags: 'long' }, async () => {
    const lease = await take('first');
    expect(await lease.offer(cluster, async () => {})).toBe(false);
    expect([existsSync(cluster.offer), existsSync(cluster.withdrawn)]).toEqual([false, true]);
  });
});
