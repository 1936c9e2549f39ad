import { itemsOf } from '@data-designer/core';
import {
  asSchema,
  isSchema,
  type JsonSchema,
  mapValueSchema,
  prunesMembers,
  resolveReference,
  typesOf,
} from '@data-designer/json-schema';
import { decimalPlaces, NUMBER_TEXT } from './decimal.ts';
import { type Discriminator, discriminatorOf } from './discriminator.ts';

/** Integers are stored in 64 bits; both bounds are exact floats. */
const INT64_LOW = -(2 ** 63);
const INT64_END = 2 ** 63;

/** Keywords whose value is one schema, a list of schemas, or a mapping to schemas. */
const ONE = new Set('items contains additionalProperties unevaluatedItems not if then else propertyNames'.split(' '));
const LIST = new Set(['items', 'prefixItems', 'allOf', 'anyOf']);
const MAPPING = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
/** Keywords beside a `oneOf` that allow members its branches do not name. */
const MEMBERS = ['properties', 'patternProperties', 'additionalProperties', '$ref', 'allOf', 'anyOf', 'if'];
/** Dropped keywords: this file or `AnswerShape` enforces them. */
const SETTLED = new Set(['$schema', '$async', 'unevaluatedProperties']);

/**
 * The schema that validates pruned answers: it ignores unknown members, picks the branch of a discriminated `oneOf` by
 * its tag, and limits integers to 64 bits. Pointers stay the same.
 */
export function validationSchema(root: JsonSchema): JsonSchema {
  return copyOf(root, false);
}

/** A stricter schema, whose valid answers need no pruning; undefined if keywords prevent that. */
export function closedSchema(root: JsonSchema): JsonSchema | undefined {
  const { $id: _, ...document } = root;
  return hasOpenKeyword(document, document) ? undefined : copyOf(document, true);
}

function copyOf(root: JsonSchema, isClosed: boolean): JsonSchema {
  const { $id: id, ...document } = root;
  return copySchema(document, { root: document, id: typeof id === 'string' ? id : undefined, isClosed });
}

/** Keywords whose stricter parts make the whole laxer, or whose parts see members that other parts name. */
const OPEN = new Set(
  (
    'not if contains minContains maxContains dependentSchemas dependencies propertyNames additionalItems ' +
    'unevaluatedItems unevaluatedProperties $dynamicRef $recursiveRef $anchor $dynamicAnchor $async $id id'
  ).split(' '),
);

/** Visits subschemas only: a property may bear the name of a keyword. */
function hasOpenKeyword(schema: unknown, root: JsonSchema): boolean {
  if (!isSchema(schema)) return false;
  const { $ref: reference, oneOf } = schema;
  // Parts outside the definitions are not copied, so they stay open.
  if (typeof reference === 'string' && !/^#(?:\/(?:\$defs|definitions)\/[^/]+)?$/.test(reference)) return true;
  if (decimalPlaces(schema) !== undefined || (oneOf !== undefined && !discriminatorOf(schema, root))) return true;
  const isOpen = (part: unknown): boolean => hasOpenKeyword(part, root);
  return Object.keys(schema).some((key) => OPEN.has(key) || partsOf(key, schema[key]).some(isOpen));
}

/** The subschemas under a keyword. */
function partsOf(key: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return LIST.has(key) || key === 'oneOf' ? value : [];
  if (MAPPING.has(key)) return isSchema(value) ? Object.values(value) : [];
  return ONE.has(key) ? [value] : [];
}

interface Document {
  readonly root: JsonSchema;
  /** Whether objects reject unknown members. */
  readonly isClosed: boolean;
  /** The document's `$id`, to which references may point. */
  readonly id: string | undefined;
}

function copySchema(schema: JsonSchema, document: Document): JsonSchema {
  const discriminator = discriminatorOf(schema, document.root);
  const entries = Object.entries(schema)
    .filter(([key]) => !SETTLED.has(key) && !(discriminator && (key === 'oneOf' || key === 'allOf')))
    .filter(([key]) => key !== 'additionalProperties' || mapValueSchema(schema))
    .map(([key]) => [key, copyKeyword(key, schema, document)] as const);
  const closing = document.isClosed && prunesMembers(schema) ? { additionalProperties: false } : {};
  const copy = { ...Object.fromEntries(entries), ...int64Range(schema), ...closing };
  return discriminator ? { ...copy, allOf: pickByTag(schema, discriminator, document) } : copy;
}

function copyKeyword(key: string, schema: JsonSchema, document: Document): unknown {
  const value = schema[key];
  if (key === '$ref' && document.id !== undefined && typeof value === 'string' && value.startsWith(`${document.id}#`)) {
    return value.slice(document.id.length);
  }
  if (key === 'anyOf' && decimalPlaces(schema) === Infinity) return itemsOf(value).map(withNumberText);
  if (key === 'oneOf' && Array.isArray(value)) return value.map((branch) => copyBranch(branch, schema, document));
  if (LIST.has(key) && Array.isArray(value)) return value.map((part) => copyPart(part, document));
  if (ONE.has(key)) return copyPart(value, document);
  // Extensions may hold named parts, to which references point.
  if ((!MAPPING.has(key) && !key.startsWith('x-')) || !isSchema(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, copyPart(part, document)]));
}

/** Restricts the text of a decimal to numbers. */
function withNumberText(branch: unknown): JsonSchema {
  const schema = asSchema(branch);
  return typesOf(schema).includes('string') ? { ...schema, pattern: NUMBER_TEXT } : schema;
}

function copyPart(part: unknown, document: Document): unknown {
  return isSchema(part) ? copySchema(part, document) : part;
}

/** Closes branches of a `oneOf`, which may differ only in the members that they forbid. */
function copyBranch(branch: unknown, parent: JsonSchema, document: Document): unknown {
  if (!isSchema(branch)) return branch;
  const copy = copySchema(branch, document);
  const named = resolveReference(branch['$ref'], document.root)?.schema ?? branch;
  const isClosed = prunesMembers(named) && !MEMBERS.some((key) => parent[key] !== undefined);
  return isClosed ? { ...copy, unevaluatedProperties: false } : copy;
}

function int64Range(schema: JsonSchema): JsonSchema {
  const types = typesOf(schema);
  if (!types.includes('integer') || types.includes('number')) return {};
  const { minimum, exclusiveMaximum } = schema;
  return {
    minimum: Math.max(INT64_LOW, typeof minimum === 'number' ? minimum : INT64_LOW),
    exclusiveMaximum: Math.min(INT64_END, typeof exclusiveMaximum === 'number' ? exclusiveMaximum : INT64_END),
  };
}

/** One condition per branch, so that only the tagged branch validates the answer. */
function pickByTag(schema: JsonSchema, { property, branches }: Discriminator, document: Document): readonly unknown[] {
  const known = { type: 'object', required: [property], properties: { [property]: { enum: [...branches.keys()] } } };
  const own = Array.isArray(schema['allOf']) ? schema['allOf'].map((part) => copyPart(part, document)) : [];
  const picks = [...branches].map(([tag, { pointer }]) => ({
    if: { properties: { [property]: { not: { const: tag } } } },
    else: { $ref: `#${pointer}` },
  }));
  return [...own, known, ...picks];
}
