import type { Finding } from '@data-designer/core';
import { isMapping, type Mapping } from './spelling.ts';

/** The types of JSON Schema, and what people write for them. */
const TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    string: 'string',
    str: 'string',
    text: 'string',
    integer: 'integer',
    int: 'integer',
    number: 'number',
    float: 'number',
    boolean: 'boolean',
    bool: 'boolean',
  }),
);

/** Further members are left out of the remedy. */
const MOST_SHOWN = 6;

/** An error for a mapping of names to types, which as a JSON Schema validates nothing. */
export function shorthandMistake(outputFormat: Mapping): Finding[] {
  const members = Object.entries(outputFormat);
  const written = members.map(([name, value]) => [name, schemaOf(value)] as const);
  if (members.length === 0 || written.some(([, schema]) => schema === undefined)) return [];
  const shown = written.slice(0, MOST_SHOWN);
  const more = written.length > shown.length ? ', …' : '';
  const properties = shown.map(([name, schema]) => `${name}: ${schema}`).join(', ') + more;
  const required = shown.map(([name]) => name).join(', ') + more;
  return [
    {
      stage: 'run',
      type: 'invalid_params',
      level: 'ERROR',
      field: ['outputFormat'],
      message: `'${members[0]?.[0]}' is not a keyword of JSON Schema, so answers could have any shape.`,
      remedy: `Write { type: object, properties: { ${properties} }, required: [${required}] }.`,
    },
  ];
}

/** The schema that a type's name, or a mapping with such a type, stands for; undefined for anything else. */
function schemaOf(value: unknown): string | undefined {
  const name = isMapping(value) ? value['type'] : value;
  const type = typeof name === 'string' ? TYPES.get(name) : undefined;
  if (type !== undefined) return `{ type: ${type} }`;
  return isMapping(value) && (name === 'array' || name === 'object') ? '{ … }' : undefined;
}
