import { expect, test } from 'vitest';
import { joinColumns, repeated } from './join-columns.ts';

const part = (data: Parameters<typeof repeated>[0], from = 0, to = data.length) => ({ data, from, to });

test('keeps the type of equal parts, joins integers and floats to floats, and others to cells', () => {
  const [small, large] = [Int32Array.of(1, 2, 3), Float64Array.of(2 ** 40)];
  expect(joinColumns([part(small, 1), part(small, 0, 1)])).toEqual(Int32Array.of(2, 3, 1));
  expect(joinColumns([part(small), part(large)])).toEqual(Float64Array.of(1, 2, 3, 2 ** 40));
  expect(joinColumns([part(small), part([null, 2n ** 60n])])).toEqual([1, 2, 3, null, 2n ** 60n]);
});

test('does not copy a single whole part', () => {
  const data = ['a', 'b'];
  expect(joinColumns([part(data)])).toBe(data);
  expect(joinColumns([part(data, 1)])).toEqual(['b']);
  expect(joinColumns([])).toEqual(new Int32Array(0));
});

test('starts again at the first row after the last', () => {
  expect(repeated(['a', 'b', 'c'], 2, 5)).toEqual(['c', 'a', 'b', 'c', 'a']);
  expect(repeated(Int32Array.of(1, 2), 0, 3)).toEqual(Float64Array.of(1, 2, 1));
});
