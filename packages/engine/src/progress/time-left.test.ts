import { expect, test } from 'vitest';
import { type Drawn, makeTimedRun, timedPlan, type TimedColumn, type TimedRun } from '../../test/timed-run.ts';
import { TimeLeft, type TimeRange } from './time-left.ts';

const PERMITS = 32;

const always =
  (ms: number): Drawn =>
  () =>
    ms;

/** Latencies whose logarithms have a normal distribution with this median and sigma (Box-Muller). */
const lognormal =
  (median: number, sigma = 0.5): Drawn =>
  (random) =>
    median * Math.exp(sigma * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()));

/** Latencies of which the first ones are five times as long: a server that loads its model. */
const slowAtFirst = (ms: number): Drawn => {
  let answers = 0;
  return (random) => (answers++ < PERMITS ? 5 * ms : ms) * (0.8 + 0.4 * random());
};

const turns =
  (least: number, most: number): Drawn =>
  (random) =>
    least + Math.floor((most - least + 1) * random());

/** A column of the first model. */
function factOf(latency: Drawn, more: Partial<TimedColumn> = {}): TimedColumn {
  return { name: 'fact', model: 'a', needs: [], latency, ...more };
}

/** A column that needs it. */
function quizOf(model: string, latency: Drawn): TimedColumn {
  return { name: 'quiz', model, needs: ['fact'], latency };
}

/** An estimate, and the true time left. */
interface Estimate {
  readonly share: number;
  readonly leftMs: number;
  readonly range: TimeRange | null;
}

/** The estimates from one share of the finished cells to another: none is made before or after. */
function estimatesOf(
  run: Partial<TimedRun> & Pick<TimedRun, 'columns'>,
  { from = 0, to = 1 }: { readonly from?: number; readonly to?: number } = {},
): readonly Estimate[] {
  const whole = { rows: 300, permits: PERMITS, ...run };
  const seen: { readonly time: number; readonly share: number; readonly range: TimeRange | null }[] = [];
  let timeLeft: TimeLeft | undefined;
  const end = makeTimedRun(whole, (sample) => {
    timeLeft ??= new TimeLeft(timedPlan(whole), whole.rows, sample);
    timeLeft.add(sample);
    const done = [...sample.cells.values()].reduce((sum, count) => sum + count, 0);
    const share = done / (whole.rows * whole.columns.length);
    if (share >= from && share <= to) seen.push({ time: sample.time, share, range: timeLeft.range });
  });
  return seen.map(({ time, ...more }) => ({ ...more, leftMs: end - time }));
}

/** How far the estimates are off between two shares of the finished cells, as shares of the true time. */
function errorsOf(estimates: readonly Estimate[], from: number, to = 0.8): readonly number[] {
  const asked = estimates.filter(({ share }) => share >= from && share <= to);
  return asked.map(({ range, leftMs }) => (range ? (range.seconds * 1000) / leftMs - 1 : NaN));
}

/** Runs, and from which share of the cells on their time left is right: before that a latency has not been seen yet. */
const RUNS: Readonly<Record<string, readonly [columns: () => readonly TimedColumn[], from: number, rows?: number]>> = {
  'a constant latency': [() => [factOf(always(1000)), quizOf('a', always(1000))], 0.1],
  'a varying latency': [() => [factOf(lognormal(1000)), quizOf('a', lognormal(1000))], 0.1],
  'a slower second model': [() => [factOf(always(1000)), quizOf('b', always(2000))], 0.22],
  'a slower second model of varying latency': [() => [factOf(lognormal(500)), quizOf('b', lognormal(1000))], 0.3],
  'a slow first column': [() => [factOf(always(3000)), quizOf('b', always(500))], 0.1],
  'slow first answers': [() => [factOf(slowAtFirst(700))], 0.2],
  'ten columns': [
    () => Array.from({ length: 10 }, (_, at) => ({ ...factOf(lognormal(500)), name: `c${at}` })),
    0.1,
    100,
  ],
  'columns of one model with different latencies': [
    () => [factOf(lognormal(500)), quizOf('a', lognormal(1000)), { ...quizOf('a', lognormal(3000)), name: 'last' }],
    0.2,
  ],
  'chats of six requests': [() => [factOf(always(500), { requests: always(6) })], 0.1],
  'chats of six requests with varying latency': [() => [factOf(lognormal(500), { requests: always(6) })], 0.1],
  'chats of two to ten requests': [() => [factOf(lognormal(500), { requests: turns(2, 10) })], 0.1],
  'slow tools in lockstep': [() => [factOf(always(500), { requests: always(3), toolMs: always(2000) })], 0.1],
  'slow tools and varying latency': [
    () => [factOf(lognormal(500), { requests: turns(1, 4), toolMs: always(2000) })],
    0.25,
  ],
  'chats and a column that reads them': [
    () => [factOf(lognormal(300), { requests: turns(4, 8) }), quizOf('a', lognormal(500))],
    0.1,
  ],
  'chats and a column of a second model that reads them': [
    () => [factOf(lognormal(300), { requests: turns(4, 8) }), quizOf('b', lognormal(500))],
    0.1,
  ],
};

test.each(Object.entries(RUNS))(
  'with %s the time left is right within 25 %%',
  { tags: 'long' },
  (_, [columns, from, rows = 300]) => {
    const errors = errorsOf(estimatesOf({ columns: columns(), rows }, { from, to: 0.8 }), from);
    expect(errors.length).toBeGreaterThan(30);
    expect(errors.filter((error) => !(Math.abs(error) < 0.25))).toEqual([]);
  },
);

test('a limit that falls while the run goes on is in the time left six seconds later', { tags: 'long' }, () => {
  const fallsAt = 8000;
  const columns = [factOf(lognormal(500)), quizOf('a', lognormal(500))];
  const estimates = estimatesOf({ columns, rows: 1000, permits: (time) => (time < fallsAt ? PERMITS : 12) });
  const whole = estimates[0]?.leftMs ?? 0;
  const later = estimates.filter(({ leftMs }) => whole - leftMs > fallsAt + 6000);
  const errors = errorsOf(later, 0.1);
  expect(errors.length).toBeGreaterThan(100);
  expect(errors.filter((error) => !(Math.abs(error) < 0.25))).toEqual([]);
});

test(
  'with very uneven latencies the true time is within the range of most estimates, and the median of runs is right',
  { tags: 'long' },
  () => {
    const runs = [1, 2, 3, 4, 5, 6, 7].map((seed) =>
      estimatesOf({ columns: [factOf(lognormal(1000, 1))], seed }, { from: 0.1 }),
    );
    const asked = runs.flat().filter(({ share }) => share >= 0.1 && share <= 0.8);
    const inside = asked.filter(
      ({ range, leftMs }) => range && range.least * 1000 <= leftMs && range.most * 1000 >= leftMs,
    );
    expect(inside.length / asked.length).toBeGreaterThan(0.8);
    for (const share of [0.1, 0.2, 0.4, 0.6]) {
      const errors = runs.map((run) => errorsOf(run, share, 1)[0] ?? NaN).toSorted((a, b) => a - b);
      expect(Math.abs(errors[3] ?? NaN)).toBeLessThan(0.35);
    }
    expect(asked.filter(({ range }) => range && range.most > 1.5 * range.least).length / asked.length).toBeGreaterThan(
      0.9,
    );
  },
);

test('even latencies leave no range', () => {
  const estimates = estimatesOf({ columns: [factOf(always(1000))] }).filter(({ share }) => share >= 0.1 && share < 1);
  expect(estimates.filter(({ range }) => !range || range.most > 1.2 * range.least)).toEqual([]);
});

test('while a column has no answer, its time has no upper bound', { tags: 'long' }, () => {
  const estimates = estimatesOf({ columns: [factOf(lognormal(300)), quizOf('b', always(3000))] });
  const before = estimates.filter(({ share, leftMs }) => share > 0 && (estimates[0]?.leftMs ?? 0) - leftMs < 3000);
  expect(before.length).toBeGreaterThan(15);
  expect(before.filter(({ range }) => range?.most !== Infinity)).toEqual([]);
  expect(estimates.filter(({ share, range }) => share > 0.5 && range?.most === Infinity)).toEqual([]);
});

test('a second model without an answer yet counts as no faster than the time for which it has worked', () => {
  const columns = [factOf(always(1000)), quizOf('b', always(2000))];
  const errors = errorsOf(estimatesOf({ columns }, { from: 0.1, to: 0.2 }), 0.1, 0.2);
  expect(errors.length).toBeGreaterThan(5);
  expect(errors.filter((error) => !(Math.abs(error) < 0.5))).toEqual([]);
});

test('while only calls of unfinished chats have ended the time left is unknown', () => {
  const errors = errorsOf(estimatesOf({ columns: [factOf(always(500), { requests: always(6) })] }, { to: 0 }), 0, 0);
  expect(errors.length).toBeGreaterThan(20);
  expect(errors.filter((error) => !Number.isNaN(error))).toEqual([]);
});

test('without a finished cell the time left is unknown', () => {
  const errors = errorsOf(estimatesOf({ columns: [factOf(always(1000))] }, { to: 0 }), 0, 0);
  expect(errors.every((error) => Number.isNaN(error))).toBe(true);
});
