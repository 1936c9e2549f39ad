import { expect, test } from 'vitest';
import type { Overview } from '../../api/overview.ts';
import { cellsOf } from '../../run-cells.ts';
import { describeCells, endTimes, uncountedColumns } from './run-progress.ts';

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
