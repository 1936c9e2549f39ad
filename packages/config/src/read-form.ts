import { z, type core } from 'zod';
import { Float } from '@data-designer/core';
import { camelCase, isMapping, type Mapping, snakeCase, walk } from './spelling.ts';

type Schema = core.$ZodType;

const TRUE = new Set(['true', 'yes', 'on', 't', 'y', '1']);
const FALSE = new Set(['false', 'no', 'off', 'f', 'n', '0']);

/** For schemas that read a document once: zod would otherwise compile a parser for each of them, which takes longer. */
export const ONCE = { jitless: true } as const;

/** The definitions of schemas that accept every float. */
const floats = new WeakSet<object>();

/** A number that may be infinite or NaN, which `z.number` refuses. */
export function anyFloat(): z.ZodCustom<number> {
  const schema = z.custom<number>((value) => typeof value === 'number', { error: 'expected a number' });
  floats.add(schema._zod.def);
  return schema.meta({ type: 'number' });
}

/**
 * A key that NeMo Data Designer has since 0.10.0: only one of its values, and no default, is in the written form. The
 * fingerprints of declarations without the key stay the same.
 */
export function newerKey<const Value extends string, const Default extends string>(value: Value, usual: Default) {
  return z
    .union([z.enum([value, usual]), z.null()])
    .transform((given) => (given === value ? value : undefined))
    .exactOptional();
}

/** By the definition of a schema, the function that completes a mapping before the schema reads it. */
const readers = new WeakMap<object, (value: Mapping) => Mapping>();

/** Lets a schema read mappings without a field that follows from others, such as a tag; call it last but `describe`. */
export function readsAs<S extends Schema>(schema: S, fill: (value: Mapping) => Mapping): S {
  readers.set(schema._zod.def, fill);
  return schema;
}

/**
 * Converts a document for its schema: declared keys of either spelling to camelCase, and scalars by the Python tool's lax
 * rules (`"3"` for a number, `yes` for a boolean, `3.0` for an integer). Other values stay unchanged, for the schema to
 * refuse.
 */
export function readForm(schema: Schema, value: unknown): unknown {
  return walk(schema, value, {
    mapping: (mapping, reader) => readers.get(reader._zod.def)?.(mapping) ?? mapping,
    key: (key, shape) => (Object.hasOwn(shape, key) || !Object.hasOwn(shape, camelCase(key)) ? key : camelCase(key)),
    scalar: coerce,
  });
}

/** The document form of a configuration: declared keys in snake_case, floats with a point, functions by name. */
export function writeForm(schema: Schema, value: unknown): unknown {
  return walk(schema, value, {
    mapping: withoutUndefined,
    key: (key, shape) => (Object.hasOwn(shape, key) ? snakeCase(key) : key),
    scalar: (scalar, of) => {
      if (typeof scalar === 'function') return scalar.name;
      // The Python tool writes non-finite numbers in data of no declared type as null.
      if (of._zod.def.type === 'unknown') return onlyFinite(scalar);
      const isFloat = typeof scalar === 'number' && Number.isInteger(scalar) && isNumber(of) && !isInteger(of);
      return isFloat ? new Float(scalar) : scalar;
    },
  });
}

function withoutUndefined(mapping: Mapping): Mapping {
  if (!Object.values(mapping).includes(undefined)) return mapping;
  return Object.fromEntries(Object.entries(mapping).filter(([, part]) => part !== undefined));
}

function onlyFinite(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (Array.isArray(value)) return value.map(onlyFinite);
  if (!isMapping(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, onlyFinite(part)]));
}

function coerce(value: unknown, schema: Schema): unknown {
  if (isNumber(schema)) return toNumber(value, isInteger(schema));
  return schema._zod.def.type === 'boolean' ? toBoolean(value) : value;
}

function isNumber({ _zod: { def } }: Schema): boolean {
  return def.type === 'number' || floats.has(def);
}

function isInteger(schema: Schema): boolean {
  const { def } = schema._zod;
  return 'format' in def && (def.format === 'safeint' || def.format === 'int32');
}

const INTEGER = /^\s*[+-]?\d+(?:_\d+)*(?:\.0+)?\s*$/;
const FLOAT = /^\s*[+-]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?\s*$/;
const INFINITE = /^\s*([+-]?)inf(?:inity)?\s*$/i;

function toNumber(value: unknown, integer: boolean): unknown {
  if (value instanceof Float) return value.value;
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'bigint') return integer ? value : Number(value);
  if (typeof value !== 'string') return value;
  if (integer) return INTEGER.test(value) ? Number(value.replaceAll('_', '')) : value;
  return floatIn(value) ?? value;
}

/** The number that Python's `float` reads from a text; undefined if it refuses it. */
export function floatIn(text: string): number | undefined {
  if (FLOAT.test(text)) return Number(text.replaceAll('_', ''));
  const sign = INFINITE.exec(text)?.[1];
  if (sign !== undefined) return sign === '-' ? -Infinity : Infinity;
  return /^\s*[+-]?nan\s*$/i.test(text) ? NaN : undefined;
}

function toBoolean(value: unknown): unknown {
  if (value instanceof Float) return toBoolean(value.value);
  if (value === 0 || value === 1) return value === 1;
  if (typeof value !== 'string') return value;
  const text = value.toLowerCase();
  if (TRUE.has(text)) return true;
  return FALSE.has(text) ? false : value;
}
