import { beforeEach, expect, test } from 'vitest';
import { until } from '@data-designer/testing/until';
import type { Exchange, Reporter, SentReport } from '../redis/exchange.ts';
import type { Answer, Beat, PollRequest, RunState } from '../redis/run-state.ts';
import { timingOf } from '../timing.ts';
import { MachineReports } from './machine-reports.ts';

/** What a machine says in a report, of the things that this file decides on. */
interface Said {
  readonly committed: readonly number[];
  readonly isUrgent: boolean;
  readonly polls: boolean;
  readonly hasLeft: boolean;
}

/** The answer of Redis to a report: no coordinator and empty queues. */
const ANSWER = [null, null, null, 0, 0, 1];

let said: Said[];
let listener: ((message: string) => void) | undefined;
let answers: Answer[];
let kept: number[];
let poll: PollRequest | undefined;
/** What Redis answers; undefined while it is away. */
let reply: unknown;
let reporter: Reporter | undefined;

beforeEach(() => {
  said = [];
  listener = undefined;
  answers = [];
  kept = [];
  poll = undefined;
  reply = ANSWER;
  reporter = undefined;
});

/** The reports of the machine `a`, whose exchange with Redis is done by the test. */
function reportsOf(timing = timingOf(3_600_000)): MachineReports {
  const exchange: Pick<Exchange, 'report' | 'listen' | 'reporter'> = {
    get reporter() {
      return reporter;
    },
    set reporter(given) {
      reporter = given;
    },
    report: async ({ ask }: SentReport) => {
      said.push(JSON.parse(ask) as Said);
      await Promise.resolve();
      reporter?.answered(reply);
    },
    listen: async (given) => {
      listener = given;
      return () => (listener = undefined);
    },
  };
  const state = {
    link: { failed: () => {} },
    sent: ({ beat, committed, isUrgent, poll: asked }: Parameters<RunState['sent']>[0]): SentReport => {
      const one: Said = { committed, isUrgent, polls: asked !== undefined, hasLeft: beat.hasLeft === true };
      return { ask: JSON.stringify(one), beat: '' };
    },
  };
  return new MachineReports({
    id: 'a',
    exchange: exchange as Exchange,
    state: state as unknown as RunState,
    timing,
    beat: () => ({ id: 'a' }) as Beat,
    poll: () => poll,
    onAnswer: (answer) => answers.push(answer),
    onGiveBack: (keep) => kept.push(keep),
  });
}

const settled = () => new Promise(setImmediate);

test('a machine reports when it starts, so that the coordinator polls, and its answer is read', async () => {
  const reports = reportsOf();
  reports.start();
  await settled();
  expect(said).toEqual([{ committed: [], isUrgent: true, polls: false, hasLeft: false }]);
  expect(answers).toMatchObject([{ queue: { waiting: 0, active: 0, machines: 1 } }]);
  reports.commit(3);
  reports.commit(4);
  reports.start();
  await settled();
  expect(said[1]).toMatchObject({ committed: [3, 4], isUrgent: false });
  reports.now();
  await settled();
  expect(said[2]).toMatchObject({ committed: [] });
  reports.stop();
});

test('nothing is reported before the start, and the coordinator polls with each report instead of asking for it', async () => {
  const reports = reportsOf();
  reports.now();
  await settled();
  expect(said).toEqual([]);
  poll = { hasEnding: false, machines: 1, accepted: new Map() };
  reports.start();
  await settled();
  expect(said).toMatchObject([{ isUrgent: false, polls: true }]);
  reports.stop();
});

test('what Redis did not answer is reported again', async () => {
  reply = undefined;
  const reports = reportsOf();
  reports.commit(1);
  reports.start();
  await settled();
  reports.commit(2);
  reply = ANSWER;
  reports.now();
  await settled();
  expect(said.map(({ committed, isUrgent }) => [committed, isUrgent])).toEqual([
    [[1], true],
    [[1, 2], true],
  ]);
  expect(answers).toHaveLength(1);
  reports.stop();
});

test('a report is due with an exchange of limits after a beat, or if somebody waits, but not while one is under way', async () => {
  const reports = reportsOf();
  reports.start();
  await settled();
  expect(reporter?.due()).toBeUndefined();
  const quick = reportsOf({ ...timingOf(), beatMs: 20 });
  quick.start();
  await settled();
  await until(() => reporter?.due() !== undefined);
  expect(reporter?.due()).toBeUndefined();
  // A report that is asked for meanwhile follows.
  const before = said.length;
  quick.now();
  await settled();
  expect(said).toHaveLength(before);
  reporter?.answered(ANSWER);
  await settled();
  expect(said.length).toBeGreaterThan(before);
  for (const one of [reports, quick]) one.stop();
});

test('a machine without exchanges of limits reports alone', async () => {
  const reports = reportsOf({ ...timingOf(), beatMs: 2 });
  reports.start();
  await until(() => said.length >= 3);
  reports.stop();
  expect(said.slice(1).every(({ isUrgent }) => !isUrgent)).toBe(true);
});

test('messages to all machines, to this one, and to the coordinator are followed', async () => {
  const reports = reportsOf();
  reports.start();
  await settled();
  const after = async (message: string) => {
    const before = said.length;
    listener?.(message);
    await settled();
    return said.length - before;
  };
  expect([await after('report'), await after('report:a'), await after('report:b'), await after('poll')]).toEqual([
    1, 1, 0, 0,
  ]);
  poll = { hasEnding: false, machines: 1, accepted: new Map() };
  expect([await after('report'), await after('report:a'), await after('poll')]).toEqual([0, 0, 1]);
  expect([await after('give-back:4:a'), await after('give-back:5:b'), kept]).toEqual([0, 0, [4]]);
  reports.stop();
});

test('the last report says that the machine leaves, and what it has committed', async () => {
  const reports = reportsOf();
  reports.start();
  await settled();
  reports.commit(7);
  await reports.end();
  expect(said.at(-1)).toEqual({ committed: [7], isUrgent: true, polls: false, hasLeft: true });
  const before = said.length;
  reports.now();
  await settled();
  expect([said.length, reporter, listener]).toEqual([before, undefined, undefined]);
});
