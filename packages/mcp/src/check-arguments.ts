import { type CellValue, type Fields, fieldsOf } from '@data-designer/core';
import { compileArguments, type JsonSchema } from '@data-designer/json-schema';

/** Checks the arguments of a call: gives them as the tool gets them, or what is wrong. */
export type ArgumentCheck = (args: Fields) => { readonly value: Fields } | { readonly mistake: string };

/** At most so many compiled schemas are cached per thread. */
const MOST_CACHED = 1_000;

const compiled = new Map<string, ArgumentCheck | undefined>();

/**
 * The check of arguments against a tool's schema, compiled once per thread; undefined for a schema that does not compile, whose
 * arguments are not checked.
 */
export function argumentCheck(parameters: JsonSchema): ArgumentCheck | undefined {
  const key = JSON.stringify(parameters);
  if (compiled.has(key)) return compiled.get(key);
  if (compiled.size >= MOST_CACHED) compiled.clear();
  const accept = compileArguments(parameters);
  const check: ArgumentCheck | undefined =
    accept &&
    ((args) => {
      // Arguments are parsed JSON.
      const accepted = accept(args as CellValue);
      return 'mistake' in accepted ? accepted : { value: fieldsOf(accepted.value) };
    });
  compiled.set(key, check);
  return check;
}
