import { expect, test } from 'vitest';
import { Float, parseJson, stringifyJson } from '@data-designer/core';
import { withLargeFloats } from './large-floats.ts';

test('floats beyond 2^53 come back from JSON as floats, and other values are unchanged', () => {
  const part = { high: 1e19, low: 0, list: [9007199254740994, 0.5, 7n, 'text'], none: null };
  const back = parseJson(stringifyJson(withLargeFloats(part)));
  expect(back).toEqual({
    high: new Float(1e19),
    low: 0,
    list: [new Float(9007199254740994), 0.5, 7, 'text'],
    none: null,
  });
});

test('a value without large floats is not copied', () => {
  const part = { low: 1, deep: [{ high: 2.5 }] };
  expect(withLargeFloats(part)).toBe(part);
});
