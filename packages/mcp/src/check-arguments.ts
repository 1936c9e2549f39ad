import { type AcceptArguments, compileArguments, type JsonSchema } from '@data-designer/json-schema';

/** At most so many compiled schemas are cached per thread. */
const KEPT = 1_000;

const compiled = new Map<string, AcceptArguments | undefined>();

/**
 * The check of arguments against a tool's schema, compiled once per thread; undefined for a schema that does not compile, whose
 * arguments are not checked.
 */
export function argumentCheck(parameters: JsonSchema): AcceptArguments | undefined {
  const key = JSON.stringify(parameters);
  if (compiled.has(key)) return compiled.get(key);
  if (compiled.size >= KEPT) compiled.clear();
  const check = compileArguments(parameters);
  compiled.set(key, check);
  return check;
}
