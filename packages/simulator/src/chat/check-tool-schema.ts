import { type Fields, isFields } from '@data-designer/core';

/** The types of JSON Schema. */
const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']);
const NOT_AT_TOP = ['oneOf', 'anyOf', 'allOf', 'enum', 'not'];
const SCHEMAS = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'];
const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const MAPS = ['properties', 'patternProperties', '$defs', 'definitions'];
const NUMBERS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength'];

/** What OpenAI says of a tool's schema that it does not accept; undefined where it does. */
export function whyRefused(schema: unknown): string | undefined {
  if (!isFields(schema) || schema['type'] !== 'object') {
    return `schema must be a JSON Schema of 'type: "object"', got 'type: ${JSON.stringify(isFields(schema) ? schema['type'] : schema)}'`;
  }
  if (NOT_AT_TOP.some((keyword) => schema[keyword] !== undefined)) {
    return "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level";
  }
  if (!isFields(schema['properties'])) return 'In context=(), object schema missing properties';
  return whyInvalid(schema, schema, '()');
}

function whyInvalid(schema: Fields, root: Fields, context: string): string | undefined {
  return whyWrongHere(schema, root, context) ?? whyWrongBelow(schema, root, context);
}

function whyWrongHere(schema: Fields, root: Fields, context: string): string | undefined {
  const { type, required, items, $ref: reference, enum: values } = schema;
  const types: readonly unknown[] = type === undefined ? [] : Array.isArray(type) ? type : [type];
  const wrong = types.find((one) => typeof one !== 'string' || !TYPES.has(one));
  if (wrong !== undefined) return `${JSON.stringify(wrong)} is not valid under any of the given schemas`;
  const number = NUMBERS.find((keyword) => schema[keyword] !== undefined && typeof schema[keyword] !== 'number');
  if (number !== undefined) return `${JSON.stringify(schema[number])} is not of type 'number'`;
  if (required !== undefined && !Array.isArray(required)) return `${JSON.stringify(required)} is not of type 'array'`;
  if (values !== undefined && !Array.isArray(values)) return `${JSON.stringify(values)} is not of type 'array'`;
  if (types.includes('array') && items === undefined) return `In context=${context}, array schema missing items`;
  if (items !== undefined && !isFields(items)) return `${JSON.stringify(items)} is not of type 'object'`;
  return reference === undefined || isKnown(reference, root)
    ? undefined
    : `reference to ${JSON.stringify(reference)} is not supported`;
}

function whyWrongBelow(schema: Fields, root: Fields, context: string): string | undefined {
  const parts = [
    ...SCHEMAS.map((keyword) => [keyword, schema[keyword]] as const),
    ...LISTS.flatMap((keyword) => Object.entries<unknown>(Object(schema[keyword]))),
    ...MAPS.flatMap((keyword) => Object.entries<unknown>(Object(schema[keyword]))),
  ];
  for (const [name, part] of parts) {
    const reason = isFields(part) ? whyInvalid(part, root, `('${name}')${context}`) : undefined;
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** Only what stands in the schema itself may be referred to. */
function isKnown(reference: unknown, root: Fields): boolean {
  if (typeof reference !== 'string' || !reference.startsWith('#')) return false;
  const steps = reference.split('/').slice(1);
  return steps.reduce<unknown>((part, step) => (isFields(part) ? part[step] : undefined), root) !== undefined;
}
