import type { Finding } from '@data-designer/core';
import { isSchema, type JsonSchema } from '@data-designer/json-schema';
import { runFinding } from '../run-finding.ts';

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

/** Keywords that people do not use as the names of members when they give those a type's name. */
const KEYWORDS = new Set(
  '$ref $schema type properties required items enum const anyOf oneOf allOf format pattern additionalProperties'.split(
    ' ',
  ),
);

/** Further members are left out of the remedy. */
const MOST_SHOWN = 6;

/** An error for a mapping of names to types, which as a JSON Schema validates nothing. */
export function shorthandMistake(outputFormat: JsonSchema): Finding[] {
  const members = Object.entries(outputFormat);
  const written = members.map(([name, value]) => [name, schemaOf(value)] as const);
  const isShorthand = members.length > 0 && members.every(([name]) => !KEYWORDS.has(name));
  if (!isShorthand || written.some(([, schema]) => schema === undefined)) return [];
  const shown = written.slice(0, MOST_SHOWN);
  const more = written.length > shown.length ? ', …' : '';
  const properties = shown.map(([name, schema]) => `${name}: ${schema}`).join(', ') + more;
  const required = shown.map(([name]) => name).join(', ') + more;
  return [
    runFinding(['outputFormat'], {
      message: `'${members[0]?.[0]}' is no keyword of a JSON Schema, so that answers could have any shape.`,
      remedy: `Write { type: object, properties: { ${properties} }, required: [${required}] }.`,
    }),
  ];
}

/** The schema that a type's name, or a mapping with such a type, stands for; undefined for anything else. */
function schemaOf(value: unknown): string | undefined {
  const isMapping = isSchema(value);
  const name = isMapping ? value['type'] : value;
  const type = typeof name === 'string' ? TYPES.get(name) : undefined;
  if (type !== undefined) return `{ type: ${type} }`;
  return isMapping && (name === 'array' || name === 'object') ? '{ … }' : undefined;
}
