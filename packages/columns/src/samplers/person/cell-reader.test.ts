import { expect, test } from 'vitest';
import { type ColumnData, Float } from '@data-designer/core';
import { cellReader } from './cell-reader.ts';

const all = (data: ColumnData) => Array.from({ length: data.length }, (_, position) => cellReader(data)(position));

test('integers are numbers, as long as they are exact', () => {
  expect(all(BigInt64Array.of(1n, -2n, 2n ** 60n))).toEqual([1, -2, 2n ** 60n]);
  expect(all(Int32Array.of(7))).toEqual([7]);
  expect(all([3n, 'text', null])).toEqual([3, 'text', null]);
});

test('floats without a fraction stay floats', () => {
  expect(all(Float64Array.of(1.5, 2))).toEqual([1.5, new Float(2)]);
});
