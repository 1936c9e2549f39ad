import { fieldsOf, isFields, itemsOf } from '@data-designer/core';

/** The fields of a schema in Gemini's API. */
const FIELDS = new Set([
  'type',
  'format',
  'title',
  'description',
  'nullable',
  'enum',
  'items',
  'maxItems',
  'minItems',
  'properties',
  'required',
  'minProperties',
  'maxProperties',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'pattern',
  'example',
  'anyOf',
  'propertyOrdering',
]);
const FORMATS: ReadonlySet<unknown> = new Set(['enum', 'date-time', 'float', 'double', 'int32', 'int64']);

/** What Gemini says of a tool's parameters that it does not accept; undefined where it does, or where there are none. */
export function whyGeminiRefuses(schema: unknown, at = 'parameters'): string | undefined {
  if (schema === undefined && at === 'parameters') return undefined;
  if (!isFields(schema)) return `${at}: must be an object`;
  return whyWrongHere(schema, at) ?? whyWrongBelow(schema, at);
}

function whyWrongHere(schema: Readonly<Record<string, unknown>>, at: string): string | undefined {
  const unknown = Object.keys(schema).find((keyword) => !FIELDS.has(keyword));
  if (unknown !== undefined) return `Unknown name "${unknown}" at '${at}': Cannot find field`;
  const { type, format, enum: values, items, properties, required, anyOf } = schema;
  if (anyOf === undefined && typeof type !== 'string') return `${at}.type: must be a single type`;
  if (anyOf !== undefined && ['type', 'properties', 'items', 'enum'].some((keyword) => keyword in schema)) {
    return `${at}.any_of: must be the only field set`;
  }
  if (format !== undefined && !FORMATS.has(format)) return `${at}.format: only 'enum' and 'date-time' are supported`;
  if (values !== undefined && type !== 'string') return `${at}.enum: only allowed for STRING type`;
  const empty = itemsOf(values).findIndex((value) => typeof value !== 'string' || value === '');
  if (empty !== -1) return `${at}.enum[${empty}]: cannot be empty`;
  if (type === 'array' && items === undefined) return `${at}.items: missing field`;
  if (type !== 'array' && items !== undefined) return `${at}.items: only allowed for ARRAY type`;
  if (type !== 'object' && (properties ?? required) !== undefined)
    return `${at}.properties: only allowed for OBJECT type`;
  const names = Object.keys(fieldsOf(properties));
  if (type === 'object' && names.length === 0) return `${at}.properties: should be non-empty for OBJECT type`;
  const missing = itemsOf(required).findIndex((name) => !names.includes(String(name)));
  return missing === -1 ? undefined : `${at}.required[${missing}]: property is not defined`;
}

function whyWrongBelow(
  { properties, items, anyOf }: Readonly<Record<string, unknown>>,
  at: string,
): string | undefined {
  const parts: (readonly [string, unknown])[] = [
    ...Object.entries(fieldsOf(properties)).map(([name, part]) => [`${at}.properties[${name}]`, part] as const),
    ...(items === undefined ? [] : [[`${at}.items`, items] as const]),
    ...itemsOf(anyOf).map((part, index) => [`${at}.any_of[${index}]`, part] as const),
  ];
  for (const [place, part] of parts) {
    const reason = whyGeminiRefuses(part, place);
    if (reason !== undefined) return reason;
  }
  return undefined;
}
