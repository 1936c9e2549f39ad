import { expect, test } from 'vitest';
import { Float } from '@data-designer/core';
import type { Dtype } from './cast.ts';
import { castSkipValue, type SkipValue } from './skip-value.ts';

test.each<[SkipValue, Dtype, SkipValue]>([
  ['5', 'int', 5],
  [' -1_000 ', 'int', -1000],
  ['+7', 'int', 7],
  [5.7, 'int', 5],
  [-0.5, 'int', 0],
  [new Float(-3), 'int', -3],
  [true, 'int', true],
  [1e20, 'int', 10n ** 20n],
  ['123456789012345678901', 'int', 123456789012345678901n],
  [12n, 'int', 12],
  [5, 'float', new Float(5)],
  [new Float(2), 'float', new Float(2)],
  ['1e3', 'float', new Float(1000)],
  [' .5 ', 'float', 0.5],
  ['-inf', 'float', -Infinity],
  ['nan', 'float', NaN],
  [false, 'float', new Float(0)],
  [2n ** 60n, 'float', new Float(2 ** 60)],
  ['false', 'bool', true],
  ['0', 'bool', true],
  ['', 'bool', false],
  [0, 'bool', false],
  [new Float(0), 'bool', false],
  [0.1, 'bool', true],
  [NaN, 'bool', true],
  [0n, 'bool', false],
  [true, 'str', 'True'],
  [false, 'str', 'False'],
  [5, 'str', '5'],
  [5.5, 'str', '5.5'],
  [new Float(5), 'str', '5.0'],
  [10n ** 20n, 'str', '100000000000000000000'],
  [Infinity, 'str', 'inf'],
  ['as it is', 'str', 'as it is'],
])('%o cast to %s is %o', (value, dtype, cast) => {
  expect(castSkipValue(value, dtype)).toStrictEqual(cast);
});

test.each<[SkipValue, Dtype]>([
  ['abc', 'int'],
  ['5.7', 'int'],
  ['1__0', 'int'],
  ['', 'int'],
  [Infinity, 'int'],
  [NaN, 'int'],
  ['abc', 'float'],
  ['', 'float'],
  [10n ** 400n, 'float'],
])('%o cannot be cast to %s', (value, dtype) => {
  expect(castSkipValue(value, dtype)).toBeUndefined();
});
