import { type Fields, fieldsOf, itemsOf, type Random } from '@data-designer/core';
import { pick } from '../draws.ts';

/** A JSON Schema that is an object; the common keywords are read, the others are passed over. */
export type Schema = Fields;

const DEEPEST_BRANCHING = 5;
const MOST_STEPS = 32;

/** A value as a schema; `true`, `false` and anything else count as the empty one. */
export function asSchema(value: unknown): Schema {
  return fieldsOf(value);
}

/** Where a schema is resolved: the document references point into, the draws, and how deep in the value. */
export interface SchemaSite {
  readonly root: Schema;
  readonly random: Random;
  readonly depth: number;
}

/**
 * A schema with `$ref`, `allOf`, `anyOf` and `oneOf` taken out: references followed within the document, branches
 * drawn. Deep inside a value the branch that ends soonest is taken, so that recursive schemas come to an end.
 */
export function resolveSchema(schema: Schema, site: SchemaSite, mostSteps = MOST_STEPS): Schema {
  const { $ref: reference, allOf, anyOf, oneOf, ...own } = schema;
  const parts: Schema[] = [];
  if (typeof reference === 'string') parts.push(asSchema(follow(reference, site.root)));
  for (const part of Array.isArray(allOf) ? allOf : []) parts.push(asSchema(part));
  for (const branches of [anyOf, oneOf]) {
    if (Array.isArray(branches) && branches.length > 0) parts.push(branch(branches.map(asSchema), site));
  }
  if (parts.length === 0) return schema;
  if (mostSteps === 0) return own;
  return parts.map((part) => resolveSchema(part, site, mostSteps - 1)).reduce(merge, own);
}

function branch(branches: readonly Schema[], { random, depth }: SchemaSite): Schema {
  const drawn = pick(branches, random);
  if (depth < DEEPEST_BRANCHING) return drawn;
  return branches.find((one) => one['type'] === 'null') ?? branches.find(endsHere) ?? drawn;
}

function endsHere(schema: Schema): boolean {
  return schema['$ref'] === undefined && schema['type'] !== 'object' && schema['type'] !== 'array';
}

/** How two values of a keyword become one that satisfies both; for other keywords the later stands. */
const JOINS: Readonly<Record<string, (first: unknown, second: unknown) => unknown>> = {
  properties: joinProperties,
  $defs: (first, second) => ({ ...asSchema(first), ...asSchema(second) }),
  required: (first, second) => [...itemsOf(first), ...itemsOf(second)],
  enum: (first, second) => itemsOf(first).filter((value) => itemsOf(second).includes(value)),
  minimum: larger,
  exclusiveMinimum: larger,
  minLength: larger,
  minItems: larger,
  maximum: smaller,
  exclusiveMaximum: smaller,
  maxLength: smaller,
  maxItems: smaller,
};

function merge(first: Schema, second: Schema): Schema {
  const merged: Record<string, unknown> = { ...first };
  for (const [keyword, value] of Object.entries(second)) {
    const join = first[keyword] === undefined ? undefined : JOINS[keyword];
    merged[keyword] = join === undefined ? value : join(first[keyword], value);
  }
  return merged;
}

function joinProperties(first: unknown, second: unknown): Schema {
  const joined: Record<string, unknown> = { ...asSchema(first) };
  for (const [name, schema] of Object.entries(asSchema(second))) {
    joined[name] = Object.hasOwn(joined, name) ? { allOf: [joined[name], schema] } : schema;
  }
  return joined;
}

function larger(first: unknown, second: unknown): number {
  return Math.max(Number(first), Number(second));
}

function smaller(first: unknown, second: unknown): number {
  return Math.min(Number(first), Number(second));
}

/** What stands at `#`, `#/$defs/name` or another pointer within the document; undefined if nothing does. */
function follow(reference: string, root: Schema): unknown {
  if (!reference.startsWith('#')) return undefined;
  const steps = reference.split('/').slice(1);
  return steps.reduce<unknown>((place, step) => {
    const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    return typeof place === 'object' && place !== null && Object.hasOwn(place, name)
      ? (place as Record<string, unknown>)[name]
      : undefined;
  }, root);
}
