import { expect, test } from 'vitest';
import { joinColumns, repeated } from './join-columns.ts';

const part = (data: Parameters<typeof repeated>[0], from = 0, to = data.length) => ({ data, from, to });

test('parts of one kind stay of that kind, integers and floats together are floats, others are cells', () => {
  const [small, large] = [Int32Array.of(1, 2, 3), Float64Array.of(2 ** 40)];
  expect(joinColumns([part(small, 1), part(small, 0, 1)])).toEqual(Int32Array.of(2, 3, 1));
  expect(joinColumns([part(small), part(large)])).toEqual(Float64Array.of(1, 2, 3, 2 ** 40));
  expect(joinColumns([part(small), part([null, 2n ** 60n])])).toEqual([1, 2, 3, null, 2n ** 60n]);
});

test('a single part is not copied where all of it is wanted', () => {
  const data = ['a', 'b'];
  expect(joinColumns([part(data)])).toBe(data);
  expect(joinColumns([part(data, 1)])).toEqual(['b']);
  expect(joinColumns([])).toEqual(new Int32Array(0));
});

test('rows go on from the first after the last', () => {
  expect(repeated(['a', 'b', 'c'], 2, 5)).toEqual(['c', 'a', 'b', 'c', 'a']);
  expect(repeated(Int32Array.of(1, 2), 0, 3)).toEqual(Float64Array.of(1, 2, 1));
});
