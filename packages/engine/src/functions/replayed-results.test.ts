import { expect, test } from 'vitest';
import { ReplayedResults } from './replayed-results.ts';

const call = (rowIndex: number, args: readonly unknown[] = [{ a: 1 }]) => ({
  handle: 'columns.a.generatorFunction',
  args,
  given: { params: { b: 2 } },
  cells: [{ rowIndex }],
});

test('the result of the same call is given once', () => {
  const results = new ReplayedResults();
  results.add(call(1), { loud: 1 });
  expect(results.take(call(2))).toBeUndefined();
  expect(results.take(call(1))).toMatchObject({ result: { loud: 1 } });
  expect(results.take(call(1))).toBeUndefined();
});

test('a call with another row, or with other parameters, is made anew', () => {
  const results = new ReplayedResults();
  results.add(call(1), 1);
  expect(results.take(call(1, [{ a: 2 }]))).toBeUndefined();
  results.add(call(1), 1);
  expect(results.take({ ...call(1), given: {} })).toBeUndefined();
});

test('a call for no row is never known again', () => {
  const results = new ReplayedResults();
  results.add({ ...call(1), cells: [] }, 1);
  expect(results.take({ ...call(1), cells: [] })).toBeUndefined();
});
