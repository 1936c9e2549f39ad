import { expect, test } from 'vitest';
import { contradictions } from './contradictions.ts';

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
const N = { type: 'integer' };
const NEVER = { type: 'integer', minimum: 5, maximum: 1 };

const found = (schema: object) =>
  contradictions(schema as Record<string, unknown>).map(
    ({ path, message, isFatal }) => `${isFatal ? 'error' : 'warning'} ${path.join('.')}: ${message}`,
  );

test.each<[object, string]>([
  [NEVER, "error minimum: 'minimum' is 5, and 'maximum' is 1"],
  [{ minimum: 5, maximum: 1 }, "warning minimum: 'minimum' is 5, and 'maximum' is 1"],
  [{ type: 'string', minLength: 3, maxLength: 2 }, "error minLength: 'minLength' is 3, and 'maxLength' is 2"],
  [{ type: 'array', minItems: 3, maxItems: 2 }, "error minItems: 'minItems' is 3, and 'maxItems' is 2"],
  [{ type: ['array', 'null'], minItems: 3, maxItems: 2 }, "warning minItems: 'minItems' is 3, and 'maxItems' is 2"],
  [{ enum: [] }, "error enum: 'enum' has no values"],
  [{ enum: ['a'], const: 'b' }, `error const: 'const' is "b", which 'enum' does not have`],
  [{ enum: ['a'], type: 'integer' }, "error enum: 'enum' has no value of the type integer"],
  [{ const: 1.5, type: 'integer' }, "error const: 'const' has no value of the type integer"],
  [
    object({ n: N }, { required: ['n', 'b'], additionalProperties: false }),
    "error required.1: 'b' is required, but 'properties' does not have it, and no other member is allowed",
  ],
  [
    object({ n: N }, { required: ['b'] }),
    "error required.0: 'b' is required, but 'properties' does not have it, and other members are removed from answers",
  ],
  [object({ b: false }, { required: ['b'] }), "error required.0: 'b' is required, but its schema is false"],
  [object({ n: NEVER }, { required: ['n'] }), "error properties.n.minimum: 'minimum' is 5, and 'maximum' is 1"],
  [object({ n: NEVER }), "warning properties.n.minimum: 'minimum' is 5, and 'maximum' is 1"],
  [{ type: 'array', items: NEVER, minItems: 1 }, "error items.minimum: 'minimum' is 5, and 'maximum' is 1"],
  [{ type: 'array', items: NEVER }, "warning items.minimum: 'minimum' is 5, and 'maximum' is 1"],
  [{ allOf: [N, NEVER] }, "error allOf.1.minimum: 'minimum' is 5, and 'maximum' is 1"],
  [{ $ref: '#/$defs/x', $defs: { x: NEVER } }, "error $defs.x.minimum: 'minimum' is 5, and 'maximum' is 1"],
])('%j cannot be matched', (schema, message) => {
  expect(found(schema)).toEqual([message]);
});

test.each<[object]>([
  [object({ n: N }, { required: ['n'], additionalProperties: false })],
  [{ type: 'integer', minimum: 1, maximum: 1 }],
  [{ type: 'string', minimum: 5, maximum: 1 }],
  [{ anyOf: [NEVER, { type: 'string' }] }],
  [{ enum: ['a', null], type: ['string', 'null'], const: 'a' }],
  [{ enum: [1], type: 'number' }],
  [object({ n: N }, { required: ['b'], additionalProperties: N })],
  [object({}, { required: ['b'], patternProperties: { '^b': N }, additionalProperties: false })],
  [object({ n: N }, { required: ['b'], anyOf: [{ properties: { b: N } }] })],
  [{ type: 'object' }],
  [{ $ref: '#/$defs/x', $defs: { x: object({ next: { $ref: '#/$defs/x' } }) } }],
  [{ type: 'object', allOf: [{ required: ['b'], properties: { n: N } }, object({ b: N })] }],
])('%j has no contradiction', (schema) => {
  expect(found(schema)).toEqual([]);
});
