type Schema = Readonly<Record<string, unknown>>;

/** A schema rewritten so that endpoints can keep answers to it exactly. */
export interface StrictSchema {
  readonly schema: Schema;
  /** Whether properties that may be left out were made to hold null instead. */
  readonly hasNulls: boolean;
}

/** Keywords that can be kept to, each with what becomes of its value. */
const KEPT: Readonly<Record<string, (value: unknown, rewrite: Rewrite) => unknown>> = {
  type: same,
  enum: same,
  const: same,
  title: same,
  description: same,
  pattern: same,
  format: same,
  multipleOf: same,
  minimum: same,
  maximum: same,
  exclusiveMinimum: same,
  exclusiveMaximum: same,
  minItems: same,
  maxItems: same,
  $ref: (value, rewrite) => (typeof value === 'string' && value.startsWith('#') ? value : rewrite.refuse()),
  items: (value, rewrite) => rewrite.schema(value),
  anyOf: (value, rewrite) => (Array.isArray(value) ? value.map((part) => rewrite.schema(part)) : rewrite.refuse()),
  $defs: (value, rewrite) => rewrite.each(value),
  definitions: (value, rewrite) => rewrite.each(value),
};

/** Keywords that say nothing about a value, or only narrow it: what they ask is seen to when the answer is checked. */
const LEFT_OUT = new Set([
  '$schema',
  '$id',
  '$comment',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  'minLength',
  'maxLength',
  'uniqueItems',
  'contentEncoding',
  'contentMediaType',
  'discriminator',
]);

/** Keywords of objects, which are rewritten together. */
const OF_OBJECTS = new Set(['properties', 'required', 'additionalProperties']);

/**
 * The schema in the form that strict endpoints take: objects closed, every property required, those that may be left
 * out nullable. Undefined where that would change what can be said, as for maps, `allOf` or `oneOf`.
 */
export function strictSchema(schema: Schema): StrictSchema | undefined {
  if (schema.type !== 'object' || schema.properties === undefined) return undefined;
  const rewrite = new Rewrite();
  try {
    return { schema: rewrite.schema(schema), hasNulls: rewrite.hasNulls };
  } catch (thrown) {
    if (thrown instanceof NotStrict) return undefined;
    throw thrown;
  }
}

class NotStrict extends Error {}

/** One walk over a schema. */
class Rewrite {
  hasNulls = false;

  refuse(): never {
    throw new NotStrict();
  }

  schema(value: unknown): Schema {
    if (!isSchema(value)) return this.refuse();
    const strict: Record<string, unknown> = {};
    for (const [keyword, content] of Object.entries(value)) {
      if (LEFT_OUT.has(keyword) || OF_OBJECTS.has(keyword)) continue;
      const keep = Object.hasOwn(KEPT, keyword) ? KEPT[keyword] : undefined;
      strict[keyword] = keep ? keep(content, this) : this.refuse();
    }
    return isOfObjects(value) ? { ...strict, ...this.#object(value) } : strict;
  }

  each(value: unknown): Schema {
    if (!isSchema(value)) return this.refuse();
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, this.schema(part)]));
  }

  #object({ properties, required, additionalProperties }: Schema): Schema {
    // An object without declared properties is a map: closed, it could hold nothing.
    if (!isSchema(properties) || (additionalProperties !== undefined && typeof additionalProperties !== 'boolean')) {
      return this.refuse();
    }
    const names = new Set(Array.isArray(required) ? (required as readonly unknown[]) : []);
    const own = Object.entries(properties).map(([name, part]) => {
      const strict = this.schema(part);
      return [name, names.has(name) || allowsNull(part as Schema) ? strict : this.#orNull(strict)] as const;
    });
    return {
      properties: Object.fromEntries(own),
      required: own.map(([name]) => name),
      additionalProperties: false,
    };
  }

  #orNull(schema: Schema): Schema {
    this.hasNulls = true;
    return { anyOf: [schema, { type: 'null' }] };
  }
}

function isOfObjects({ type, properties }: Schema): boolean {
  return properties !== undefined || type === 'object' || (Array.isArray(type) && type.includes('object'));
}

/** Whether a schema says itself that null will do. */
export function allowsNull({ type, anyOf, enum: values }: Schema): boolean {
  if (type === 'null' || (Array.isArray(type) && type.includes('null'))) return true;
  if (Array.isArray(values) && values.includes(null)) return true;
  return Array.isArray(anyOf) && anyOf.some((part) => isSchema(part) && allowsNull(part));
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function same(value: unknown): unknown {
  return value;
}
