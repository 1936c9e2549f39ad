import type { Ajv, ErrorObject, ValidateFunction } from 'ajv';
import { type CellValue, Float } from '@data-designer/core';
import { describeViolation } from './describe-violation.ts';
import type { JsonSchema } from './json-schema.ts';
import { type AjvUse, isJsonSchema, loadAjv } from './load-ajv.ts';
import { plainNumbers, restoreNumbers } from './plain-numbers.ts';

/** What becomes of arguments: the value to call with, or the mistake that tells a model best what to change. */
type AcceptedArguments = { readonly value: CellValue } | { readonly mistake: string };

/** Holds the arguments of one call against a schema. */
export type AcceptArguments = (value: CellValue) => AcceptedArguments;

/** What the object of arguments as a whole is called in a mistake. */
const SUBJECT = 'the arguments object';

/**
 * Compiles the schema of a tool's arguments. Arguments that fit are given on as they are, with all their digits; others
 * are tried once more as a copy whose types are those asked for, where a null that may be left out is. References out
 * of the schema are never followed: undefined for a schema with one, as for any that does not compile.
 */
export function compileArguments(schema: JsonSchema): AcceptArguments | undefined {
  try {
    const plain = plainNumbers(schema as CellValue) as JsonSchema;
    const dialect = plain['$schema'];
    if (!isJsonSchema(plain, dialect)) return undefined;
    const isValid = checkerFor(plain, 'valid').compile(plain);
    let coerce: ValidateFunction | undefined;
    return (value) => {
      if (isValid(plainNumbers(value))) return { value };
      // Few calls need it, and compiling it takes as long as all else.
      coerce ??= checkerFor(plain, 'coerced').compile(plain);
      return acceptCoerced(value, coerce);
    };
  } catch {
    return undefined;
  }
}

const USES = {
  valid: { isQuick: true, hasFormats: true },
  coerced: { hasFormats: true, coerces: true },
} as const satisfies Record<string, AjvUse>;

const shared = new Map<string, Ajv>();

/**
 * An ajv for one schema: the same for all of a dialect, since each costs milliseconds, but for a schema that has a name,
 * which another one may have too.
 */
function checkerFor(schema: JsonSchema, use: keyof typeof USES): Ajv {
  const dialect = schema['$schema'];
  if (JSON.stringify(schema).includes('"$id":')) return loadAjv(dialect, USES[use]);
  const key = `${use} ${String(dialect)}`;
  const known = shared.get(key) ?? loadAjv(dialect, USES[use]);
  shared.set(key, known);
  return known;
}

/** Tries the types that are asked for; what is null where none may be is left out and the rest tried once more. */
function acceptCoerced(value: CellValue, coerce: ValidateFunction): AcceptedArguments {
  const first = tryTypes(value, coerce);
  const lost = new Set(first.nulls);
  const rest = lost.size > 0 ? withoutMembers(value, lost) : value;
  const { copy, errors, nulls } = rest === value ? first : tryTypes(rest, coerce);
  const [place] = nulls;
  if (errors.length === 0 && place === undefined) return { value: restoreNumbers(copy, rest) };
  const told = errors.length > 0 ? errors : [nullAt(place as string)];
  return { mistake: describeViolation(told, rest, SUBJECT) };
}

/** A copy with the types asked for, what is still wrong, and where nulls were taken for something else or were wrong. */
interface Tried {
  readonly copy: CellValue;
  readonly errors: readonly ErrorObject[];
  readonly nulls: readonly string[];
}

function tryTypes(value: CellValue, coerce: ValidateFunction): Tried {
  const plain = plainNumbers(value);
  const copy = structuredClone(plain);
  const errors = coerce(copy) ? [] : (coerce.errors ?? []);
  const wrong = errors.flatMap(({ keyword, data, instancePath }) =>
    keyword === 'type' && data === null ? [instancePath] : [],
  );
  return { copy, errors, nulls: [...wrong, ...changedNulls(plain, copy, '')] };
}

/** Pointers to the nulls of a value that are something else in its copy: empty text, zero and false are no nulls. */
function changedNulls(value: CellValue, copy: CellValue, pointer: string): readonly string[] {
  if (value === null) return copy === null ? [] : [pointer];
  if (typeof value !== 'object' || typeof copy !== 'object' || copy === null) return [];
  const copied = copy as Record<string, CellValue>;
  return Object.entries(value).flatMap(([key, part]) =>
    changedNulls(part as CellValue, copied[key] as CellValue, `${pointer}/${escaped(key)}`),
  );
}

/** A value without the members of objects at these pointers; itself if it has none of them. */
function withoutMembers(value: CellValue, pointers: ReadonlySet<string>, at = ''): CellValue {
  if (typeof value !== 'object' || value === null || value instanceof Float) return value;
  if (Array.isArray(value)) {
    const items = (value as readonly CellValue[]).map((item, index) =>
      withoutMembers(item, pointers, `${at}/${index}`),
    );
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  const entries = Object.entries(value as Readonly<Record<string, CellValue>>);
  const kept = entries.flatMap(([key, part]) => {
    const pointer = `${at}/${escaped(key)}`;
    return pointers.has(pointer) ? [] : [[key, withoutMembers(part, pointers, pointer)] as const];
  });
  const isSame = kept.length === entries.length && kept.every(([, part], index) => part === entries[index]?.[1]);
  return isSame ? value : Object.fromEntries(kept);
}

function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The mistake that ajv does not find because it takes a null for an empty text, zero or false. */
function nullAt(instancePath: string): ErrorObject {
  const message = 'must be of the type that its schema names';
  return { keyword: 'null', instancePath, schemaPath: '', params: {}, message, data: null };
}
