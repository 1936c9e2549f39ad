import { expect, test } from 'vitest';
import type { ProgressSnapshot } from '@data-designer/engine';
import { textWidth } from '../../../printing/src/fit-text.ts';
import { panelLines } from './panel-lines.ts';
import { describeProgress, describeRows } from './describe-progress.ts';

const ALIAS = { requests: 5, failedRequests: 0, inputTokens: 1, outputTokens: 1, cost: 0.1 };
const SNAPSHOT: ProgressSnapshot = {
  elapsedMs: 29_400,
  rows: { wanted: 10_000, done: 1240, before: 0, lost: 7, perSecond: 42.06 },
  etaSeconds: 208.2,
  columns: [
    { column: 'fact', done: 2000, inFlight: 40, perSecond: 50 },
    { column: 'answer', done: 1247, inFlight: 24, perSecond: 0.05 },
  ],
  groups: { total: 10, done: 1, open: 3 },
  cost: { soFar: 0.42, forecast: 3.39, budget: 5, left: 4.58 },
  usage: {
    writer: { ...ALIAS, inputTokensPerSecond: 1000, outputTokensPerSecond: 300 },
    editor: { ...ALIAS, failedRequests: 3, inputTokensPerSecond: 200.4, outputTokensPerSecond: 40 },
  },
  models: [
    { model: 'far/big', aliases: ['writer', 'editor'], inFlight: 64, limit: 64, waiting: 120, pausedMs: 0 },
    { model: 'near/small', aliases: ['judge'], inFlight: 0, limit: 8, waiting: 2, pausedMs: 11_200 },
    {
      model: 'near/slow',
      aliases: [],
      inFlight: 1,
      limit: 8,
      waiting: 5,
      pausedMs: 0,
      rateWait: 'requests_per_minute',
    },
  ],
  tools: { calls: 1203, errors: 3 },
  flaws: [],
  failures: [
    { column: 'quiz', code: 'model/gave-up', message: 'no answer fits:\n  at "x"', rows: 4 },
    { column: '', code: 'run/worker-lost', message: 'out of memory', rows: 3 },
  ],
};

const NOTHING_YET: ProgressSnapshot = {
  ...SNAPSHOT,
  rows: { wanted: 50, done: 0, before: 0, lost: 0, perSecond: 0 },
  etaSeconds: null,
  columns: [],
  groups: { total: 1, done: 0, open: 1 },
  cost: { soFar: null, forecast: null, budget: null, left: null },
  usage: {},
  models: [],
  tools: { calls: 0, errors: 0 },
  failures: [],
};

test('at 80 columns, the bar leaves room for the counts and their share', () => {
  const rows = { ...SNAPSHOT.rows, wanted: 400, done: 0 };
  const columns = SNAPSHOT.columns.map((column) => ({ ...column, done: 393 }));
  const [first = '', pace = ''] = panelLines(
    { ...SNAPSHOT, rows, columns },
    { columns: 80, sparkline: '▁▅█▁▅█▁▅█▁▅█▁▅█▁▅█▁▅█▁▅█' },
  );
  expect(first).toMatch(/ 0 of 400 rows, 786 of 800 cells \(98%\)$/);
  expect(pace).toContain('29 s elapsed');
});

test('a panel shows rows, pace, cost, models, tools and why rows are lost', () => {
  expect(panelLines(SNAPSHOT, { columns: 120 })).toEqual([
    '[#####x>---------------------------------] 1,240 of 10,000 rows, 3,247 of 20,000 cells (16%)',
    '42.1 rows/s, 3 min 28 s left; 29 s elapsed; 1 of 10 row groups done, 3 open',
    'fact     2,000 of 10,000 (20%), 40 in flight, 50.0 cells/s',
    'answer   1,247 of 10,000 (12%), 24 in flight, 3.0 cells/min',
    'cost 0.42, about 3.39 in all, 4.58 left of 5.00 (in the currency of your prices)',
    'far/big     64 of 64 in flight, 120 waiting; 7 answers, 3 failed requests; 1,200 input tokens/s, 340 output tokens/s',
    'near/small  0 of 8 in flight, 2 waiting, paused for 12 s',
    'near/slow   1 of 8 in flight, 5 waiting for requests_per_minute',
    '1,203 tool calls, 3 failed',
    '7 rows lost',
    `  4 model/gave-up in 'quiz': no answer fits: at "x"`,
    '  3 run/worker-lost: out of memory',
  ]);
});

test('the bar and the percentage grow with cells while no row is finished', () => {
  const columns = [
    { column: 'fact', done: 50, inFlight: 20, perSecond: 10 },
    { column: 'quiz', done: 10, inFlight: 0, perSecond: 2 },
  ];
  expect(panelLines({ ...NOTHING_YET, columns }, { columns: 100 })[0]).toBe(
    '[########################>>>>>>>>--------] 0 of 50 rows, 60 of 100 cells (60%)',
  );
});

test('unknown values and events that did not happen take no line', () => {
  expect(panelLines(NOTHING_YET, { columns: 100 })).toEqual([
    '[----------------------------------------] 0 of 50 rows (0%)',
    '0 rows/s; 29 s elapsed; 0 of 1 row group done, 1 open',
  ]);
});

test.each([1, 2, 12, 40, 60, 200])('no line is wider than %d columns', (columns) => {
  for (const line of panelLines(SNAPSHOT, { columns })) expect(textWidth(line)).toBeLessThanOrEqual(columns);
});

test('without room for all lines, the last ones are left out', () => {
  const all = panelLines(SNAPSHOT, { columns: 100 });
  expect(panelLines(SNAPSHOT, { columns: 100, lines: 4 })).toEqual(all.slice(0, 4));
});

test('a sparkline of the rate stands in the second line', () => {
  const [, pace] = panelLines(SNAPSHOT, { columns: 100, sparkline: '▁▅█' });
  expect(pace).toBe('42.1 rows/s, 3 min 28 s left; 29 s elapsed; ▁▅█ 1 of 10 row groups done, 3 open');
});

test('colours mark finished, lost and open cells, and errors by their code', () => {
  const lines = panelLines(SNAPSHOT, { columns: 100, paint: (emphasis, piece) => `<${emphasis}>${piece}` });
  expect(lines[0]).toMatch(/^<plain>\[<green>#{5}<red>x<cyan>><dim>-{33}<plain>\] <bold>1,240 of/);
  expect(lines[10]).toBe(`<red>  4 model/gave-up<dim> in 'quiz': no answer fits: at "x"`);
});

test('lines are cut before they are coloured, so that colours take no width', () => {
  const lines = panelLines(SNAPSHOT, { columns: 20, paint: (emphasis, line) => `<${emphasis}>${line}` });
  expect(lines[0]).toBe('<bold>1,240 of 10,000 row…');
  expect(lines[6]).toMatch(/^<yellow>near\/small/);
});

test('a cost of which a model has no price shows its known part', () => {
  const rates = { inputTokensPerSecond: 1, outputTokensPerSecond: 1 };
  const usage = { writer: { ...ALIAS, ...rates }, judge: { ...ALIAS, ...rates, cost: null } };
  const told = describeProgress({ ...SNAPSHOT, cost: { ...SNAPSHOT.cost, soFar: null, forecast: null }, usage });
  expect(told).toContain("; cost 0.10 + unknown ('judge' has no price), 4.58 left of 5.00 ");
});

test('the plain log shows the same progress in one line', () => {
  expect(describeProgress(SNAPSHOT)).toBe(
    '1,240 of 10,000 rows, 3,247 of 20,000 cells (16%), 42.1 rows/s, 3 min 28 s left; cost 0.42, about 3.39 in all, 4.58 left of 5.00 (in the currency of your prices); ' +
      'far/big: 64 of 64 in flight, 120 waiting; near/small: 0 of 8 in flight, 2 waiting, paused for 12 s; ' +
      'near/slow: 1 of 8 in flight, 5 waiting for requests_per_minute; ' +
      `7 rows lost; mostly model/gave-up in 'quiz': no answer fits: at "x"`,
  );
  expect(describeProgress(NOTHING_YET)).toBe('0 of 50 rows (0%), 0 rows/s');
});

test('a panel and a line show the machines of a cluster, the lost ones first', () => {
  const machine = { id: 'a', host: 'node-1', pid: 7, isCoordinator: true, groups: 2, rows: 900, inFlight: 40 };
  const seen = { lastSeenMs: 0, isLost: false };
  const machines = [
    { ...machine, ...seen },
    {
      ...machine,
      id: 'b',
      host: 'node-22',
      pid: 123,
      isCoordinator: false,
      groups: 1,
      rows: 1,
      inFlight: 24,
      ...seen,
      lastSeenMs: 5000,
    },
    {
      ...machine,
      id: 'c',
      host: 'node-3',
      pid: 9,
      isCoordinator: false,
      groups: 0,
      rows: 40,
      inFlight: 0,
      lastSeenMs: 61_000,
      isLost: true,
    },
  ];
  const lines = panelLines({ ...NOTHING_YET, machines }, { columns: 120 });
  expect(lines.slice(2)).toEqual([
    'node-3 (9)     40 rows; lost, last seen 1 min 1 s ago',
    'node-22 (123)  1 row, 24 in flight, 1 row group open; last seen 5 s ago',
    'node-1 (7)     900 rows, 40 in flight, 2 row groups open; coordinates',
  ]);
  expect(describeProgress({ ...NOTHING_YET, machines })).toBe('0 of 50 rows (0%), 0 rows/s; 2 machines, 1 lost');
  const many = machines.flatMap((one) => [one, one, one, one]);
  expect(panelLines({ ...NOTHING_YET, machines: many }, { columns: 120 }).at(-1)).toBe('4 other machines');
});

test('a panel and a line show the attempts of each block: accepted rows, attempts for each and the shares', () => {
  const solve = {
    keep: 'first',
    max: 3,
    rows: 10,
    attempts: 18,
    failedAttempts: 0,
    accepted: 9,
    acceptedAt: [4, 3, 2],
    passAt: [0.4, 0.7, 0.9],
    passRate: 0.5,
    exhausted: [],
    attemptsPerAccepted: 2,
    costPerAccepted: null,
  } as const;
  const told =
    "attempts 'solve': 9 of 10 rows accepted; 2.00 attempts per accepted row; pass@1 40.0%, pass@2 70.0%, pass@3 90.0%";
  expect(panelLines({ ...NOTHING_YET, attempts: { solve } }, { columns: 140 })[2]).toBe(told);
  expect(describeProgress({ ...NOTHING_YET, attempts: { solve } })).toBe(`0 of 50 rows (0%), 0 rows/s; ${told}`);
});

test('candidates whose row group is not finished are told as not decided', () => {
  const rows = { wanted: 60, done: 0, before: 0, lost: 0, perSecond: 1 };
  const selection = { candidates: 24, planned: 71, decided: 0, refused: [] };
  const at = (change: object) => describeRows({ ...NOTHING_YET, rows, selection: { ...selection, ...change } });
  expect(at({})).toBe('0 of 60 rows accepted (0%) of 24 candidates, 24 not decided yet');
  expect(at({ decided: 24 })).toBe('0 of 60 rows accepted (0%) of 24 candidates');
});
