import { type CellValue, Float, isList, messageOf, parseJson, stringifyJson } from '@data-designer/core';
import { isSchema, type JsonSchema, resolveReference } from '@data-designer/json-schema';

/** The longest schema of a row, in characters of compact JSON. A longer one takes half a second to compile. */
const MOST_CHARACTERS = 32_768;

/** The longest JSON text that is parsed: indented text is longer than its compact form. */
const MOST_PARSED = 4 * MOST_CHARACTERS;

/** The deepest schema, in levels of lists and objects. */
const MOST_LEVELS = 100;

/** Most subschemas that apply to one value: references multiply. */
const MOST_PARTS = 10_000;

/** The reason why a row's schema cannot be used. */
export class UnusableSchema extends Error {}

/** A row's schema as compact JSON text, from a value or from JSON text. Throws `UnusableSchema`. */
export function rowSchemaText(value: CellValue): string {
  const isText = typeof value === 'string';
  const given = isText ? parsedText(value) : value;
  if (!isSchema(given) || given instanceof Float) throw new UnusableSchema(`it is ${nameOf(given)}, not an object`);
  refuseDepth(given, 1);
  const text = stringifyJson(isText ? given : withoutNulls(given, ''));
  if (text.length > MOST_CHARACTERS) throw tooLong(text);
  return text;
}

function parsedText(text: string): CellValue {
  if (text.length > MOST_PARSED) throw tooLong(text);
  try {
    return parseJson(text);
  } catch (thrown) {
    throw new UnusableSchema(thrown instanceof RangeError ? TOO_DEEP : `its text is not JSON: ${messageOf(thrown)}`);
  }
}

function tooLong({ length }: string): UnusableSchema {
  const [has, most] = [length, MOST_CHARACTERS].map((count) => count.toLocaleString('en-US'));
  return new UnusableSchema(`it has ${has} characters, more than ${most}`);
}

function nameOf(value: CellValue): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'boolean') return String(value);
  return isList(value) ? 'a list' : 'a number';
}

const TOO_DEEP = `it has more than ${MOST_LEVELS} levels`;

function refuseDepth(value: unknown, level: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (level > MOST_LEVELS) throw new UnusableSchema(TOO_DEEP);
  for (const part of Object.values(value)) refuseDepth(part, level + 1);
}

/** Objects from tables have null for each member that only other rows have. */
function withoutNulls(value: CellValue, path: string): CellValue {
  if (typeof value !== 'object' || value === null || value instanceof Float || isList(value)) {
    return isList(value) ? value.map((item, at) => withoutNulls(item, `${path}/${at}`)) : value;
  }
  if (value['const'] === null && Object.hasOwn(value, 'const')) {
    const reason = `the null of '${path}/const' may be a missing member; give a schema with a null constant as JSON text`;
    throw new UnusableSchema(reason);
  }
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member, `${path}/${name}`)]));
}

const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'] as const;

/** Keywords whose values are data. */
const DATA: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);

/** Refuses a schema that refers to other documents, or whose references multiply. Throws `UnusableSchema`. */
export function refuseReferences(root: JsonSchema): void {
  refuseRemote(root, root['$id']);
  const counts = new Map<JsonSchema, number>();
  countAll(root, { root, counts });
}

function refuseRemote(part: unknown, id: unknown): void {
  if (Array.isArray(part)) for (const item of part) refuseRemote(item, id);
  if (!isSchema(part)) return;
  for (const keyword of REFERENCES) {
    const target = part[keyword];
    if (typeof target !== 'string' || target.startsWith('#')) continue;
    if (typeof id === 'string' && target.startsWith(`${id}#`)) continue;
    const shown = target.length > 100 ? `${target.slice(0, 100)}…` : target;
    throw new UnusableSchema(
      `its '${keyword}' names '${shown}', and only references within the schema (#/…) are followed`,
    );
  }
  for (const [keyword, member] of Object.entries(part)) if (!DATA.has(keyword)) refuseRemote(member, id);
}

interface Counting {
  readonly root: JsonSchema;
  /** The number of parts that each schema applies to one value; NaN while it is counted. */
  readonly counts: Map<JsonSchema, number>;
}

function countAll(part: unknown, counting: Counting): void {
  if (typeof part !== 'object' || part === null) return;
  if (isSchema(part)) countOf(part, counting);
  for (const member of Object.values(part)) countAll(member, counting);
}

const IN_PLACE = ['not', 'if', 'then', 'else'] as const;
const IN_PLACE_LISTS = ['allOf', 'anyOf', 'oneOf'] as const;
const IN_PLACE_MAPS = ['dependentSchemas', 'dependencies'] as const;

function countOf(schema: JsonSchema, counting: Counting): number {
  const { root, counts } = counting;
  const known = counts.get(schema);
  if (Number.isNaN(known)) throw new UnusableSchema('a reference in it leads back to itself for the same value');
  if (known !== undefined) return known;
  counts.set(schema, NaN);
  const parts = [
    ...REFERENCES.map((keyword) => resolveReference(schema[keyword], root)?.schema),
    ...IN_PLACE.map((keyword) => schema[keyword]),
    ...IN_PLACE_LISTS.flatMap((keyword): unknown => schema[keyword]),
    ...IN_PLACE_MAPS.flatMap((keyword) => Object.values(isSchema(schema[keyword]) ? schema[keyword] : {})),
  ].filter(isSchema);
  const count = parts.reduce((sum, part) => sum + countOf(part, counting), 1);
  if (count > MOST_PARTS) throw new UnusableSchema(`its references apply more than ${MOST_PARTS} parts to one value`);
  counts.set(schema, count);
  return count;
}
