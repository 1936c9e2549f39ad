import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { NO_REDIS, startRedis, type TestRedis } from '../../test/start-redis.ts';
import { timingOf } from '../timing.ts';
import { POLL, REPORT } from './exchange.ts';
import { GroupQueue } from './group-queue.ts';
import { openRedis, type RedisLink } from './open-redis.ts';
import { type Answer, type PollRequest, readAnswer, RunState } from './run-state.ts';

vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 });

/** What a report says besides its machine. */
interface Reported {
  readonly committed?: readonly number[];
  readonly isUrgent?: boolean;
  readonly poll?: PollRequest;
}

const POLLS: PollRequest = { hasEnding: false, machines: 2, accepted: new Map() };

const idsOf = ({ poll }: Answer) => poll?.beats.map(({ id }) => id);

describe.skipIf(NO_REDIS)('what machines report to each other', () => {
  let redis: TestRedis;
  let link: RedisLink;
  beforeAll(async () => void (redis = await startRedis()));
  beforeEach(async () => {
    await redis.client.flushall();
    link = await openRedis(redis.address, 'a-run');
    return () => link[Symbol.asyncDispose]();
  });
  afterAll(async () => {
    await redis?.[Symbol.asyncDispose]();
    vi.resetConfig();
  });

  /** Sends a report alone, or with an exchange of limits. */
  async function report(id: string, reported: Reported = {}, limits?: string): Promise<Answer> {
    const { committed = [], isUrgent = false, poll } = reported;
    const beat = { id, host: 'here', pid: 1, rows: 0, open: [], models: [], hasStopped: false, count: 1 };
    const sent = new RunState(link, timingOf()).sent({ beat, committed, isUrgent, poll });
    const answer = Promise.withResolvers<Answer | undefined>();
    link.exchange.reporter = { due: () => sent, answered: (text) => answer.resolve(readAnswer(text)) };
    await (limits === undefined ? link.exchange.report(sent) : link.exchange.limits(limits));
    const read = await answer.promise;
    if (!read) throw new Error('the report was not answered');
    return read;
  }

  test('the coordinator knows a machine again after Redis has lost everything, and accepts it', async () => {
    for (let time = 0; time < 2; time++) {
      expect(await report('joined')).toMatchObject({ isAccepted: undefined, coordinator: undefined });
      expect(idsOf(await report('first', { poll: POLLS }))).toEqual(['joined']);
      const accepted = new Map([['joined', true]]);
      expect((await report('first', { poll: { ...POLLS, accepted } })).poll?.accepted).toEqual(accepted);
      expect(await report('joined')).toMatchObject({ isAccepted: true, coordinator: 'first', poll: undefined });
      await redis.client.flushall();
    }
  });

  test('a lease that another machine holds is not taken, until that one gives it up or passes it on', async () => {
    const state = new RunState(link, timingOf());
    expect([await state.lead('first'), await state.lead('second'), await state.lead('first')]).toEqual([
      true,
      false,
      true,
    ]);
    await state.release('second');
    expect(await state.lead('second')).toBe(false);
    await state.release('first');
    expect([await state.lead('second'), await state.lead('first')]).toEqual([true, false]);
    await state.pass('second', 'first');
    expect([await state.lead('second'), await state.lead('first')]).toEqual([false, true]);
  });

  test('one machine at a time coordinates, and only it reads the committed groups', async () => {
    await report('joined', { committed: [3, 5] });
    expect((await report('first', { poll: POLLS })).poll?.committed).toEqual([3, 5]);
    await report('joined', { committed: [7] });
    expect(await report('joined', { poll: POLLS })).toMatchObject({ coordinator: 'first', poll: undefined });
    expect((await report('first', { poll: POLLS })).poll?.committed).toEqual([7]);
  });

  test('a report that is too old counts no more, and its machine is accepted anew', async () => {
    await report('joined');
    await report('first', { poll: { ...POLLS, accepted: new Map([['joined', true]]) } });
    const key = link.keys('reports');
    const stored = (await redis.client.hget(key, 'joined')) ?? '';
    const [at, ...beat] = stored.split(' ');
    await redis.client.hset(key, 'joined', [Number(at) - timingOf().silenceMs - 1, ...beat].join(' '));
    expect(idsOf(await report('first', { poll: POLLS }))).toEqual([]);
    expect(await report('joined')).toMatchObject({ isAccepted: undefined });
  });

  test('a report that Redis refuses is a failure', async () => {
    await redis.client.set(link.keys('reports'), 'no hash');
    const beat = { id: 'a', host: 'here', pid: 1, rows: 0, open: [], models: [], hasStopped: false, count: 1 };
    const sent = new RunState(link, timingOf()).sent({ beat, committed: [], isUrgent: false, poll: undefined });
    await expect(link.exchange.report(sent)).rejects.toThrow('WRONGTYPE');
  });

  test('machines know how many groups there are for how many machines', async () => {
    await using queue = await GroupQueue.open(link);
    await queue.add([1, 2, 3]);
    await report('first', { poll: POLLS });
    expect((await report('joined')).queue).toEqual({ waiting: 3, active: 0, machines: 2 });
  });

  test('messages go to the coordinator where it is to poll, and to the machines that something new concerns', async () => {
    const messages: string[] = [];
    await link.exchange.listen((message) => messages.push(message));
    await report('joined');
    await report('joined', { isUrgent: true });
    await report('first', { poll: POLLS });
    await report('first', { poll: { ...POLLS, accepted: new Map([['joined', true]]) } });
    await report('first', { poll: { ...POLLS, machines: 3 } });
    await report('first', { poll: { ...POLLS, machines: 3, hasEnding: true } });
    const { announcement } = await report('first', { poll: { ...POLLS, machines: 3, hasEnding: true } });
    await vi.waitFor(() => expect(messages).toEqual([POLL, `${REPORT}:joined`, REPORT]));
    expect(announcement).toEqual({ hasEnding: true, isOver: false });
  });

  test('a machine sends one command for its limits, its report, its lease, and what it reads', async () => {
    const use = { resources: {}, spent: 0 };
    const limits = JSON.stringify({ machine: 'a', first: {}, base: 0, nonce: 'n', use });
    await report('first', { poll: POLLS }, limits);
    const sent: string[] = [];
    const monitor = await redis.client.monitor();
    monitor.on('monitor', (_: string, [name = '']: readonly string[], source: string) => {
      if (source !== 'lua') sent.push(name.toLowerCase());
    });
    await report('first', { poll: POLLS, committed: [1] }, limits);
    await redis.client.echo('end');
    await vi.waitFor(() => expect(sent).toContain('echo'));
    monitor.disconnect();
    expect(sent).toEqual(['evalsha', 'echo']);
  });
});

/** The answer that a machine reads where the coordinator counts so many machines. */
const answer = (machines: unknown) => readAnswer([null, null, null, 3, '2', machines]);

test('a machine counts itself alone as long as no coordinator has counted the machines', () => {
  expect(answer(null)).toEqual({
    coordinator: undefined,
    announcement: undefined,
    isAccepted: undefined,
    queue: { waiting: 3, active: 2, machines: 1 },
    poll: undefined,
  });
  expect(answer('4')?.queue.machines).toBe(4);
  expect(readAnswer(null)).toBeUndefined();
});
