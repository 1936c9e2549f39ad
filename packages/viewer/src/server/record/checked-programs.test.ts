import { expect, test } from 'vitest';
import { IN_RECORD } from '../cut-cell.ts';
import { checkedPrograms } from './checked-programs.ts';

const VERDICT = {
  is_valid: false,
  failure: 'wrong',
  error: 'no',
  output: 'printed',
  result: null,
  seconds: 0.5,
  memory_mb: 3,
  tests: [
    { test: 0n, passed: true, error: null, output: '' },
    { test: 1, passed: false, error: 'no', output: 'x' },
  ],
};

test('a verdict says what its program did, or the program of each target', () => {
  const program = {
    isValid: false,
    failure: 'wrong',
    error: 'no',
    output: 'printed',
    result: null,
    seconds: 0.5,
    memoryMb: 3,
    tests: [
      { number: 0, passed: true, error: null, output: '' },
      { number: 1, passed: false, error: 'no', output: 'x' },
    ],
    testCount: 2,
  };
  expect(checkedPrograms(VERDICT, IN_RECORD)).toEqual([{ target: null, ...program }]);
  expect(checkedPrograms({ a: VERDICT, b: null }, IN_RECORD)).toMatchObject([
    { target: 'a', ...program },
    { target: 'b', isValid: null, seconds: null, tests: [] },
  ]);
  expect(checkedPrograms(null, IN_RECORD)).toEqual([]);
});

test('only the first tests are sent, and long texts are cut', () => {
  const [program] = checkedPrograms({ ...VERDICT, error: 'abcdef' }, { characters: 3, items: 1, values: 10 });
  expect(program).toMatchObject({
    error: { as: 'text', text: 'abc', length: 6 },
    tests: [{ number: 0 }],
    testCount: 2,
  });
});
