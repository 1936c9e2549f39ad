import { expect, test } from 'vitest';
import { compileCondition, parseCondition } from './index.ts';

test('a condition follows the truth rules of Python, and text in cells stays text', () => {
  expect(compileCondition("flag == 'true' and n > 3")({ flag: 'true', n: 4 })).toBe(true);
  expect(compileCondition('n')({ n: 0 })).toBe(false);
  expect(compileCondition('[] ')({})).toBe(false);
  expect(compileCondition("region in ('coast', 'isle') and not frozen")({ region: 'isle', frozen: false })).toBe(true);
});

test('a condition lists its references', () => {
  expect(parseCondition('a.b > c').references).toEqual(['a', 'c']);
});

test('a syntax error has its position in the condition', () => {
  const position = { line: 1, column: 7 };
  const failure = { code: 'template/syntax', data: expect.objectContaining(position) as unknown };
  expect(() => compileCondition('tier =')).toThrow(expect.objectContaining({ code: 'template/syntax' }));
  expect(() => compileCondition('tier [')).toThrow(expect.objectContaining({ code: 'template/syntax' }));
  expect(() => compileCondition('a and !')).toThrow(expect.objectContaining(failure));
  expect(() => compileCondition('tier =')).toThrow(/at '='\.$/);
});

test('conditions follow the secure rules and consist of one expression', () => {
  expect(() => compileCondition("tier|join == 'x'")).toThrow(/'join' is not supported/);
  expect(() => compileCondition('a }} {{ b')).toThrow(expect.objectContaining({ code: 'template/refused' }));
  expect(() => compileCondition('a.b')({ a: {} })).toThrow(expect.objectContaining({ code: 'template/empty-render' }));
});
