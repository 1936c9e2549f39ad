import crypto from 'node:crypto';
import { type CellValue, type Fields, Float, isFields, itemsOf } from '@data-designer/core';
import { isSchema, type JsonSchema, resolveReference } from '@data-designer/json-schema';

/** A property name that model APIs accept (source: an error of Anthropic's API). */
const PROPERTY_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;
const LONGEST_PROPERTY_NAME = 64;
/** Enough characters of a hash to distinguish the properties of a tool. */
const HASH_DIGITS = 8;

/** Keywords whose value is a schema, a list of schemas, and a map of schemas. */
const SCHEMAS = new Set([
  'items',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'additionalItems',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
]);
const LISTS = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const MAPS = new Set(['patternProperties', '$defs', 'definitions']);
/** Maps whose keys are names of properties. */
const MAPS_BY_NAME = new Set(['dependentSchemas', 'dependentRequired', 'dependencies']);

/** The names for models of the properties that model APIs refuse, by their names in the schema. */
type Renames = ReadonlyMap<string, string>;

const known = new WeakMap<JsonSchema, Renames>();

/** The renamed properties of a schema; one name is renamed the same wherever it stands. */
function renamesOf(schema: JsonSchema): Renames {
  let renames = known.get(schema);
  if (!renames) known.set(schema, (renames = renamed(namesIn(schema))));
  return renames;
}

function renamed(names: ReadonlySet<string>): Renames {
  const refused = [...names].filter((name) => !PROPERTY_NAME.test(name)).toSorted();
  const taken = new Set(names);
  return new Map(
    refused.map((name) => {
      const made = legalName(name, taken);
      taken.add(made);
      return [name, made];
    }),
  );
}

/** The name with `_` for other characters; with a hash if it is too long, taken, or has no letter or digit left. */
function legalName(name: string, taken: ReadonlySet<string>): string {
  const plain = name.replaceAll(/[^a-zA-Z0-9_.-]/gu, '_');
  if (PROPERTY_NAME.test(plain) && /[a-zA-Z0-9]/.test(plain) && !taken.has(plain)) return plain;
  const start = plain.slice(0, LONGEST_PROPERTY_NAME - HASH_DIGITS - 1);
  for (let turn = 0; ; turn++) {
    const marked = `${start}_${crypto.hash('sha256', `${name}\0${turn}`).slice(0, HASH_DIGITS)}`;
    if (!taken.has(marked)) return marked;
  }
}

/** The names of all properties in a schema. */
function namesIn(schema: unknown, names = new Set<string>()): ReadonlySet<string> {
  if (!isSchema(schema)) return names;
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'properties' && isSchema(value)) Object.keys(value).forEach((name) => names.add(name));
    for (const part of schemasUnder(keyword, value)) namesIn(part, names);
  }
  return names;
}

function schemasUnder(keyword: string, value: unknown): readonly unknown[] {
  if (SCHEMAS.has(keyword)) return Array.isArray(value) ? value : [value];
  if (LISTS.has(keyword)) return itemsOf(value);
  const isMap = keyword === 'properties' || MAPS.has(keyword) || MAPS_BY_NAME.has(keyword);
  return isMap && isSchema(value) ? Object.values(value) : [];
}

/**
 * A form of a tool's schema with other names for the properties whose names model APIs refuse; the same object if there are
 * none. The description of a renamed property gives its real name.
 */
export function withLegalNames(sent: JsonSchema, original: JsonSchema): JsonSchema {
  const renames = renamesOf(original);
  return renames.size === 0 ? sent : withNames(sent, renames);
}

function withNames(schema: JsonSchema, renames: Renames): JsonSchema {
  return mapFields(schema, (keyword, value) => [keyword, renamedValue(keyword, value, renames)]);
}

function renamedValue(keyword: string, value: unknown, renames: Renames): unknown {
  const inside = (part: unknown): unknown => (isSchema(part) ? withNames(part, renames) : part);
  const toName = (name: unknown): unknown => (typeof name === 'string' ? (renames.get(name) ?? name) : name);
  const isMap = isSchema(value);
  if (keyword === 'required') return Array.isArray(value) ? value.map(toName) : value;
  if (keyword === '$ref') return typeof value === 'string' ? renamedReference(value, renames) : value;
  if (keyword === 'properties' && isMap) {
    return mapFields(value, (name, part) => [String(toName(name)), described(inside(part), name, renames)]);
  }
  if (MAPS_BY_NAME.has(keyword) && isMap) {
    return mapFields(value, (name, part) => [
      String(toName(name)),
      Array.isArray(part) ? part.map(toName) : inside(part),
    ]);
  }
  if (MAPS.has(keyword) && isMap) return mapFields(value, (name, part) => [name, inside(part)]);
  if (LISTS.has(keyword) || SCHEMAS.has(keyword)) return Array.isArray(value) ? value.map(inside) : inside(value);
  return value;
}

/** A part of a schema with the real name of its property. */
function described(part: unknown, name: string, renames: Renames): unknown {
  if (!renames.has(name) || part === false) return part;
  const { description, ...others } = isSchema(part) ? part : {};
  const said = typeof description === 'string' && description !== '' ? `${description} ` : '';
  return { ...others, description: `${said}(The tool calls this property ${JSON.stringify(name)}.)` };
}

/** A reference into the schema with the new names of the properties on its way. */
function renamedReference(reference: string, renames: Renames): string {
  if (!reference.startsWith('#/')) return reference;
  const steps = reference.split('/');
  const changed = steps.map((step, at) =>
    steps[at - 1] === 'properties' ? (renames.get(unescaped(step)) ?? step) : step,
  );
  return changed.join('/');
}

function unescaped(step: string): string {
  const text = step.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function mapFields(
  fields: JsonSchema,
  change: (key: string, value: unknown) => readonly [string, unknown],
): JsonSchema {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => change(key, value)));
}

/** The arguments of a call with the real names of the properties that the schema renames; other names stay. */
export function withRealNames(args: Fields, schema: JsonSchema): Fields {
  const renames = renamesOf(schema);
  if (renames.size === 0) return args;
  const real = new Map([...renames].map(([name, told]) => [told, name]));
  const restored = restore(args as CellValue, [schema], { real, root: schema });
  return isFields(restored) ? restored : args;
}

interface Restoring {
  /** The real names, by those that models see. */
  readonly real: ReadonlyMap<string, string>;
  readonly root: JsonSchema;
}

function restore(value: CellValue, given: readonly unknown[], restoring: Restoring): CellValue {
  const schemas = reached(given, restoring.root);
  if (Array.isArray(value)) {
    const items = value.map((item: CellValue, at) => restore(item, itemSchemas(schemas, at), restoring));
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  if (!isFields(value) || value instanceof Float) return value;
  const fields = value as Readonly<Record<string, CellValue>>;
  const entries = Object.entries(fields).map(([key, part]): [string, CellValue] => {
    const name = realName(key, { schemas, fields, real: restoring.real });
    return [name, restore(part, valueSchemas(schemas, name), restoring)];
  });
  const isSame = entries.every(([key, part]) => fields[key] === part);
  return isSame ? value : (Object.fromEntries(entries) as CellValue);
}

interface Place {
  readonly schemas: readonly JsonSchema[];
  readonly fields: Fields;
  readonly real: ReadonlyMap<string, string>;
}

/** The real name of a key where the schema has a property of that name and the model did not give it, too. */
function realName(key: string, { schemas, fields, real }: Place): string {
  const name = real.get(key);
  if (name === undefined || Object.hasOwn(fields, name)) return key;
  return schemas.some(({ properties }) => isSchema(properties) && Object.hasOwn(properties, name)) ? name : key;
}

/** The schemas that apply to one value: the given ones, what they refer to, and their alternatives. */
function reached(given: readonly unknown[], root: JsonSchema): readonly JsonSchema[] {
  const found = new Set<JsonSchema>();
  const open = [...given];
  while (open.length > 0) {
    const part = open.pop();
    if (!isSchema(part) || found.has(part)) continue;
    found.add(part);
    const { $ref, anyOf, oneOf, allOf, then, dependentSchemas, else: otherwise } = part;
    open.push(...itemsOf(anyOf), ...itemsOf(oneOf), ...itemsOf(allOf), ...[then, otherwise].filter(isSchema));
    if (isSchema(dependentSchemas)) open.push(...Object.values(dependentSchemas));
    if ($ref !== undefined) open.push(resolveReference($ref, root)?.schema);
  }
  return [...found];
}

function itemSchemas(schemas: readonly JsonSchema[], at: number): readonly unknown[] {
  return schemas.flatMap(({ items, prefixItems, additionalItems }) => [
    Array.isArray(items) ? items[at] : items,
    itemsOf(prefixItems)[at],
    additionalItems,
  ]);
}

function valueSchemas(schemas: readonly JsonSchema[], name: string): readonly unknown[] {
  return schemas.flatMap(({ properties, patternProperties, additionalProperties }) => [
    isSchema(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined,
    ...(isSchema(patternProperties) ? Object.values(patternProperties) : []),
    additionalProperties,
  ]);
}
