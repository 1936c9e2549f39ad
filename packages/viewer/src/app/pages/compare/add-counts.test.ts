import { expect, test } from 'vitest';
import { addCounts } from './add-counts.ts';

const counts = (from: number, next: number | null, figure: number) => ({
  total: 30,
  from,
  next,
  rows: figure,
  changed: figure + 1,
  columns: [{ name: 'text', changed: figure + 2 }],
  measures: [
    { kind: 'score' as const, name: 'g.Tone', rose: figure, fell: 1, same: 2, risen: figure, sum: figure / 2 },
  ],
});

test('counts of consecutive rows add up', () => {
  expect(addCounts(counts(0, 10, 4), counts(10, null, 6))).toEqual({
    total: 30,
    from: 0,
    next: null,
    rows: 10,
    changed: 12,
    columns: [{ name: 'text', changed: 14 }],
    measures: [{ kind: 'score', name: 'g.Tone', rose: 10, fell: 2, same: 4, risen: 10, sum: 5 }],
  });
});
