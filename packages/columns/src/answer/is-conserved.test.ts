import { expect, test } from 'vitest';
import { isConserved } from './is-conserved.ts';

test.each([
  ['{"a": "x", y"}', String.raw`{"a": "x\", y"}`, false],
  ['{"a": "x "y" z"}', String.raw`{"a": "x \"y\" z"}`, true],
  ['{"a": "x" \n, y"}', String.raw`{"a": "x\" \n, y"}`, false],
  ['{"a": "x, \n "y"}', String.raw`{"a": "x, \n \"y"}`, false],
  ['{"a": "x \n "y" \n z"}', String.raw`{"a": "x \n \"y\" \n z"}`, true],
  ['{a: NaN}', '{"a": "NaN"}', false],
  ['{a: [1 2,]} // end', '{"a": [1, 2]}', true],
])('the repair of %s to %s keeps the content: %s', (text, repaired, kept) => {
  expect(isConserved(text, repaired)).toBe(kept);
});
