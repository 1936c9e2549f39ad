import { type ArrowField, type ArrowScalar, type ArrowType, cellType, fieldsOf, Float } from '@data-designer/core';
import { INT64_BOUND } from '../expression/cast.ts';

/** Describes why a field cannot store a value, without the final full stop; undefined if it can. */
export type MistakeInCell = (value: unknown) => string | undefined;

/** Compiles the check of a field's values against its type, at any depth. */
export function compileFieldCheck(field: ArrowField): MistakeInCell {
  return fieldCheck(field, field.name);
}

const IS_SCALAR = {
  bool: (value) => typeof value === 'boolean',
  int64: isInt64,
  float64: (value) => typeof value === 'number' || typeof value === 'bigint' || value instanceof Float,
  utf8: (value) => typeof value === 'string',
  null: () => false,
} as const satisfies Record<ArrowScalar, (value: unknown) => boolean>;

function isInt64(value: unknown): boolean {
  const number = value instanceof Float ? value.value : value;
  if (typeof number !== 'bigint' && typeof number !== 'number') return false;
  return (typeof number === 'bigint' || Number.isInteger(number)) && number >= -INT64_BOUND && number < INT64_BOUND;
}

function fieldCheck({ type, json, nullable }: ArrowField, path: string): MistakeInCell {
  const fit = json === true ? plainDataCheck(path) : typeCheck(type, path);
  return (value) => {
    if (value !== null && value !== undefined) return fit(value);
    return nullable ? undefined : mistake(path, wordOf(type), value);
  };
}

function typeCheck(type: ArrowType, path: string): MistakeInCell {
  if (typeof type === 'string') {
    const fits = IS_SCALAR[type];
    return (value) => (fits(value) ? undefined : mistake(path, type, value));
  }
  if ('logical' in type) return typeCheck(cellType(type), path);
  return 'list' in type ? listCheck(type.list, path) : structCheck(type.struct, path);
}

function listCheck(item: ArrowType, path: string): MistakeInCell {
  const fit = fieldCheck({ name: '', type: item, nullable: true }, `${path}[]`);
  return (value) => (Array.isArray(value) ? firstOf(value, fit) : mistake(path, 'a list', value));
}

function structCheck(members: readonly ArrowField[], path: string): MistakeInCell {
  const fits = members.map((member) => ({ name: member.name, fit: fieldCheck(member, `${path}.${member.name}`) }));
  return (value) => {
    if (!isObject(value)) return mistake(path, 'an object', value);
    return firstOf(fits, ({ name, fit }) => fit(memberOf(value, name)));
  };
}

/** Ignores inherited members such as `constructor`. */
function memberOf(value: Readonly<Record<string, unknown>>, name: string): unknown {
  return name in Object.prototype && !Object.hasOwn(value, name) ? undefined : value[name];
}

/** Deeper values are circular or cannot be written. */
const MAX_DEPTH = 500;

function plainDataCheck(path: string): MistakeInCell {
  return (value) => (isPlain(value, 0) ? undefined : mistake(path, 'plain data', value));
}

function isPlain(value: unknown, depth: number): boolean {
  if (typeof value !== 'object') return typeof value !== 'function' && typeof value !== 'symbol';
  if (value === null || value instanceof Float) return true;
  if (depth > MAX_DEPTH) return false;
  if (Array.isArray(value)) return value.every((item) => isPlain(item, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) return false;
  return Object.values(value).every((member) => isPlain(member, depth + 1));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Float);
}

function firstOf<Item>(items: readonly Item[], mistakeIn: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const found = mistakeIn(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function wordOf(type: ArrowType): string {
  if (typeof type === 'string') return type;
  if ('logical' in type) return type.logical;
  return 'list' in type ? 'a list' : 'an object';
}

function mistake(path: string, expected: string, value: unknown): string {
  return `'${path}' must be ${expected}, but it is ${shown(value)}`;
}

/** Messages truncate longer text. */
const MOST_SHOWN = 40;

function shown(value: unknown): string {
  if (typeof value === 'string') {
    return JSON.stringify(value.length > MOST_SHOWN ? `${value.slice(0, MOST_SHOWN)}…` : value);
  }
  if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`;
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null && !(value instanceof Float) ? nameOf(value) : String(value);
}

function nameOf(value: object): string {
  const { constructor: made } = fieldsOf(value);
  const name = typeof made === 'function' ? made.name : '';
  return name === 'Object' || name === '' ? 'an object' : `a ${name}`;
}
