import { expect, test } from 'vitest';
import { refuseOtherInputs } from './opened-selection.ts';

const inputs = (notIn: string | undefined, uniqueAgainst: Readonly<Record<string, string>> = {}) => ({
  ...(notIn !== undefined && { notIn }),
  uniqueAgainst,
});

test('what rows are compared with may not change between runs', () => {
  expect(() => refuseOtherInputs('/d', inputs('a', { x: '1' }), inputs('a', { x: '1' }))).not.toThrow();
  expect(() => refuseOtherInputs('/d', undefined, inputs('a'))).not.toThrow();
  expect(() => refuseOtherInputs('/d', inputs('a'), undefined)).not.toThrow();
  expect(() => refuseOtherInputs('/d', inputs('a'), inputs('b'))).toThrow(
    "the benchmark files in 'not_in' changed after its first rows",
  );
  expect(() => refuseOtherInputs('/d', inputs('a', { x: '1', y: '1' }), inputs('a', { x: '1', y: '2' }))).toThrow(
    "cannot be continued: the dataset y in 'unique_against' changed",
  );
  expect(() => refuseOtherInputs('/d', inputs('a', { x: '1' }), inputs('b', { x: '2' }))).toThrow(
    "the benchmark files in 'not_in' and the dataset x in 'unique_against' changed",
  );
});
