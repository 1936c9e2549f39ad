import type { CellValue } from '@data-designer/core';
import {
  asSchema,
  isSchema,
  type JsonSchema,
  plainNumbers,
  type ResolvedSchema,
  resolveReference,
} from '@data-designer/json-schema';

/** A `oneOf` whose branches differ by the value of one property. */
export interface Discriminator {
  readonly property: string;
  /** The branch of each tag. */
  readonly branches: ReadonlyMap<unknown, ResolvedSchema>;
}

/**
 * The declared discriminator of a `oneOf`, else a property that every branch requires with values of its own; undefined
 * without either. Inline branches must be named first.
 */
export function discriminatorOf(schema: JsonSchema, root: JsonSchema): Discriminator | undefined {
  const { oneOf } = schema;
  if (!Array.isArray(oneOf)) return undefined;
  const { propertyName: property, mapping } = isSchema(schema['discriminator'])
    ? schema['discriminator']
    : { propertyName: sharedTag(oneOf, root), mapping: {} };
  if (typeof property !== 'string') return undefined;
  const branches = new Map<unknown, ResolvedSchema>();
  for (const branch of oneOf) {
    const place = resolveReference(asSchema(branch)['$ref'], root);
    if (place) for (const tag of tagsOf(place.schema, property)) branches.set(tag, place);
  }
  for (const [tag, reference] of Object.entries(asSchema(mapping))) {
    const place = resolveReference(reference, root);
    if (!place) continue;
    branches.set(tag, place);
    for (const value of valuesPrintedAs(tag)) if (!branches.has(value)) branches.set(value, place);
  }
  return branches.size === 0 ? undefined : { property, branches };
}

/** The values besides the text itself that Python prints as a tag: mappings have text keys only. */
function valuesPrintedAs(tag: string): readonly unknown[] {
  if (Object.hasOwn(PYTHON_WORDS, tag)) return [PYTHON_WORDS[tag]];
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(tag) ? [Number(tag)] : [];
}

const PYTHON_WORDS: Readonly<Record<string, unknown>> = { True: true, False: false, None: null };

/** The first property whose value alone identifies every branch. */
function sharedTag(branches: readonly unknown[], root: JsonSchema): string | undefined {
  const objects = branches.map((branch) => {
    const place = asSchema(branch);
    return place['$ref'] === undefined ? place : (resolveReference(place['$ref'], root)?.schema ?? {});
  });
  return Object.keys(asSchema(objects[0]?.['properties'])).find((name) => {
    const tags = objects.flatMap((object) => (requires(object, name) ? tagsOf(object, name) : [undefined]));
    return tags.every((tag) => typeof tag === 'string') && new Set(tags).size === tags.length;
  });
}

function requires({ type, required }: JsonSchema, name: string): boolean {
  return type === 'object' && Array.isArray(required) && required.includes(name);
}

/** The values that a branch allows for the discriminator property. */
function tagsOf({ properties }: JsonSchema, property: string): readonly unknown[] {
  const tag = asSchema(asSchema(properties)[property]);
  if (tag['const'] !== undefined) return [tag['const']];
  return Array.isArray(tag['enum']) ? tag['enum'] : [];
}

/** A declared JSON Schema in plain numbers, with its inline `oneOf` branches named: ready to compile. */
export function readSchema(declared: JsonSchema): JsonSchema {
  return withNamedBranches(withPlainNumbers(declared));
}

/** Replaces boxed floats and bigints of a parsed config by plain numbers. */
export function withPlainNumbers(declared: JsonSchema): JsonSchema {
  return asSchema(plainNumbers(declared as CellValue));
}

/** Moves the inline branches of a discriminated `oneOf` to the definitions. */
export function withNamedBranches(root: JsonSchema): JsonSchema {
  const named: Record<string, unknown> = {};
  const schema = asSchema(nameBranches(root, root, named));
  return Object.keys(named).length === 0 ? root : { ...schema, $defs: { ...asSchema(schema['$defs']), ...named } };
}

function nameBranches(value: unknown, root: JsonSchema, named: Record<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((item) => nameBranches(item, root, named));
  if (!isSchema(value)) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, nameBranches(part, root, named)]));
  const { oneOf, discriminator } = copy;
  if (!Array.isArray(oneOf)) return copy;
  if (!isSchema(discriminator) && sharedTag(oneOf, root) === undefined) return copy;
  return { ...copy, oneOf: oneOf.map((branch: unknown) => nameBranch(branch, named)) };
}

function nameBranch(branch: unknown, named: Record<string, unknown>): unknown {
  if (!isSchema(branch) || branch['$ref'] !== undefined) return branch;
  const name = `oneOf branch ${Object.keys(named).length + 1}`;
  named[name] = branch;
  return { $ref: `#/$defs/${encodeURIComponent(name)}` };
}
