import type { Ajv, ErrorObject, ValidateFunction } from 'ajv';
import { type CellValue, Float } from '@data-designer/core';
import { describeViolation } from './describe-violation.ts';
import { asSchema, type JsonSchema } from './json-schema.ts';
import { type AjvUse, isValidSchema, loadAjv } from './load-ajv.ts';
import { escaped, withParsedTexts } from './parse-texts.ts';
import { isList, plainNumbers, restoreNumbers } from './plain-numbers.ts';

/** The value to call the tool with, or the one mistake to report to the model. */
type AcceptedArguments = { readonly value: CellValue } | { readonly mistake: string };

/** Validates the arguments of one call. */
export type AcceptArguments = (value: CellValue) => AcceptedArguments;

/**
 * Compiles the schema of a tool's arguments. Valid arguments pass unchanged, with all their digits. For others, it
 * converts a copy to the schema's types, parses lists and objects given as JSON text, drops optional members that are null, and
 * validates that copy. Returns undefined for a schema that does not compile or that refers to another document.
 */
export function compileArguments(schema: JsonSchema): AcceptArguments | undefined {
  try {
    const plain = asSchema(plainNumbers(schema as CellValue));
    const dialect = plain['$schema'];
    if (!isValidSchema(plain, dialect)) return undefined;
    const isValid = ajvFor(plain, 'valid').compile(plain);
    let coerce: ValidateFunction | undefined;
    return (value) => {
      if (isValid(plainNumbers(value))) return { value };
      // Few calls need the coercing validator, and it doubles the compile time.
      coerce ??= ajvFor(plain, 'coerced').compile(plain);
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
 * Schemas of one dialect share an ajv instance, because each costs milliseconds. A schema with an `$id` gets its own,
 * because another schema may have the same `$id`.
 */
function ajvFor(schema: JsonSchema, use: keyof typeof USES): Ajv {
  const dialect = schema['$schema'];
  if (JSON.stringify(schema).includes('"$id":')) return loadAjv(dialect, USES[use]);
  const key = `${use} ${String(dialect)}`;
  const known = shared.get(key) ?? loadAjv(dialect, USES[use]);
  shared.set(key, known);
  return known;
}

/** JSON text may hold a list of JSON texts; deeper than so many levels it stays text. */
const MOST_LEVELS = 4;

/** Parses the texts that hold a list or an object which the schema asks for. */
function parseTexts(given: CellValue, coerce: ValidateFunction): CellValue {
  let value = given;
  for (let level = 0; level < MOST_LEVELS; level++) {
    const parsed = withParsedTexts(value, coerceTypes(value, coerce).errors);
    if (parsed === value) return value;
    value = parsed;
  }
  return value;
}

/** Converts a value to the schema's types; if that leaves invalid nulls, drops those members and converts again. */
function acceptCoerced(given: CellValue, coerce: ValidateFunction): AcceptedArguments {
  const value = parseTexts(given, coerce);
  const first = coerceTypes(value, coerce);
  const lost = new Set(first.nulls);
  const rest = lost.size > 0 ? withoutMembers(value, lost) : value;
  const { copy, errors, nulls } = rest === value ? first : coerceTypes(rest, coerce);
  const [nullPath] = nulls;
  if (errors.length === 0 && nullPath === undefined) return { value: restoreNumbers(copy, rest) };
  const reported = errors.length > 0 || nullPath === undefined ? errors : [nullAt(nullPath)];
  return { mistake: describeViolation(reported, rest, 'the arguments object') };
}

interface Coerced {
  readonly copy: CellValue;
  readonly errors: readonly ErrorObject[];
  /** Pointers to nulls that are invalid or that ajv converted. */
  readonly nulls: readonly string[];
}

function coerceTypes(value: CellValue, coerce: ValidateFunction): Coerced {
  const plain = plainNumbers(value);
  const copy = structuredClone(plain);
  const errors = coerce(copy) ? [] : (coerce.errors ?? []);
  const wrong = errors.flatMap(({ keyword, data, instancePath }) =>
    keyword === 'type' && data === null ? [instancePath] : [],
  );
  return { copy, errors, nulls: [...wrong, ...changedNulls(plain, copy, '')] };
}

/** Pointers to the nulls that ajv converted to empty text, zero or false in the copy. */
function changedNulls(value: CellValue, copy: CellValue | undefined, pointer: string): readonly string[] {
  if (value === null) return copy === null ? [] : [pointer];
  const copied = new Map(entriesOf(copy ?? null));
  return entriesOf(value).flatMap(([key, part]) => changedNulls(part, copied.get(key), `${pointer}/${escaped(key)}`));
}

/** The members of an object or the items of a list. */
function entriesOf(value: CellValue): readonly (readonly [string, CellValue])[] {
  if (typeof value !== 'object' || value === null || value instanceof Float) return [];
  return Object.entries<CellValue>(value);
}

/** A copy without the object members at these pointers; the value itself if it has none of them. */
function withoutMembers(value: CellValue, pointers: ReadonlySet<string>, at = ''): CellValue {
  if (typeof value !== 'object' || value === null || value instanceof Float) return value;
  if (isList(value)) {
    const items = value.map((item, index) => withoutMembers(item, pointers, `${at}/${index}`));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  const entries = Object.entries(value);
  const remaining = entries.flatMap(([key, part]) => {
    const pointer = `${at}/${escaped(key)}`;
    return pointers.has(pointer) ? [] : [[key, withoutMembers(part, pointers, pointer)] as const];
  });
  const isSame =
    remaining.length === entries.length && remaining.every(([, part], index) => part === entries[index]?.[1]);
  return isSame ? value : Object.fromEntries(remaining);
}

/** The error that ajv omits because it converts null to empty text, zero or false. */
function nullAt(instancePath: string): ErrorObject {
  const message = 'must be of the type that its schema names';
  return { keyword: 'null', instancePath, schemaPath: '', params: {}, message, data: null };
}
