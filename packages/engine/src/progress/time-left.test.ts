import { expect, test } from 'vitest';
import type { Plan } from '@data-designer/core';
import { CellCalls } from '../row-group/cell-calls.ts';
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
  /** The requests of a cell, one after the other; 1 if absent. */
  readonly requests?: (random: () => number) => number;
  /** The time between two requests of a cell, in which it needs no permit: that of a tool. */
  readonly toolMs?: number;
}

const always = (ms: number) => () => ms;
/** Latencies whose logarithms have a normal distribution with this median and a sigma of 0.5 (Box-Muller). */
const lognormal = (median: number) => (random: () => number) =>
  median * Math.exp(0.5 * Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random()));

/** Latencies of which the first ones are five times as long: a server that loads its model. */
const slowAtFirst = (ms: number): TimedColumn['latency'] => {
  let answers = 0;
  return (random) => (answers++ < PERMITS ? 5 * ms : ms) * (0.8 + 0.4 * random());
};

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
  /** The requests of its cell that come after it. */
  readonly more: number;
  /** Whether it waits for a tool, without a permit. */
  readonly isTool?: boolean;
}

/** Makes the rows as the engine would, the oldest row first, and calls `report` every 100 ms; returns the duration. */
function schedule(columns: readonly TimedColumn[], report: (time: number, state: ReturnType<typeof stateOf>) => void) {
  const made = new Map(columns.map(({ name }) => [name, new Set<number>()]));
  const sent = new Map(columns.map(({ name }) => [name, new Set<number>()]));
  const calls = new CellCalls(columns.map(({ name }) => name));
  /** The cells that wait for a permit for their next request. */
  let next: { readonly row: number; readonly column: TimedColumn; readonly more: number }[] = [];
  let running: Request[] = [];
  let seed = 7;
  const random = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  const isReady = ({ needs }: TimedColumn, row: number) => needs.every((need) => made.get(need)?.has(row));
  const mostOpen = 2 * PERMITS * new Set(columns.map(({ model }) => model)).size;
  const isFull = ({ model }: TimedColumn) =>
    running.filter((one) => one.column.model === model && one.isTool !== true).length >= PERMITS;
  const begin = (time: number, { row, column, more }: (typeof next)[number]): void => {
    running.push({ row, column, more, endsAt: time + column.latency(random) });
  };
  const send = (time: number): void => {
    const waiting = next.toSorted((one, other) => one.row - other.row);
    next = [];
    for (const one of waiting) {
      if (isFull(one.column)) next.push(one);
      else begin(time, one);
    }
    const rows = Array.from({ length: ROWS }, (_, row) => row);
    const open = rows.filter((row) => columns.some(({ name }) => !made.get(name)?.has(row))).slice(0, mostOpen);
    const cells = open.flatMap((row) => columns.map((column) => ({ row, column })));
    // Of the last rows the cells that others wait for go first.
    const last = cells
      .filter((cell) => cell.row >= ROWS - mostOpen)
      .toSorted((a, b) => a.column.needs.length - b.column.needs.length);
    for (const { row, column } of [...cells.filter((cell) => cell.row < ROWS - mostOpen), ...last]) {
      if (sent.get(column.name)?.has(row) || !isReady(column, row)) continue;
      if (isFull(column)) continue;
      sent.get(column.name)?.add(row);
      calls.begin(column.name, row);
      begin(time, { row, column, more: (column.requests?.(random) ?? 1) - 1 });
    }
  };
  const end = (time: number, { row, column, more, isTool }: Request): void => {
    if (more === 0) {
      made.get(column.name)?.add(row);
      calls.end(column.name, row);
      return;
    }
    const { toolMs = 0 } = column;
    calls.begin(column.name, row);
    if (toolMs === 0 || isTool === true) next.push({ row, column, more: more - 1 });
    else running.push({ row, column, more, isTool: true, endsAt: time + toolMs });
  };
  let reportAt = 0;
  send(200);
  while (running.length > 0) {
    const at = Math.min(...running.map(({ endsAt }) => endsAt));
    for (; reportAt < at; reportAt += STEP_MS)
      report(reportAt, stateOf(columns, { made, calls }, reportAt < 200 ? [] : running));
    const ended = running.filter(({ endsAt }) => endsAt === at);
    running = running.filter(({ endsAt }) => endsAt > at);
    for (const one of ended) end(at, one);
    send(at);
  }
  return reportAt;
}

function stateOf(
  columns: readonly TimedColumn[],
  { made, calls }: { readonly made: ReadonlyMap<string, ReadonlySet<number>>; readonly calls: CellCalls },
  running: readonly Request[],
) {
  const models = [...new Set(columns.map(({ model }) => model))].map((model) => {
    const inFlight = running.filter((one) => one.column.model === model && one.isTool !== true).length;
    return { resource: `model/${model}`, inFlight, limit: PERMITS, waiting: 0, pausedMs: 0 };
  });
  return {
    rows: 0,
    cells: new Map([...made].map(([name, rows]) => [name, rows.size])),
    calls: new Map(Object.entries(calls.counts())),
    models,
  };
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
  'slow first answers': [factOf(slowAtFirst(700))],
  'ten columns': Array.from({ length: 10 }, (_, index) => ({ ...factOf(lognormal(500)), name: `c${index}` })),
};

/** The share of the cells from which the second model's latency is known: until then it is a guess. */
const KNOWN_FROM: Readonly<Record<string, number>> = {
  'slow first answers': 0.2,
  'a slower second model': 0.22,
  'a slower second model of varying latency': 0.3,
  'slow tools and varying latency': 0.2,
};

const turns = (least: number, most: number) => (random: () => number) =>
  least + Math.floor((most - least + 1) * random());

/** Cells of many calls. */
const CHATS: Readonly<Record<string, readonly TimedColumn[]>> = {
  'chats of six requests': [{ ...factOf(always(500)), requests: () => 6 }],
  'chats of six requests with varying latency': [{ ...factOf(lognormal(500)), requests: () => 6 }],
  'chats of two to ten requests': [{ ...factOf(lognormal(500)), requests: turns(2, 10) }],
  'slow tools and varying latency': [{ ...factOf(lognormal(500)), requests: turns(1, 4), toolMs: 2000 }],
  'chats and a column that reads them': [
    { ...factOf(lognormal(300)), requests: turns(4, 8) },
    quizOf('a', lognormal(500)),
  ],
  'chats and a column of a second model that reads them': [
    { ...factOf(lognormal(300)), requests: turns(4, 8) },
    quizOf('b', lognormal(500)),
  ],
};

test.each(Object.entries(CHATS))('with %s the time left is right within 25 %%', (name, columns) => {
  const errors = errorsOf(columns, KNOWN_FROM[name] ?? 0.1, 0.8);
  expect(errors.length).toBeGreaterThan(30);
  expect(errors.filter((error) => !(Math.abs(error) < 0.25))).toEqual([]);
});

test('while only calls of unfinished chats have ended the time left is unknown', () => {
  const columns = CHATS['chats of six requests'] ?? [];
  const errors = errorsOf(columns, 0, 0);
  expect(errors.length).toBeGreaterThan(20);
  expect(errors.filter((error) => !Number.isNaN(error))).toEqual([]);
});

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
