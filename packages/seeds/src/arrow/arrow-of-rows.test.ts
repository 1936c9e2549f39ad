import { expect, test } from 'vitest';
import { type ArrowType, Float } from '@data-designer/core';
import { arrowOfRows } from './arrow-of-rows.ts';

const column = (...values: unknown[]) => arrowOfRows(values.map((value) => ({ a: value })));

test.each<[string, readonly unknown[], ArrowType]>([
  ['integers', [1, 2n, -3], 'int64'],
  ['integers and floats', [1, 1.5], 'float64'],
  ['integers and boxed floats', [1, new Float(1)], 'float64'],
  ['numbers beyond safe integers', [2 ** 60], 'float64'],
  ['numbers that are not finite', [NaN, Infinity], 'float64'],
  ['negative zero', [-0], 'float64'],
  ['big integers of 64 bits', [2n ** 63n - 1n], 'int64'],
  ['bigger integers', [2n ** 63n], 'utf8'],
  ['big integers and floats that hold them', [2n ** 62n, 0.5], 'float64'],
  ['dates', [new Date(0), null], { logical: 'timestamp', unit: 'ms', zoned: true }],
  ['dates and texts', [new Date(0), 'soon'], 'utf8'],
  ['nulls', [null, undefined], 'null'],
  ['lists', [[1], [], [1.5], null], { list: 'float64' }],
  ['empty lists', [[]], { list: 'null' }],
  ['lists of lists', [[[true]]], { list: { list: 'bool' } }],
])('infers the type of a column of %s', (_, values, type) => {
  expect(column(...values)).toEqual([{ name: 'a', type, nullable: true }]);
});

test.each([
  ['text and numbers', [1, 'x']],
  ['integers that a float would round, and floats', [2n ** 53n + 1n, 0.5]],
  ['mappings without keys', [{}]],
  ['lists of several types', [[1, 'x']]],
  ['lists and mappings', [[1], { b: 1 }]],
])('%s are stored as JSON text', (_, values) => {
  expect(column(...values)).toEqual([{ name: 'a', type: 'utf8', nullable: true, json: true }]);
});

test('a column of mappings has the keys of all rows, each with its own type', () => {
  expect(column({ b: 1 }, { c: 'x', b: null }, { d: [1, 'x'] })).toMatchObject([
    {
      type: {
        struct: [
          { name: 'b', type: 'int64' },
          { name: 'c', type: 'utf8' },
          { name: 'd', type: 'utf8', json: true },
        ],
      },
    },
  ]);
});

test.each([
  [Symbol('x'), 'a symbol'],
  [() => 1, 'a function'],
  [new Set([1]), 'a Set'],
  [new Uint16Array(2), 'a Uint16Array'],
  [new ArrayBuffer(2), 'a ArrayBuffer'],
  [new URL('https://example.com'), 'a URL'],
])('reports %o, which cannot be stored, by row and column', (value, what) => {
  expect(arrowOfRows([{ a: 1 }, { a: 1, b: [{ c: value }] }])).toEqual({ row: 1, column: 'b', what });
});

test('a column of bytes is text, and nothing else may stand in it', () => {
  const bytes = Uint8Array.of(0xff);
  expect(column(bytes, null, Buffer.from('x'))).toMatchObject([{ type: 'utf8' }]);
  expect(column([{ bytes, path: null }])).toMatchObject([
    {
      type: {
        list: {
          struct: [
            { name: 'bytes', type: 'utf8' },
            { name: 'path', type: 'null' },
          ],
        },
      },
    },
  ]);
  for (const other of ['text', 1, [bytes], { bytes }, new Date(0), true]) {
    const what = 'both bytes and other values';
    expect(arrowOfRows([{ a: bytes }, { a: other }])).toEqual({ row: 1, column: 'a', what });
    expect(arrowOfRows([{ a: other }, { a: null }, { a: bytes }])).toEqual({ row: 2, column: 'a', what });
  }
});
