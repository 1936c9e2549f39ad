import type { core } from 'zod';

type Schema = core.$ZodType;
type Record_ = Readonly<Record<string, unknown>>;

/** The parts of a zod definition that are walked here. */
interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly element?: Schema;
  readonly innerType?: Schema;
  readonly valueType?: Schema;
  readonly options?: readonly Schema[];
  readonly discriminator?: string;
  readonly in?: Schema;
  readonly getter?: () => Schema;
}

/** What is done on the way: to the keys that a schema declares, and to scalars by the schema they meet. */
interface Walk {
  readonly key: (key: string, shape: Readonly<Record<string, Schema>>) => string;
  readonly scalar: (value: unknown, schema: Schema) => unknown;
}

export const snakeCase = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
export const camelCase = (key: string): string =>
  key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** A plain mapping, as opposed to a list, a boxed value or null. */
export function isMapping(value: unknown): value is Record_ {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Walks a value along its schema. Only declared keys are renamed; data under `unknown` schemas is left as it is. */
export function walk(schema: Schema, value: unknown, steps: Walk): unknown {
  const def = definition(schema);
  if (def.shape && isMapping(value)) return walkObject(def.shape, value, steps);
  if (def.element && Array.isArray(value)) return value.map((item) => walk(def.element as Schema, item, steps));
  if (def.type === 'record' && def.valueType && isMapping(value)) return walkValues(def.valueType, value, steps);
  if (def.options) return walkUnion(schema, def.options, { value, steps });
  const inner = def.innerType ?? def.in ?? def.getter?.();
  if (inner) return value === null || value === undefined ? value : walk(inner, value, steps);
  return steps.scalar(value, schema);
}

function walkObject(shape: Readonly<Record<string, Schema>>, value: Record_, steps: Walk): Record_ {
  const result: Record<string, unknown> = {};
  for (const [key, part] of Object.entries(value)) {
    const renamed = steps.key(key, shape);
    const known = shape[renamed] ?? shape[key];
    result[renamed in result ? key : renamed] = known ? walk(known, part, steps) : part;
  }
  return result;
}

function walkValues(schema: Schema, value: Record_, steps: Walk): Record_ {
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, walk(schema, part, steps)]));
}

/** Of several shapes the one that the discriminator names, else the one that shares most keys with the value. */
function walkUnion(
  schema: Schema,
  options: readonly Schema[],
  { value, steps }: { value: unknown; steps: Walk },
): unknown {
  if (!isMapping(value)) {
    const list = Array.isArray(value) ? options.find((option) => definition(option).element) : undefined;
    return list ? walk(list, value, steps) : steps.scalar(value, schema);
  }
  return walk(variantOf(schema, value) ?? mostAlike(options, value), value, steps);
}

/** The option of a discriminated union that a mapping names, in either spelling. */
function variantOf(schema: Schema, value: unknown): Schema | undefined {
  const { discriminator: key, options } = definition(schema);
  if (key === undefined || !isMapping(value)) return undefined;
  const tag = value[key] ?? value[snakeCase(key)];
  return options?.find((option) => definition(option).shape?.[key]?._zod.values?.has(tag as never));
}

function mostAlike(options: readonly Schema[], value: Record_): Schema {
  const keys = new Set(Object.keys(value).map(camelCase));
  const shared = (option: Schema) => Object.keys(definition(option).shape ?? {}).filter((key) => keys.has(key)).length;
  return options.reduce((a, b) => (shared(b) > shared(a) ? b : a));
}

/** The keys that may stand at a path below a schema, for the value that stands there. */
export function keysAt(schema: Schema, value: unknown, path: readonly PropertyKey[]): readonly string[] {
  const def = definition(schema);
  if (def.discriminator !== undefined) {
    const variant = variantOf(schema, value);
    return variant ? keysAt(variant, value, path) : [];
  }
  if (!def.shape && !def.element) {
    const inner = def.innerType ?? def.in;
    return inner ? keysAt(inner, value, path) : [];
  }
  const [step, ...rest] = path;
  if (step === undefined) return Object.keys(def.shape ?? {});
  const next = typeof step === 'number' ? def.element : def.shape?.[String(step)];
  const part = typeof step === 'number' ? (value as unknown[])[step] : (value as Record_)[String(step)];
  return next ? keysAt(next, part, rest) : [];
}

function definition(schema: Schema): Definition {
  const { def }: { readonly def: Definition } = schema._zod;
  return def;
}
