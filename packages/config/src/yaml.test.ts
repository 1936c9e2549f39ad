import { Float } from '@data-designer/core';
import { expect, test } from 'vitest';
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

test('the last of two equal keys wins, and merge keys are followed', () => {
  expect(parseYaml('a: 1\na: 2\nbase: &b {x: 1}\nuse:\n  <<: *b\n  y: 2\n')).toEqual({
    a: 2,
    base: { x: 1 },
    use: { x: 1, y: 2 },
  });
});

test('an alias bomb is refused instead of unfolded', () => {
  const levels = Array.from(
    { length: 12 },
    (_, i) => `l${i + 1}: &l${i + 1} [${Array.from({ length: 9 }, () => `*l${i}`).join(', ')}]`,
  );
  expect(() => parseYaml(['l0: &l0 [x]', ...levels].join('\n'))).toThrow(/alias/i);
});
