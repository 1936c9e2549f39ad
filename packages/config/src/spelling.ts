import { z, type core } from 'zod';

type Schema = core.$ZodType;

/** A plain mapping of keys to values, as in a document. */
export type Mapping = Readonly<Record<string, unknown>>;

/** The parts of a zod definition that `walk` visits. */
interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly element?: Schema;
  readonly items?: readonly Schema[];
  readonly innerType?: Schema;
  readonly valueType?: Schema;
  readonly options?: readonly Schema[];
  readonly discriminator?: string;
  readonly in?: Schema;
  readonly getter?: () => Schema;
}

/** The steps of a walk: on mappings, on declared keys, and on scalars. */
export interface Walk {
  readonly mapping: (value: Mapping, schema: Schema) => Mapping;
  readonly key: (key: string, shape: Readonly<Record<string, Schema>>) => string;
  readonly scalar: (value: unknown, schema: Schema) => unknown;
}

export const snakeCase = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
export const camelCase = (key: string): string =>
  key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** The one name that is no ordinary key of an object: a row or a mapping would lose it. */
export const RESERVED_KEY = '__proto__';

/** The paths of the mappings with that key in a document, at any depth. */
export function reservedKeys(
  document: unknown,
  path: readonly PropertyKey[] = [],
): readonly (readonly PropertyKey[])[] {
  if (Array.isArray(document)) return document.flatMap((item, index) => reservedKeys(item, [...path, index]));
  if (!isMapping(document)) return [];
  const reserved = Object.hasOwn(document, RESERVED_KEY) ? [[...path, RESERVED_KEY]] : [];
  return [...reserved, ...Object.entries(document).flatMap(([key, value]) => reservedKeys(value, [...path, key]))];
}

/** Whether a value is a plain mapping: no list, boxed value or null. */
export function isMapping(value: unknown): value is Mapping {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** The value of a declared key in either spelling. */
export function given(value: Mapping, key: string): unknown {
  return own(value, key) ?? own(value, snakeCase(key));
}

/** Whether a mapping has a declared key in either spelling, even if its value is undefined. */
export function isGiven(value: Mapping, key: string): boolean {
  return Object.hasOwn(value, key) || Object.hasOwn(value, snakeCase(key));
}

function own<Value>(value: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

/** The part of a value under a key or an index; undefined if it has none. */
export function partOf(value: unknown, step: PropertyKey): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, step)
    ? Reflect.get(value, step)
    : undefined;
}

/** Walks a value along its schema. Only declared keys are renamed; data of `unknown` schemas stays unchanged. */
export function walk(schema: Schema, input: unknown, steps: Walk): unknown {
  const def = definition(schema);
  const value = isMapping(input) ? steps.mapping(input, schema) : input;
  if (def.shape && isMapping(value)) return walkObject(def.shape, value, steps);
  const { element } = def;
  if (element && Array.isArray(value)) return value.map((item) => walk(element, item, steps));
  if (def.items && Array.isArray(value)) return walkTuple(def.items, value, steps);
  if (def.type === 'record' && def.valueType && isMapping(value)) return walkValues(def.valueType, value, steps);
  if (def.options) return walkUnion(schema, def.options, { value, steps });
  const inner = def.innerType ?? def.in ?? def.getter?.();
  if (inner) return value === null || value === undefined ? value : walk(inner, value, steps);
  return steps.scalar(value, schema);
}

function walkObject(shape: Readonly<Record<string, Schema>>, value: Mapping, steps: Walk): Mapping {
  const result = new Map<string, unknown>();
  for (const [key, part] of Object.entries(value)) {
    const renamed = steps.key(key, shape);
    const known = own(shape, renamed) ?? own(shape, key);
    result.set(result.has(renamed) ? key : renamed, known ? walk(known, part, steps) : part);
  }
  return Object.fromEntries(result);
}

function walkTuple(items: readonly Schema[], value: readonly unknown[], steps: Walk): unknown[] {
  return value.map((item, index) => {
    const schema = items[index];
    return schema ? walk(schema, item, steps) : item;
  });
}

function walkValues(schema: Schema, value: Mapping, steps: Walk): Mapping {
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, walk(schema, part, steps)]));
}

/** Walks a mapping along the variant of its discriminator, else the one that shares most keys with it. */
function walkUnion(
  schema: Schema,
  options: readonly Schema[],
  { value, steps }: { value: unknown; steps: Walk },
): unknown {
  const variants = options.map(bare);
  if (isMapping(value)) {
    const variant = variantOf(schema, value) ?? mostAlike(variants, value);
    return variant ? walk(variant, value, steps) : value;
  }
  if (Array.isArray(value)) {
    const list = variants.find((option) => definition(option).element ?? definition(option).items);
    return list ? walk(list, value, steps) : value;
  }
  return walkScalar(variants, value, steps);
}

/** Reads a scalar by the first variant that accepts it unchanged, else by the first that converts it. */
function walkScalar(options: readonly Schema[], value: unknown, steps: Walk): unknown {
  const exact = options.find((option) => z.safeParse(option, value).success);
  if (exact) return steps.scalar(value, exact);
  const made = options.map((option) => steps.scalar(value, option)).find((coerced) => coerced !== value);
  return made === undefined ? value : made;
}

/** A schema without its defaults, descriptions and nullability. */
function bare(schema: Schema): Schema {
  const { innerType } = definition(schema);
  return innerType ? bare(innerType) : schema;
}

/** The variant of a discriminated union that a mapping names, in either spelling. */
function variantOf(schema: Schema, value: unknown): Schema | undefined {
  const { discriminator: key, options } = definition(schema);
  if (key === undefined || !isMapping(value)) return undefined;
  const tag = given(value, key);
  return options?.find((option) => {
    const tags: ReadonlySet<unknown> | undefined = definition(option).shape?.[key]?._zod.values;
    return tags?.has(tag);
  });
}

function mostAlike(options: readonly Schema[], value: Mapping): Schema | undefined {
  const keys = new Set(Object.keys(value).map(camelCase));
  const shared = (option: Schema) => Object.keys(definition(option).shape ?? {}).filter((key) => keys.has(key)).length;
  const takers = options.filter((option) => {
    const { shape, type, options: inner } = definition(option);
    return shape ?? inner ?? (type === 'record' || undefined);
  });
  return takers.length === 0 ? undefined : takers.reduce((a, b) => (shared(b) > shared(a) ? b : a));
}

/** Where the keys of a schema are wanted. */
interface KeysOptions {
  readonly value: unknown;
  readonly path: readonly PropertyKey[];
  /** Whether a union without its tag has no known keys; true unless given. */
  readonly isTagNeeded?: boolean;
}

/** The known keys at a path of a schema, for the value at that path; of a union without its tag only if that is allowed. */
export function keysAt(schema: Schema, { value, path, isTagNeeded = true }: KeysOptions): readonly string[] {
  const def = definition(schema);
  if (def.options) {
    const tagged = variantOf(schema, value);
    const variant = tagged ?? (isMapping(value) ? mostAlike(def.options.map(bare), value) : undefined);
    const isSure = def.discriminator === undefined || tagged !== undefined || !isTagNeeded;
    return variant && isSure ? keysAt(variant, { value, path, isTagNeeded }) : [];
  }
  const inner = def.innerType ?? def.in;
  if (inner) return keysAt(inner, { value, path, isTagNeeded });
  const [step, ...rest] = path;
  if (step === undefined) return Object.keys(def.shape ?? {});
  const next = def.shape?.[String(step)] ?? def.element ?? def.valueType;
  return next ? keysAt(next, { value: partOf(value, step), path: rest, isTagNeeded }) : [];
}

function definition(schema: Schema): Definition {
  const { def }: { readonly def: Definition } = schema._zod;
  return def;
}
