import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { NO_REDIS, startRedis, type TestRedis } from '../../test/start-redis.ts';
import { timingOf } from '../timing.ts';
import { openRedis } from './open-redis.ts';
import { RunState } from './run-state.ts';

vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 });

describe.skipIf(NO_REDIS)('what machines tell each other', () => {
  let redis: TestRedis;
  beforeAll(async () => void (redis = await startRedis()));
  afterAll(async () => {
    await redis?.[Symbol.asyncDispose]();
    vi.resetConfig();
  });

  test('the coordinator knows a machine again after Redis has lost everything, and accepts it once', async () => {
    await using link = await openRedis(redis.address, 'a-run');
    const state = new RunState(link, timingOf());
    const report = { id: 'joined', host: 'here', pid: 1, rows: 0, open: [], models: [], hasStopped: false };
    const beat = { ...report, count: 1 };
    for (let time = 0; time < 2; time++) {
      expect(await state.beat(beat)).toMatchObject({ isAccepted: undefined });
      expect((await state.others('coordinator')).map(({ id }) => id)).toEqual(['joined']);
      await state.accept('joined', true);
      expect(await state.beat(beat)).toMatchObject({ isAccepted: true });
      await redis.client.flushall();
    }
    await state.beat(beat);
    await state.others('coordinator');
    await state.accept('joined', true);
    await state.others('coordinator');
    await redis.client.config('RESETSTAT');
    await state.accept('joined', true);
    await state.beat(beat);
    const stats = await redis.client.info('commandstats');
    const commands = [...stats.matchAll(/cmdstat_(\w+):calls=(\d+)/g)].map(([, name, calls]) => [name, Number(calls)]);
    expect(Object.fromEntries(commands)).toMatchObject({ set: 1, mget: 1 });
    expect(commands.map(([name]) => name)).not.toContain('sadd');
  });
});
