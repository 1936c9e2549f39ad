import { expect, test } from 'vitest';
import type { Plan } from '@data-designer/core';
import { TimeLeft } from './time-left.ts';

const PERMITS = 32;
const ROWS = 300;
/** The interval of progress reports. */
const STEP_MS = 100;

/** A column of a run on a clock of its own. */
interface TimedColumn {
  readonly name: string;
  readonly model: string;
  readonly needs: readonly string[];
  /** The time of a request in ms; `random` draws numbers from 0 to 1. */
  readonly latency: (random: () => number) => number;
}

const always = (ms: number) => () => ms;
/** Latencies whose logarithms have a normal distribution with this median and a sigma of 0.5 (Box-Muller). */
const lognormal = (median: number) => (random: () => number) =>
  median * Math.exp(0.5 * Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random()));

/** A column of the first model. */
function factOf(latency: TimedColumn['latency']): TimedColumn {
  return { name: 'fact', model: 'a', needs: [], latency };
}

/** A column that needs it. */
function quizOf(model: string, latency: TimedColumn['latency']): TimedColumn {
  return { name: 'quiz', model, needs: ['fact'], latency };
}

function planOf(columns: readonly TimedColumn[]): Plan {
  const ids = [...new Set(columns.map(({ model }) => model))];
  return {
    columns: columns.map(({ name, model, needs }) => ({ name, needs, requires: { models: [model], tools: [] } })),
    models: Object.fromEntries(ids.map((id) => [id, { alias: id, resource: `model/${id}` }])),
    resources: ids.map((id) => ({ id: `model/${id}`, kind: 'model', limit: PERMITS })),
  } as unknown as Plan;
}

interface Request {
  readonly row: number;
  readonly column: TimedColumn;
  readonly endsAt: number;
}

/** Makes the rows as the engine would, the oldest row first, and calls `report` every 100 ms; returns the duration. */
function schedule(columns: readonly TimedColumn[], report: (time: number, state: ReturnType<typeof stateOf>) => void) {
  const made = new Map(columns.map(({ name }) => [name, new Set<number>()]));
  const sent = new Map(columns.map(({ name }) => [name, new Set<number>()]));
  let running: Request[] = [];
  let seed = 7;
  const random = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  const isReady = ({ needs }: TimedColumn, row: number) => needs.every((need) => made.get(need)?.has(row));
  const mostOpen = 2 * PERMITS * new Set(columns.map(({ model }) => model)).size;
  const send = (time: number): void => {
    const rows = Array.from({ length: ROWS }, (_, row) => row);
    const open = rows.filter((row) => columns.some(({ name }) => !made.get(name)?.has(row))).slice(0, mostOpen);
    const cells = open.flatMap((row) => columns.map((column) => ({ row, column })));
    // Of the last rows the cells that others wait for go first.
    const last = cells
      .filter((cell) => cell.row >= ROWS - mostOpen)
      .toSorted((a, b) => a.column.needs.length - b.column.needs.length);
    for (const { row, column } of [...cells.filter((cell) => cell.row < ROWS - mostOpen), ...last]) {
      if (sent.get(column.name)?.has(row) || !isReady(column, row)) continue;
      if (running.filter((one) => one.column.model === column.model).length >= PERMITS) continue;
      sent.get(column.name)?.add(row);
      running.push({ row, column, endsAt: time + column.latency(random) });
    }
  };
  let reportAt = 0;
  send(200);
  while (running.length > 0) {
    const next = Math.min(...running.map(({ endsAt }) => endsAt));
    for (; reportAt < next; reportAt += STEP_MS)
      report(reportAt, stateOf(columns, made, reportAt < 200 ? [] : running));
    for (const { row, column, endsAt } of running) if (endsAt === next) made.get(column.name)?.add(row);
    running = running.filter(({ endsAt }) => endsAt > next);
    send(next);
  }
  return reportAt;
}

function stateOf(
  columns: readonly TimedColumn[],
  made: ReadonlyMap<string, ReadonlySet<number>>,
  running: readonly Request[],
) {
  const models = [...new Set(columns.map(({ model }) => model))].map((model) => {
    const inFlight = running.filter((one) => one.column.model === model).length;
    return { resource: `model/${model}`, inFlight, limit: PERMITS, waiting: 0, pausedMs: 0 };
  });
  return { rows: 0, cells: new Map([...made].map(([name, rows]) => [name, rows.size])), models };
}

/** How far the estimates are off, as shares of the true time, between two shares of the finished cells. */
function errorsOf(columns: readonly TimedColumn[], from: number, to: number): readonly number[] {
  const estimates: { readonly time: number; readonly share: number; readonly seconds: number | null }[] = [];
  let timeLeft: TimeLeft | undefined;
  const end = schedule(columns, (time, state) => {
    const sample = { time, ...state };
    timeLeft ??= new TimeLeft(planOf(columns), ROWS, sample);
    timeLeft.add(sample);
    const done = [...state.cells.values()].reduce((sum, count) => sum + count, 0);
    estimates.push({ time, share: done / (ROWS * columns.length), seconds: timeLeft.seconds });
  });
  const asked = estimates.filter(({ share }) => share >= from && share <= to);
  return asked.map(({ time, seconds }) => (seconds === null ? NaN : (seconds * 1000) / (end - time) - 1));
}

const SHAPES: Readonly<Record<string, readonly TimedColumn[]>> = {
  'a constant latency': [factOf(always(1000)), quizOf('a', always(1000))],
  'a varying latency': [factOf(lognormal(1000)), quizOf('a', lognormal(1000))],
  'a slower second model': [factOf(always(1000)), quizOf('b', always(2000))],
  'a slower second model of varying latency': [factOf(lognormal(500)), quizOf('b', lognormal(1000))],
  'a slow first column': [factOf(always(3000)), quizOf('b', always(500))],
  'ten columns': Array.from({ length: 10 }, (_, index) => ({ ...factOf(lognormal(500)), name: `c${index}` })),
};

/** The share of the cells from which the second model's latency is known: until then it is a guess. */
const KNOWN_FROM: Readonly<Record<string, number>> = {
  'a slower second model': 0.22,
  'a slower second model of varying latency': 0.3,
};

test.each(Object.entries(SHAPES))('with %s the time left is right within 25 %%', (name, columns) => {
  const errors = errorsOf(columns, KNOWN_FROM[name] ?? 0.1, 0.8);
  expect(errors.length).toBeGreaterThan(30);
  expect(errors.filter((error) => !(Math.abs(error) < 0.25))).toEqual([]);
});

test('a second model without an answer yet counts as no faster than the time for which it has worked', () => {
  const columns = SHAPES['a slower second model'] ?? [];
  const errors = errorsOf(columns, 0.1, 0.2);
  expect(errors.length).toBeGreaterThan(5);
  expect(errors.filter((error) => !(Math.abs(error) < 0.5))).toEqual([]);
});

test('without a finished cell the time left is unknown', () => {
  const columns = SHAPES['a constant latency'] ?? [];
  expect(errorsOf(columns, 0, 0).every((error) => Number.isNaN(error))).toBe(true);
});
