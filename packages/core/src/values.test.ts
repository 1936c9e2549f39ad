import { expect, test } from 'vitest';
import { Float, parseJson, printFloat, stringifyJson, unboxed } from './index.ts';

test.each([
  [1, '1.0'],
  [-0, '-0.0'],
  [1.5, '1.5'],
  [1e16, '1e+16'],
  [123456789012345680, '1.2345678901234568e+17'],
  [0.0001, '0.0001'],
  [0.00001, '1e-05'],
  [1e100, '1e+100'],
  [NaN, 'nan'],
  [-Infinity, '-inf'],
])('the float %d prints as Python prints it: %s', (value, text) => {
  expect(printFloat(value)).toBe(text);
});

test('JSON keeps integral floats and large integers through a round trip', () => {
  const text = '{"a":1,"b":1.0,"c":12345678901234567890,"d":[2.50,1e3],"e":"1.0"}';
  const value = parseJson(text) as Record<string, unknown>;
  expect(value.a).toBe(1);
  expect(value.b).toEqual(new Float(1));
  expect(value.c).toBe(12345678901234567890n);
  expect(value.d).toEqual([2.5, new Float(1000)]);
  expect(value.e).toBe('1.0');
  expect(stringifyJson(value)).toBe('{"a":1,"b":1.0,"c":12345678901234567890,"d":[2.5,1000.0],"e":"1.0"}');
});

test('unboxing removes every box and shares the parts without one', () => {
  const plain = { deep: [1, 'x'] };
  expect(unboxed(plain)).toBe(plain);
  const mixed = { kept: plain, changed: [new Float(2), 3n] };
  const result = unboxed(mixed) as typeof mixed;
  expect(result).toEqual({ kept: plain, changed: [2, 3n] });
  expect(result.kept).toBe(plain);
});
