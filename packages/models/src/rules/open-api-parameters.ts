import { type Fields, fieldsOf, isFields, itemsOf } from '@data-designer/core';

type Schema = Fields;

/** Keywords that Gemini knows, by type (source: the fields of `Schema` in its API, and its errors). */
const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern'],
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum'],
  array: ['minItems', 'maxItems'],
};
const FORMATS: ReadonlySet<unknown> = new Set(['date-time', 'float', 'double', 'int32', 'int64']);

/** Keywords that only a description can express, and their words. */
const HINTS: Readonly<Record<string, string>> = {
  const: 'Always',
  default: 'Default',
  exclusiveMinimum: 'More than',
  exclusiveMaximum: 'Less than',
  multipleOf: 'A multiple of',
  format: 'Format',
  enum: 'One of',
};

/** Deeper than this Gemini refuses a schema. */
const DEEPEST = 24;

interface Walk {
  readonly root: Schema;
  /** The references on the way here: a schema that refers to itself has no end. */
  readonly inside: readonly string[];
  readonly depth: number;
}

/**
 * A tool's parameters in the subset of OpenAPI that Gemini takes: without references, lists of types and unknown keywords,
 * whose content goes to descriptions where a value may depend on it. Undefined without parameters: it refuses empty objects.
 */
export function openApiParameters(schema: Schema): Schema | undefined {
  if (Object.keys(fieldsOf(schema['properties'])).length === 0) return undefined;
  return translate(schema, { root: schema, inside: [], depth: 0 });
}

/** What a schema that says nothing accepts, apart from objects and lists, which come as JSON text. */
const ANY = [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }];

function translate(given: unknown, walk: Walk): Schema {
  const { schema, next } = resolved(given, walk);
  if (next.depth > DEEPEST || schema === undefined) return asText('JSON text', fieldsOf(given));
  const alternatives = [...itemsOf(schema['anyOf']), ...itemsOf(schema['oneOf'])];
  if (alternatives.length > 0 && !isFields(schema['properties'])) return eitherOf(alternatives, schema, next);
  const types = typesOf(schema);
  const others = types.filter((type) => type !== 'null');
  const nullable = others.length < types.length || schema['nullable'] === true ? { nullable: true } : {};
  if (others.length > 1) {
    const parts = others.map((type) => translate({ ...schema, type, description: undefined }, next));
    return { ...described(schema, []), ...nullable, anyOf: parts };
  }
  return { ...ofType(others[0], schema, next), ...nullable };
}

/** A schema with what it refers to and all its parts in one; none where it refers to itself. */
function resolved(given: unknown, walk: Walk): { readonly schema: Schema | undefined; readonly next: Walk } {
  const next = { ...walk, depth: walk.depth + 1 };
  if (!isFields(given)) return { schema: {}, next };
  const { $ref, allOf, ...own } = given;
  if (typeof $ref === 'string') {
    if (walk.inside.includes($ref)) return { schema: undefined, next };
    const target = resolved(pointed($ref, walk.root), { ...next, inside: [...walk.inside, $ref] });
    const { schema } = target;
    return { schema: schema && joined([schema, own, ...partsOf(allOf, target.next)]), next: target.next };
  }
  return { schema: allOf === undefined ? given : joined([own, ...partsOf(allOf, next)]), next };
}

function partsOf(allOf: unknown, walk: Walk): readonly Schema[] {
  return itemsOf(allOf).map((part) => resolved(part, walk).schema ?? {});
}

function joined(parts: readonly Schema[]): Schema {
  const properties = Object.assign({}, ...parts.map((part) => fieldsOf(part['properties']))) as Schema;
  const required = [...new Set(parts.flatMap((part) => itemsOf(part['required'])))];
  return {
    ...(Object.assign({}, ...parts) as Schema),
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
  };
}

function pointed(reference: string, root: Schema): unknown {
  const steps = reference.split('/').slice(1);
  return steps.reduce<unknown>((part, step) => {
    const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    return isFields(part) ? part[name] : undefined;
  }, root);
}

function isNull(part: unknown): boolean {
  const { type, const: value } = fieldsOf(part);
  return type === 'null' || value === null;
}

/** Alternatives stand alone: Gemini takes no other keyword beside `anyOf`. */
function eitherOf(alternatives: readonly unknown[], schema: Schema, walk: Walk): Schema {
  const parts = alternatives.filter((part) => !isNull(part)).map((part) => translate(part, walk));
  const nullable = parts.length < alternatives.length ? { nullable: true } : {};
  const [first] = parts;
  if (first && parts.length === 1) return { ...first, ...described(schema, []), ...nullable };
  return { ...described(schema, []), ...nullable, anyOf: parts.length > 0 ? parts : ANY };
}

function typesOf({ type, properties, items, enum: values, const: value }: Schema): readonly string[] {
  const given = (Array.isArray(type) ? type : [type]).filter((one) => typeof one === 'string');
  if (given.length > 0) return given;
  if (properties !== undefined) return ['object'];
  if (items !== undefined) return ['array'];
  const known = values === undefined ? (value === undefined ? [] : [value]) : itemsOf(values);
  return [...new Set(known.map(typeOf))];
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' || typeof value === 'bigint' ? 'number' : typeof value;
}

function ofType(type: string | undefined, schema: Schema, walk: Walk): Schema {
  if (type === undefined) return { ...described(schema, ['default', 'format']), anyOf: ANY };
  if (type === 'object') return ofObject(schema, walk);
  const kept = (KEYWORDS[type] ?? []).filter((keyword) => schema[keyword] !== undefined);
  const values = schema['const'] === undefined ? itemsOf(schema['enum']) : [schema['const']];
  const names = values.filter((value) => typeof value === 'string' && value !== '');
  const isEnum = type === 'string' && names.length > 0;
  const hasFormat = FORMATS.has(schema['format']);
  const hinted = Object.keys(HINTS).filter((keyword) => {
    if (keyword === 'enum' || keyword === 'const') return !isEnum || names.length < values.length;
    return keyword !== 'format' || !hasFormat;
  });
  const items = [schema['items'], ...itemsOf(schema['prefixItems'])].filter(
    (part) => part !== undefined && part !== false,
  );
  return {
    type,
    ...described(schema, hinted),
    ...Object.fromEntries(kept.map((keyword) => [keyword, schema[keyword]])),
    ...(hasFormat ? { format: schema['format'] } : {}),
    ...(isEnum ? { enum: names } : {}),
    ...(type === 'array'
      ? { items: items.length > 1 ? { anyOf: items.map((part) => translate(part, walk)) } : translate(items[0], walk) }
      : {}),
  };
}

/** A map without named properties comes as JSON text: Gemini refuses an object without properties. */
function ofObject(schema: Schema, walk: Walk): Schema {
  const properties = Object.entries(fieldsOf(schema['properties'])).filter(([, part]) => part !== false);
  if (properties.length === 0) return asText('a JSON object as text', schema);
  const names = new Set(properties.map(([name]) => name));
  const required = itemsOf(schema['required']).filter((name) => typeof name === 'string' && names.has(name));
  return {
    type: 'object',
    ...described(schema, []),
    properties: Object.fromEntries(properties.map(([name, part]) => [name, translate(part, walk)])),
    ...(required.length > 0 ? { required } : {}),
  };
}

function asText(what: string, schema: Schema): Schema {
  const { description } = described(schema, ['const', 'default', 'enum']);
  return { type: 'string', description: `${description === undefined ? '' : `${description} `}(Give ${what}.)` };
}

/** The description with what no keyword of Gemini expresses. */
function described(schema: Schema, keywords: readonly string[]): { readonly description?: string } {
  const hints = keywords.flatMap((keyword) => {
    const value = schema[keyword];
    if (value === undefined || value === null) return [];
    return `${HINTS[keyword]}: ${Array.isArray(value) ? value.map((one) => JSON.stringify(one)).join(', ') : JSON.stringify(value)}.`;
  });
  const own = typeof schema['description'] === 'string' ? [schema['description']] : [];
  const text = [...own, ...hints].join(' ').trim();
  return text === '' ? {} : { description: text };
}
