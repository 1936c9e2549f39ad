import { expect, test } from 'vitest';
import type { Plan, PlannedAttempts } from '@data-designer/core';
import { decisionTemplate } from '../../config/src/attempt-columns.ts';
import { unverifiedRows } from './unverified-rows.ts';

function planOf(block: Partial<PlannedAttempts>): Plan {
  const expr = decisionTemplate({ keep: 'first' }, '(a or b) and c');
  return {
    attempts: [{ name: 'solve', keep: 'first', decision: '_d', onExhausted: 'keep_last', ...block }],
    columns: [{ name: '_d', config: { expr } }],
  } as unknown as Plan;
}

const figures = (rows: number, accepted: number) => ({ solve: { rows, accepted } });

test('rows that stay without an accepted attempt are counted, with the condition that they miss', () => {
  const found = { block: 'solve', rows: 3, of: 10 };
  expect(unverifiedRows(planOf({}), figures(10, 7))).toEqual([{ ...found, until: '(a or b) and c' }]);
  expect(unverifiedRows(planOf({ onExhausted: 'null' }), figures(10, 7))).toHaveLength(1);
  expect(unverifiedRows(planOf({ keep: 'best' }), figures(10, 7))).toEqual([{ ...found, until: null }]);
});

test('lost rows, verified rows and plans without blocks have none', () => {
  expect(unverifiedRows(planOf({ onExhausted: 'drop_row' }), figures(10, 7))).toEqual([]);
  expect(unverifiedRows(planOf({}), figures(10, 10))).toEqual([]);
  expect(unverifiedRows(planOf({}), {})).toEqual([]);
  expect(unverifiedRows({ columns: [] }, {})).toEqual([]);
});
