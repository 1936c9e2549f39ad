import { expect, test } from 'vitest';
import { isWithinLimits } from './strict-limits.ts';

const object = (properties: object) => ({ type: 'object', properties });
const text = { type: 'string' };

function nested(levels: number): object {
  return levels === 0
    ? text
    : levels % 2 === 0
      ? { type: 'array', items: nested(levels - 1) }
      : object({ a: nested(levels - 1) });
}

function many(count: number): object {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, text]));
}

test.each([
  ['10 levels', nested(10), true],
  ['11 levels', nested(11), false],
  ['11 levels in a branch', object({ a: { anyOf: [text, nested(10)] } }), false],
  ['5000 properties', object(many(5000)), true],
  ['more over all parts', { ...object(many(3000)), $defs: { A: object(many(2001)) } }, false],
  ['1000 options', object({ a: { enum: Array.from({ length: 1000 }, String) } }), true],
  ['1001 options', object({ a: { enum: Array.from({ length: 1001 }, String) } }), false],
  ['very long options', object({ a: { enum: ['x'.repeat(120_001)] } }), false],
  ['a very long constant', object({ a: { const: 'x'.repeat(120_001) } }), false],
])('a schema of %s is within the limits: %s', (_, schema, is) => {
  expect(isWithinLimits(schema as Record<string, unknown>)).toBe(is);
});
