import { expect, test } from 'vitest';
import type { Overview } from '../../api/overview.ts';
import { cellsOf } from '../../run-cells.ts';
import {
  describeCells,
  describeProblems,
  describeWaiting,
  endTimes,
  lostRowsOf,
  uncountedColumns,
} from './run-progress.ts';

type Progress = NonNullable<Overview['progress']>;

function progress(part: Partial<Progress>): Progress {
  const rows = { wanted: 200, done: 0, before: 0, lost: 0, perSecond: 0 };
  const columns = [200, 43, 0].map((done, at) => ({ column: `c${at}`, done, inFlight: 1, perSecond: 1 }));
  // The other figures are not read.
  return { rows, columns, etaSeconds: 960, ...part } as Progress;
}

test('cells count before the first row is finished', () => {
  expect(describeCells(cellsOf(progress({})) ?? { done: 0, wanted: 1 })).toBe('243 of 600 (41\u00A0%)');
  expect(cellsOf(progress({ columns: [] }))).toBeNull();
});

test('a time left without an upper end names the columns that it leaves out', () => {
  expect(uncountedColumns(progress({ etaRange: { least: 960, most: null } }))).toEqual(['c2']);
  expect(uncountedColumns(progress({ etaRange: { least: 960, most: 1200 } }))).toEqual([]);
  expect(uncountedColumns(progress({}))).toEqual([]);
});

test('the end of a run is a time of day, of another day with its date', () => {
  const at = new Date(2026, 0, 31, 18, 30).toISOString();
  expect(endTimes(progress({}), at)).toBe('about 18:46');
  expect(endTimes(progress({ etaRange: { least: 960, most: null } }), at)).toBe('not before 18:46');
  expect(endTimes(progress({ etaRange: { least: 960, most: 1860 } }), at)).toBe('18:46 to 19:01');
  expect(endTimes(progress({ etaSeconds: 21_600 }), at)).toBe('about 2026-02-01 00:30');
  expect(endTimes(progress({ etaSeconds: null }), at)).toBeNull();
});

test('finished rows wait for their row group before they are in the table', () => {
  const at = progress({ rows: { wanted: 200, done: 5, before: 0, lost: 2, perSecond: 0 } });
  const running = { state: 'running', progress: at, lost: [] } as const;
  expect(describeWaiting({ ...running, rows: 0 })).toMatch(/^5 finished rows are not in the table yet: /);
  expect(describeWaiting({ ...running, rows: 4 })).toMatch(/^1 finished row is not in the table yet: /);
  expect(describeWaiting({ ...running, rows: 5 })).toBeUndefined();
  expect(describeWaiting({ ...running, state: 'dead', rows: 0 })).toBeUndefined();
  expect(lostRowsOf(running)).toBe(2);
});

test('the problems of a run are one line', () => {
  expect(describeProblems([], 0)).toMatch(/^No problems so far: /);
  const groups = [
    { column: 'a', cells: 2 },
    { column: 'a', cells: 1 },
    { column: 'b', cells: 1 },
  ];
  expect(describeProblems(groups, 0)).toBe('4 failed cells in 2 columns');
  expect(describeProblems(groups.slice(2), 1)).toBe('1 failed cell in 1 column, 1 lost row');
  expect(describeProblems([], 3)).toBe('3 lost rows');
});
