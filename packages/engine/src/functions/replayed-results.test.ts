import { expect, test } from 'vitest';
import { ReplayedResults } from './replayed-results.ts';

const call = (rowIndex: number, args: readonly unknown[] = [{ a: 1 }]) => ({
  handle: 'columns.a.generatorFunction',
  args,
  given: { params: { b: 2 } },
  cells: [{ rowIndex }],
});

test('a recorded result is returned once, for the same call', () => {
  const results = new ReplayedResults();
  results.add(call(1), { loud: 1 });
  expect(results.take(call(2))).toBeUndefined();
  expect(results.take(call(1))).toMatchObject({ result: { loud: 1 } });
  expect(results.take(call(1))).toBeUndefined();
});

test('a call with other rows or parameters runs again', () => {
  const results = new ReplayedResults();
  results.add(call(1), 1);
  expect(results.take(call(1, [{ a: 2 }]))).toBeUndefined();
  results.add(call(1), 1);
  expect(results.take({ ...call(1), given: {} })).toBeUndefined();
});

test('the result of a call without rows is never reused', () => {
  const results = new ReplayedResults();
  results.add({ ...call(1), cells: [] }, 1);
  expect(results.take({ ...call(1), cells: [] })).toBeUndefined();
});
