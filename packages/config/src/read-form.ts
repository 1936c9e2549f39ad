import { Float } from '@data-designer/core';
import type { core } from 'zod';
import { camelCase, snakeCase, walk } from './spelling.ts';

type Schema = core.$ZodType;

const TRUE = new Set(['true', 'yes', 'on', 't', 'y', '1']);
const FALSE = new Set(['false', 'no', 'off', 'f', 'n', '0']);

/**
 * Reads a document's form by its schema: declared keys from either spelling to camelCase, and scalars by the reference
 * tool's lax rules (`"3"` for a number, `yes` for a boolean, `3.0` for an integer). What does not fit is left as it
 * is, for the schema to refuse.
 */
export function readForm(schema: Schema, value: unknown): unknown {
  return walk(schema, value, {
    key: (key, shape) => (key in shape || !(camelCase(key) in shape) ? key : camelCase(key)),
    scalar: coerce,
  });
}

/** The document form of a configuration: declared keys in snake_case. */
export function writeForm(schema: Schema, value: unknown): unknown {
  return walk(schema, value, {
    key: (key, shape) => (key in shape ? snakeCase(key) : key),
    scalar: (scalar) => scalar,
  });
}

function coerce(value: unknown, schema: Schema): unknown {
  const { type } = schema._zod.def;
  if (type === 'number') return toNumber(value, isInteger(schema));
  if (type === 'boolean') return toBoolean(value);
  if (type === 'union' && typeof value === 'boolean' && !accepts(schema, 'boolean') && accepts(schema, 'number')) {
    return Number(value);
  }
  return value;
}

function isInteger(schema: Schema): boolean {
  const { format } = schema._zod.def as { readonly format?: string };
  return format === 'safeint' || format === 'int32';
}

function accepts(schema: Schema, type: string): boolean {
  const { options } = schema._zod.def as { readonly options?: readonly Schema[] };
  return options?.some((option) => option._zod.def.type === type) ?? false;
}

function toNumber(value: unknown, integer: boolean): unknown {
  if (value instanceof Float) return value.value;
  if (typeof value === 'boolean') return Number(value);
  if (typeof value !== 'string') return value;
  const pattern = integer ? /^\s*[+-]?\d+\s*$/ : /^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$/;
  return pattern.test(value) ? Number(value) : value;
}

function toBoolean(value: unknown): unknown {
  if (value === 0 || value === 1) return value === 1;
  if (typeof value !== 'string') return value;
  const text = value.toLowerCase();
  if (TRUE.has(text)) return true;
  return FALSE.has(text) ? false : value;
}
