import {
  isSchema,
  type JsonSchema,
  mapValueSchema,
  prunesMembers,
  resolveReference,
  typesOf,
} from '@data-designer/json-schema';
import { decimalPlaces } from './decimal.ts';
import { type Discriminator, discriminatorOf } from './discriminator.ts';

/** Integers are stored in 64 bits; as floats these bounds are exact. */
const INT64_LOW = -(2 ** 63);
const INT64_END = 2 ** 63;

/** Keywords that hold one schema, a list of them, or a mapping from names to them. */
const ONE = new Set('items contains additionalProperties unevaluatedItems not if then else propertyNames'.split(' '));
const LIST = new Set(['items', 'prefixItems', 'allOf', 'anyOf']);
const MAPPING = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
/** Keywords beside a `oneOf` by which an object may have more members than its branches name. */
const MEMBERS = ['properties', 'patternProperties', 'additionalProperties', '$ref', 'allOf', 'anyOf', 'if'];
/** Keywords that are left out: what they say is settled here, or in `AnswerShape`. */
const SETTLED = new Set(['$schema', '$async', 'unevaluatedProperties']);

/**
 * The schema that an answer is validated by, once members it does not know are taken out: it lets them pass, picks the
 * branch of a discriminated `oneOf` by its tag, and keeps integers within 64 bits. Its parts stand where they stood.
 */
export function validationSchema(root: JsonSchema): JsonSchema {
  return copyOf(root, false);
}

/**
 * The same schema without room for members that it does not know: what is valid by it is valid, and complete as it is.
 * Undefined for a schema of which that cannot be said.
 */
export function closedSchema(root: JsonSchema): JsonSchema | undefined {
  const { $id: _, ...document } = root;
  return hasOpenKeyword(document, document) ? undefined : copyOf(document, true);
}

function copyOf(root: JsonSchema, isClosed: boolean): JsonSchema {
  const { $id: id, ...document } = root;
  return copySchema(document, { root: document, id: typeof id === 'string' ? id : undefined, isClosed });
}

/**
 * Keywords by which a stricter part could make the whole laxer, or whose parts are held against members that other
 * parts name.
 */
const OPEN = new Set(
  (
    'not if contains minContains maxContains dependentSchemas dependencies propertyNames additionalItems ' +
    'unevaluatedItems unevaluatedProperties $dynamicRef $recursiveRef $anchor $dynamicAnchor $async $id id'
  ).split(' '),
);

/** Walks schemas alone: what stands under a name of a mapping is one, and a property may bear the name of a keyword. */
function hasOpenKeyword(schema: unknown, root: JsonSchema): boolean {
  if (!isSchema(schema)) return false;
  const { $ref: reference, oneOf } = schema;
  // Parts that stand elsewhere are not copied, and so not closed.
  if (typeof reference === 'string' && !/^#(?:\/(?:\$defs|definitions)\/[^/]+)?$/.test(reference)) return true;
  if (decimalPlaces(schema) !== undefined || (oneOf !== undefined && !discriminatorOf(schema, root))) return true;
  const isOpen = (part: unknown): boolean => hasOpenKeyword(part, root);
  return Object.keys(schema).some((key) => OPEN.has(key) || partsOf(key, schema[key]).some(isOpen));
}

/** What stands under a keyword, as far as it holds schemas. */
function partsOf(key: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return LIST.has(key) || key === 'oneOf' ? value : [];
  if (MAPPING.has(key)) return isSchema(value) ? Object.values(value) : [];
  return ONE.has(key) ? [value] : [];
}

interface Document {
  readonly root: JsonSchema;
  /** Whether objects are to refuse members that would be taken out. */
  readonly isClosed: boolean;
  /** The document's own address, by which references may lead back into it. */
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
  if (key === 'oneOf' && Array.isArray(value)) return value.map((branch) => copyBranch(branch, schema, document));
  if (LIST.has(key) && Array.isArray(value)) return value.map((part) => copyPart(part, document));
  if (ONE.has(key)) return copyPart(value, document);
  if (!MAPPING.has(key) || !isSchema(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, copyPart(part, document)]));
}

function copyPart(part: unknown, document: Document): unknown {
  return isSchema(part) ? copySchema(part, document) : part;
}

/** Branches of `oneOf` may differ only in the members that they do not allow. */
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

/** One condition per branch, so that only the branch that the tag names is held against the answer. */
function pickByTag(schema: JsonSchema, { property, branches }: Discriminator, document: Document): readonly unknown[] {
  const known = { type: 'object', required: [property], properties: { [property]: { enum: [...branches.keys()] } } };
  const own = Array.isArray(schema['allOf']) ? schema['allOf'].map((part) => copyPart(part, document)) : [];
  const picks = [...branches].map(([tag, { pointer }]) => ({
    if: { properties: { [property]: { not: { const: tag } } } },
    else: { $ref: `#${pointer}` },
  }));
  return [...own, known, ...picks];
}
