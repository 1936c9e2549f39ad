import { expect, test } from 'vitest';
import { isFailure } from '@data-designer/core';
import { compileTemplate } from '../index.ts';

const RECORD = { fruit: 'banana', emoji: '😀a', map: { a: 'x' }, list: [...Array<string>(97).fill(''), 'Z'] };

const render = (expression: string) => compileTemplate(`{{ ${expression} }}`, { mode: 'native' })(RECORD);

// Printed by CPython 3.11.
test.each([
  ["fruit.translate({97: 'o', 110: None, 98: 66})", 'Booo'],
  ["fruit.translate(fruit.maketrans('abn', 'xyz'))", 'yxzxzx'],
  ["fruit.translate(''.maketrans('a', 'o', 'n'))", 'booo'],
  ["''.maketrans({'a': 'xx', 98: None})", "{97: 'xx', 98: None}"],
  ["emoji.translate({128512: 'x'})", 'xa'],
  ['fruit.translate(map)', 'banana'],
  ["'ba'.translate(list)", 'bZ'],
  ["'ab'.translate('x' * 98)", 'xb'],
  ["'ab'.translate({97.0: 'q'})", 'qb'],
])('%s is %s', (expression, text) => {
  expect(render(expression)).toBe(text);
});

test.each([
  ['fruit.translate(3)', "'int' object is not subscriptable"],
  ['fruit.translate({97: 1.5})', 'character mapping must return integer, None or str'],
  ['fruit.translate({97: 99999999})', 'character mapping must be in range(0x110000)'],
  ["''.maketrans('ab', 'c')", 'the first two maketrans arguments must have equal length'],
  ["''.maketrans({'ab': 1})", 'string keys in translate table must be of length 1'],
  ["''.maketrans({1.5: 1})", 'keys in translate table must be strings or integers'],
  ["''.maketrans(3)", 'if you give only one argument to maketrans it must be a dict'],
])('%s fails: %s', (expression, reason) => {
  const failing = (thrown: unknown) => isFailure(thrown, 'template/record') && thrown.data.reason === reason;
  expect(() => render(expression)).toThrow(expect.toSatisfy(failing));
});
