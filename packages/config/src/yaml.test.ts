import { expect, test } from 'vitest';
import { Float } from '@data-designer/core';
import { parseYaml } from './yaml.ts';

test.each([
  ['yes', true],
  ['Off', false],
  ['y', 'y'],
  ['1e3', '1e3'],
  ['1.0e+3', new Float(1000)],
  ['.5', 0.5],
  ['1.', new Float(1)],
  ['1', 1],
  ['1.0', new Float(1)],
  ['010', 8],
  ['0b11', 3],
  ['0x1F', 31],
  ['1_000', 1000],
  ['0o10', '0o10'],
  ['12:30', 750],
  ['1:30:00', 5400],
  ['12345678901234567890', 12345678901234567890n],
  ['2024-01-01', '2024-01-01'],
  ['2024-01-01 10:00:00', '2024-01-01T10:00:00'],
  ['2024-01-01T10:00:00Z', '2024-01-01T10:00:00+00:00'],
  ['~', null],
  ["'yes'", 'yes'],
  ['.inf', Infinity],
])('the scalar %s reads as PyYAML reads it', (text, value) => {
  expect(parseYaml(`key: ${text}`)).toEqual({ key: value });
});

test('the last of two equal keys wins, and merge keys are applied', () => {
  expect(parseYaml('a: 1\na: 2\nbase: &b {x: 1}\nuse:\n  <<: *b\n  y: 2\n')).toEqual({
    a: 2,
    base: { x: 1 },
    use: { x: 1, y: 2 },
  });
});

test('an alias bomb is refused instead of expanded', () => {
  const levels = Array.from(
    { length: 12 },
    (_, i) => `l${i + 1}: &l${i + 1} [${Array.from({ length: 9 }, () => `*l${i}`).join(', ')}]`,
  );
  expect(() => parseYaml(['l0: &l0 [x]', ...levels].join('\n'))).toThrow(/alias/i);
});

test.each([
  ['a block has no final line break if the text has none', 'a: |\n  x', { a: 'x' }],
  ['a block keeps its final line break', 'a: |\n  x\n', { a: 'x\n' }],
  [
    'base 60 needs minutes and seconds below 60, in flow collections too',
    'a: [1:60, 1:30, 12:30:45, {b: 1:60, 1:60: c}, 1:2:3.5]',
    { a: ['1:60', 90, 45_045, { b: '1:60', '1:60': 'c' }, 3723.5] },
  ],
  ['a flow collection may continue at any indentation', 'a: {x: 1,\n  y: 2}', { a: { x: 1, y: 2 } }],
  [
    'a scalar may have hundreds of aliases',
    `d: &d x\nl: [${'*d, '.repeat(300)}*d]`,
    { d: 'x', l: Array(301).fill('x') },
  ],
  [
    'keys that are equal in Python are one key',
    '{1: a, 2.5: b, true: c, null: d, on: e}',
    { 1: 'e', 2.5: 'b', null: 'd' },
  ],
  ['a zero fraction of a second is left out', 't: 2024-01-01 10:00:00.000Z', { t: '2024-01-01T10:00:00+00:00' }],
  ['a key named __proto__ is an ordinary key', '__proto__: {a: 1}', Object.fromEntries([['__proto__', { a: 1 }]])],
])('%s', (_, text, value) => {
  expect(parseYaml(text)).toEqual(value);
});

test.each([
  ['several documents', 'a: 1\n---\nb: 2', /several documents/],
  ['an unclosed list', 'a: [', /end with a \]/],
  ['a nonexistent day', 'a: 2024-02-30', /no day 2024-02-30/],
  ['a nonexistent hour', 'a: 2024-02-03 25:00:00', /no time/],
  ['a date as a key', '2024-02-03: 1', /cannot be a key/],
  ['a list as a key', '? [1]\n: 2', /cannot be a key/],
  ['a lone =', 'a: =', /quote it/],
  ['the tag of a Python object', 'a: !!python/object:os.system {}', /tag/],
  ['binary data', 'a: !!binary aGVsbG8=', /binary/],
  ['an alias within its own anchor', 'a: &a [*a]', /alias/],
])('refuses %s', (_, text, reason) => {
  expect(() => parseYaml(text)).toThrow(reason);
});
