import { fieldsOf, Float, isFields, itemsOf } from '@data-designer/core';
import { isWithinLimits } from './strict-limits.ts';

type Schema = Readonly<Record<string, unknown>>;

/** A schema rewritten so that endpoints can keep answers to it exactly. */
export interface StrictSchema {
  readonly schema: Schema;
  /** Whether properties that may be left out were made to hold null instead. */
  readonly hasNulls: boolean;
}

/** The formats that strict endpoints know (source: OpenAI's guide to structured outputs). */
const FORMATS: ReadonlySet<unknown> = new Set('date-time time date duration email hostname ipv4 ipv6 uuid'.split(' '));

/** Groups that look around or have names, and what refers to groups: strict endpoints take plain patterns only. */
const IRREGULAR = /\(\?(?!:)|\\[1-9k]/;

/** What a reference may lead to: the whole schema, or a definition. */
const REFERENCE = /^#(?:\/(?:\$defs|definitions)\/[^/]+)?$/;

/** Keywords that strict endpoints support, each with the conversion of its value; undefined drops the keyword. */
const KEPT: Readonly<Record<string, (value: unknown, rewrite: Rewrite) => unknown>> = {
  type: same,
  enum: same,
  const: same,
  title: same,
  description: same,
  pattern: (value) => (typeof value === 'string' && !IRREGULAR.test(value) ? value : undefined),
  format: (value) => (FORMATS.has(value) ? value : undefined),
  multipleOf: same,
  minimum: same,
  maximum: same,
  exclusiveMinimum: same,
  exclusiveMaximum: same,
  minItems: same,
  maxItems: same,
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

/** Keywords that are dropped next to a `$ref`: strict endpoints accept a reference only alone. */
const BESIDE_REFERENCE = new Set(['title', 'description', ...LEFT_OUT]);

/**
 * The schema in the form that strict endpoints take: objects closed, every property required, those that may be left
 * out nullable. Undefined where that would change what can be said, as for maps, `allOf` or `oneOf`, and where it is too
 * large.
 */
export function strictSchema(schema: Schema): StrictSchema | undefined {
  if (schema.type !== 'object' || schema.properties === undefined) return undefined;
  const rewrite = new Rewrite();
  try {
    const strict = rewrite.schema(schema);
    return isWithinLimits(strict) ? { schema: strict, hasNulls: rewrite.hasNulls } : undefined;
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
    if (!isFields(value)) return this.refuse();
    if (value.$ref !== undefined) return this.#reference(value);
    const [only, ...others] = itemsOf(value.allOf);
    if (isFields(only) && others.length === 0) return this.#wrapped(value, only);
    const strict: Record<string, unknown> = {};
    for (const [keyword, content] of Object.entries(value)) {
      if (LEFT_OUT.has(keyword) || OF_OBJECTS.has(keyword)) continue;
      const keep = Object.hasOwn(KEPT, keyword) ? KEPT[keyword] : undefined;
      const kept = keep ? keep(content, this) : this.refuse();
      if (kept !== undefined) strict[keyword] = kept;
    }
    const typed = strict.type === undefined && strict.anyOf === undefined ? this.#typed(strict, value) : strict;
    // A list of anything is not taken.
    if (isOf(typed, 'array') && typed.items === undefined) return this.refuse();
    return isOf(typed, 'object') ? { ...typed, ...this.#object(value) } : typed;
  }

  each(value: unknown): Schema {
    if (!isFields(value)) return this.refuse();
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, this.schema(part)]));
  }

  /** A reference within the schema, alone. */
  #reference({ $ref, ...beside }: Schema): Schema {
    if (typeof $ref !== 'string' || !REFERENCE.test($ref)) return this.refuse();
    return Object.keys(beside).every((keyword) => BESIDE_REFERENCE.has(keyword)) ? { $ref } : this.refuse();
  }

  /** An `allOf` of one schema is that schema, the form in which some libraries attach a description to a reference. */
  #wrapped({ allOf: _, ...beside }: Schema, only: Schema): Schema {
    const isWordsOnly = Object.keys(beside).every((keyword) => BESIDE_REFERENCE.has(keyword));
    return isWordsOnly ? this.schema({ ...beside, ...only }) : this.refuse();
  }

  /** One without a type gets it, for it is wanted: that of the values it lists, or of what has properties. */
  #typed(strict: Schema, { properties }: Schema): Schema {
    if (properties !== undefined) return { type: 'object', ...strict };
    const { enum: listed, const: only } = strict;
    const values = Array.isArray(listed) ? itemsOf(listed) : [only];
    const types = [...new Set(values.map((value) => typeOf(value) ?? this.refuse()))];
    return { type: types.length === 1 ? types[0] : types, ...strict };
  }

  #object({ properties, required, additionalProperties: rest, anyOf }: Schema): Schema {
    // An object without declared properties is a map: closed, it could hold nothing, nor what its branches name.
    const isMap = !isFields(properties) || (rest !== undefined && typeof rest !== 'boolean');
    if (isMap || anyOf !== undefined) return this.refuse();
    const names = new Set(itemsOf(required));
    const own = Object.entries(properties).map(([name, part]) => {
      const strict = this.schema(part);
      return [name, names.has(name) || allowsNull(fieldsOf(part)) ? strict : this.#orNull(strict)] as const;
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

function isOf({ type }: Schema, name: string): boolean {
  return type === name || (Array.isArray(type) && type.includes(name));
}

/** The type of a listed value; undefined for lists and objects, and for no value at all. */
function typeOf(value: unknown): string | undefined {
  if (value === null) return 'null';
  if (typeof value === 'string' || typeof value === 'boolean') return typeof value;
  if (typeof value === 'bigint' || Number.isInteger(value)) return 'integer';
  return typeof value === 'number' || value instanceof Float ? 'number' : undefined;
}

/** Whether a schema says itself that null will do. */
export function allowsNull({ type, anyOf, enum: values, const: only }: Schema): boolean {
  if (only === null || (Array.isArray(values) && values.includes(null))) return true;
  if (type === 'null' || (Array.isArray(type) && type.includes('null'))) return true;
  return Array.isArray(anyOf) && anyOf.some((part) => isFields(part) && allowsNull(part));
}

function same(value: unknown): unknown {
  return value;
}
