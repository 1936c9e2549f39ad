import { expect, test } from 'vitest';
import { describeLostRows } from './describe-lost-rows.ts';

const tell = (choice: Parameters<typeof describeLostRows>[0]) => describeLostRows(choice, 'use --retry-lost');

test('lost rows are told with the way to make them again and its cost, or with the reason why they stay', () => {
  expect(tell({ lost: 3, retriable: { rows: 2, cost: 0.5 }, stay: 'it selects its rows' })).toBe(
    '2 lost rows can be made again, for about 0.50: use --retry-lost',
  );
  expect(tell({ lost: 1, retriable: { rows: 1, cost: null }, stay: 'it selects its rows' })).toBe(
    '1 lost row can be made again: use --retry-lost',
  );
  expect(tell({ lost: 4, retriable: null, stay: 'it selects its rows' })).toBe(
    '4 lost rows cannot be made again: it selects its rows',
  );
  expect(tell({ lost: 0, retriable: null, stay: 'it selects its rows' })).toBeUndefined();
});
