import { expect, test } from 'vitest';
import { Random } from '@data-designer/core';
import { tableDraw } from './table-draw.ts';

const random = Random.of(1, 'table');

test('a table of one count always draws it', () => {
  const draw = tableDraw({ lowest: 4, highest: 4, mode: 4, ratio: () => 0 });
  expect(draw?.(random.at(0))).toBe(4);
});

test('returns undefined if the table would be too long', () => {
  expect(tableDraw({ lowest: 0, highest: 1e6, mode: 0, ratio: () => 1 })).toBeUndefined();
  expect(tableDraw({ lowest: 0, highest: 1e6, mode: 1e6, ratio: () => 1 })).toBeUndefined();
});

test('draws counts in the given ratios on both sides of the mode', () => {
  // 1 : 2 : 1
  const draw = tableDraw({ lowest: 0, highest: 2, mode: 1, ratio: (count) => (count === 0 ? 2 : 0.5) });
  const seen = [0, 0, 0];
  for (let row = 0; row < 8000; row++) {
    const count = draw?.(random.at(row)) as number;
    seen[count] = (seen[count] as number) + 1;
  }
  expect(seen.map((count) => Math.round(count / 200))).toEqual([10, 20, 10]);
});
