import { itemsOf } from '@data-designer/core';
import { isSchema, type JsonSchema, requiredSets, resolveReference, typesOf } from '@data-designer/json-schema';
import { withLegalNames } from './property-names.ts';

/** A schema that model APIs accept, or why there is none for a tool. */
export type PortableSchema = { readonly parameters: JsonSchema } | { readonly dropped: string };

/** Deeper than this nothing is read: model APIs allow far less. */
const DEEPEST = 64;

/** Keywords that model APIs refuse at the top level of a tool's schema. */
const NOT_AT_TOP = ['anyOf', 'oneOf', 'allOf', 'not', 'enum', 'const', '$ref'] as const;

class Dropped extends Error {}

/**
 * The schema of a tool's arguments in the form that model APIs accept: of type object with a list of properties, without
 * alternatives at the top level, valid by JSON Schema 2020-12, without references out of itself and with plain names of
 * properties (source: the errors of OpenAI's and Anthropic's APIs). Returns the same object if it has that form already. Arguments are checked against the original.
 */
export function portableSchema(schema: JsonSchema): PortableSchema {
  try {
    const valid = rewritten(schema, { root: schema, depth: 0 });
    const flat = flattened(valid, { root: valid, depth: 0 });
    const typed = flat['type'] === 'object' ? flat : { ...flat, type: 'object' };
    const listed = isSchema(typed['properties']) ? typed : { ...typed, properties: {} };
    const named = withLegalNames(listed, schema);
    if (named === schema) return { parameters: schema };
    // The simplified schema may not conform to its dialect.
    const { $schema: _, ...parameters } = named;
    return { parameters };
  } catch (thrown) {
    if (thrown instanceof Dropped) return { dropped: thrown.message };
    throw thrown;
  }
}

/** Where a walk over a schema stands. */
interface Walk {
  readonly root: JsonSchema;
  readonly depth: number;
}

/** Rewrites a keyword's value; undefined leaves the keyword out. */
type Rewrite = (value: unknown, walk: Walk) => unknown;

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']);

const keepIf =
  (isValid: (value: unknown) => boolean): Rewrite =>
  (value) =>
    isValid(value) ? value : undefined;
const number = keepIf((value) => typeof value === 'number');
const count = keepIf((value) => typeof value === 'number' && Number.isInteger(value) && value >= 0);
const flag = keepIf((value) => typeof value === 'boolean');
const anyList = keepIf(Array.isArray);
const text = keepIf((value) => typeof value === 'string');
const filled = keepIf((value) => Array.isArray(value) && value.length > 0);
const schema: Rewrite = (value, walk) =>
  isSchema(value) ? rewritten(value, walk) : typeof value === 'boolean' ? value : undefined;
const schemaMap: Rewrite = (value, walk) => {
  if (!isSchema(value)) return undefined;
  return sameUnlessChanged(
    value,
    Object.entries(value).map(([name, part]) => [name, schema(part, walk) ?? {}]),
  );
};
const schemaList: Rewrite = (value, walk) => {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const parts = value.map((part: unknown) => schema(part, walk) ?? {});
  return parts.every((part, index) => part === value[index]) ? value : parts;
};

const each = (keywords: string, rewrite: Rewrite): Readonly<Record<string, Rewrite>> =>
  Object.fromEntries(keywords.split(' ').map((keyword) => [keyword, rewrite]));

/** The keywords whose values may be wrong by JSON Schema 2020-12; all others stay. */
const REWRITES: Readonly<Record<string, Rewrite>> = {
  type: (type) => {
    if (typeof type === 'string') return TYPES.has(type) ? type : undefined;
    const known = typesOf({ type }).filter((name) => TYPES.has(name));
    if (known.length === 0) return undefined;
    return known.length === itemsOf(type).length ? type : known;
  },
  ...each('properties patternProperties $defs definitions dependentSchemas', schemaMap),
  ...each('anyOf oneOf allOf prefixItems', schemaList),
  ...each('not if then else contains propertyNames', schema),
  ...each('additionalProperties unevaluatedProperties unevaluatedItems', schema),
  ...each('minimum maximum exclusiveMinimum exclusiveMaximum', number),
  multipleOf: keepIf((value) => typeof value === 'number' && value > 0),
  ...each('minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains', count),
  ...each('title description format $comment contentEncoding contentMediaType', text),
  ...each('uniqueItems deprecated readOnly writeOnly', flag),
  examples: anyList,
  /** The list form of older drafts becomes what any of its items may be. */
  items: (value, walk) => {
    if (!Array.isArray(value)) return isSchema(value) ? rewritten(value, walk) : {};
    const parts = value.map((part: unknown) => (isSchema(part) ? rewritten(part, walk) : {}));
    return parts.length === 1 ? parts[0] : parts.length === 0 ? {} : { anyOf: parts };
  },
  required: (value) => {
    if (!Array.isArray(value) || !value.every((name) => typeof name === 'string')) return undefined;
    const names = [...new Set(value)];
    return names.length === value.length ? value : names;
  },
  enum: filled,
  pattern: keepIf((value) => typeof value === 'string' && isPattern(value)),
  $ref: (value, { root }) => (value === '#' || resolveReference(value, root) ? value : undefined),
};

function isPattern(source: string): boolean {
  try {
    return Boolean(new RegExp(source, 'u'));
  } catch {
    return false;
  }
}

/** A schema valid by JSON Schema 2020-12; the same object if it is valid already. */
function rewritten(given: JsonSchema, { root, depth }: Walk): JsonSchema {
  if (depth > DEEPEST) throw new Dropped(`its schema is nested more than ${DEEPEST} levels deep`);
  const walk = { root, depth: depth + 1 };
  const bounded = withNumericBounds(given);
  const entries = Object.entries(bounded).flatMap(([keyword, value]): readonly (readonly [string, unknown])[] => {
    const rewrite = Object.hasOwn(REWRITES, keyword) ? REWRITES[keyword] : undefined;
    const kept = rewrite ? rewrite(value, walk) : value;
    return kept === undefined ? [] : [[keyword, kept]];
  });
  const made = sameUnlessChanged(bounded, entries);
  return typesOf(made).includes('array') && made['items'] === undefined ? { ...made, items: {} } : made;
}

function sameUnlessChanged(given: JsonSchema, entries: readonly (readonly [string, unknown])[]): JsonSchema {
  const isSame = entries.length === Object.keys(given).length && entries.every(([key, value]) => given[key] === value);
  return isSame ? given : Object.fromEntries(entries);
}

/** Draft-04 marks a bound as exclusive with `true`; later drafts put the bound there. */
function withNumericBounds(given: JsonSchema): JsonSchema {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, ...others } = given;
  if (typeof exclusiveMinimum !== 'boolean' && typeof exclusiveMaximum !== 'boolean') return given;
  const low = exclusiveMinimum === true ? { exclusiveMinimum: minimum } : { minimum };
  const high = exclusiveMaximum === true ? { exclusiveMaximum: maximum } : { maximum };
  const bounds = Object.entries({ ...low, ...high }).filter(([, value]) => value !== undefined);
  return { ...others, ...Object.fromEntries(bounds) };
}

/** Joins the alternatives of an object's schema into its properties; the same object if it has none. */
function flattened(given: JsonSchema, { root, depth }: Walk): JsonSchema {
  if (depth > DEEPEST) throw new Dropped('its alternatives refer to each other without end');
  if (!NOT_AT_TOP.some((keyword) => given[keyword] !== undefined)) return given;
  const { anyOf, oneOf, allOf, not: _not, enum: _enum, const: _const, $ref, ...plain } = given;
  const branchesOf = (list: unknown): readonly JsonSchema[] =>
    itemsOf(list).flatMap((part) => branch(part, { root, depth }));
  const parts = $ref === undefined ? [] : [{ $ref }];
  let joined: JsonSchema = branchesOf([...parts, ...itemsOf(allOf)]).reduce(bothOf, plain);
  for (const list of [anyOf, oneOf]) {
    const branches = branchesOf(list);
    if (list !== undefined && branches.length === 0) throw new Dropped('none of its alternatives takes an object');
    if (branches.length > 0) joined = withHint(bothOf(joined, branches.reduce(eitherOf)), branches);
  }
  return joined;
}

/** An alternative as a schema of an object; none if it accepts no object. */
function branch(part: unknown, { root, depth }: Walk): readonly JsonSchema[] {
  if (part === true) return [{}];
  if (!isSchema(part)) return [];
  const { $ref, ...beside } = part;
  const target = $ref === undefined ? undefined : resolveReference($ref, root)?.schema;
  const { $defs: _, definitions: __, ...referred } = target ?? {};
  const whole = target ? { ...referred, ...beside } : part;
  const types = typesOf(whole);
  if (types.length > 0 && !types.includes('object')) return [];
  return [flattened(whole, { root, depth: depth + 1 })];
}

function bothOf(a: JsonSchema, b: JsonSchema): JsonSchema {
  const required = [...new Set([...requiredOf(a), ...requiredOf(b)])];
  return joinedAs('allOf', { a, b, required });
}

function eitherOf(a: JsonSchema, b: JsonSchema): JsonSchema {
  const others = new Set(requiredOf(b));
  return joinedAs('anyOf', { a, b, required: requiredOf(a).filter((name) => others.has(name)) });
}

interface Joining {
  readonly a: JsonSchema;
  readonly b: JsonSchema;
  readonly required: readonly string[];
}

/** Two schemas of objects as one; a property of both keeps both schemas, under the keyword. */
function joinedAs(keyword: 'allOf' | 'anyOf', { a, b, required }: Joining): JsonSchema {
  const properties: Record<string, unknown> = { ...propertiesOf(a) };
  for (const [name, part] of Object.entries(propertiesOf(b))) {
    const known = Object.hasOwn(properties, name) ? properties[name] : part;
    properties[name] = JSON.stringify(known) === JSON.stringify(part) ? part : { [keyword]: [known, part] };
  }
  const { required: _, ...rest } = a;
  return {
    ...rest,
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
  };
}

function propertiesOf({ properties }: JsonSchema): JsonSchema {
  return isSchema(properties) ? properties : {};
}

function requiredOf({ required }: JsonSchema): readonly string[] {
  return itemsOf(required).filter((name) => typeof name === 'string');
}

/** Adds the requirements of the alternatives to the description: the joined schema cannot express them. */
function withHint(given: JsonSchema, branches: readonly JsonSchema[]): JsonSchema {
  const sets = requiredSets(branches);
  if (sets === undefined) return given;
  const { description } = given;
  const before = typeof description === 'string' && description !== '' ? `${description} ` : '';
  return { ...given, description: `${before}Give one of these sets of properties: ${sets}.` };
}
