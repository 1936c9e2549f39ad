import { expect, test } from 'vitest';
import { Float } from '@data-designer/core';
import { canonicalJson } from './canonical-json.ts';

const CASES: readonly [string, unknown][] = [
  ['{"a":[true,null,1180591620717411303424],"b":1}', { b: 1, a: [true, null, 2n ** 70n] }],
  ['[1.0,0.5,1e-07,1e+21,-Infinity,NaN]', [new Float(1), 0.5, 1e-7, new Float(1e21), -Infinity, NaN]],
  [`${String.raw`"\u00e9\n\"`}\u007f"`, 'é\n"\u007f'],
  [String.raw`"\ud83d\ude00"`, '\u{1f600}'],
  [String.raw`{"a":5,"ab":4,"b":3,"\uffff":2,"\ud83d\ude00":1}`, { '\u{1f600}': 1, '\uffff': 2, b: 3, ab: 4, a: 5 }],
];

test.each(CASES)('writes %s', (text, value) => {
  expect(canonicalJson(value)).toBe(text);
});
