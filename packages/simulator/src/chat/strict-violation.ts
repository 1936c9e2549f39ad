import { itemsOf } from '@data-designer/core';
import { asSchema } from './resolve-schema.ts';

const UNKNOWN = [
  'allOf',
  'oneOf',
  'not',
  'if',
  'patternProperties',
  'dependentRequired',
  'dependentSchemas',
  'default',
];

/** Why strict servers refuse a schema; undefined if they accept it. */
export function strictViolation(schema: unknown, at = 'the root'): string | undefined {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return `${at} is not a schema`;
  const fields = asSchema(schema);
  const unknown = UNKNOWN.find((keyword) => Object.hasOwn(fields, keyword));
  if (unknown !== undefined) return `${at} has '${unknown}', which is not permitted`;
  const own =
    fields['type'] === 'object' || fields['properties'] !== undefined ? objectViolation(fields, at) : undefined;
  return own ?? partViolation(fields, at);
}

function objectViolation(
  { properties, required, additionalProperties }: Readonly<Record<string, unknown>>,
  at: string,
) {
  if (additionalProperties !== false) return `'additionalProperties' must be false at ${at}`;
  const names = new Set(itemsOf(required));
  const missing = Object.keys(asSchema(properties)).find((name) => !names.has(name));
  return missing === undefined ? undefined : `'required' must name every property at ${at}: '${missing}' is missing`;
}

function partViolation(fields: Readonly<Record<string, unknown>>, at: string): string | undefined {
  const groups = ['properties', '$defs', 'definitions'].flatMap((keyword) =>
    Object.entries(asSchema(fields[keyword])).map(([name, part]) => [`${at}.${name}`, part] as const),
  );
  const branches = itemsOf(fields['anyOf']);
  const items = fields['items'] === undefined ? [] : [[`${at}[]`, fields['items']] as const];
  const parts = [...groups, ...items, ...branches.map((part, index) => [`${at}.anyOf[${index}]`, part] as const)];
  for (const [place, part] of parts) {
    const violation = strictViolation(part, place);
    if (violation !== undefined) return violation;
  }
  return undefined;
}
