import { type AcceptArguments, compileArguments, type JsonSchema } from '@data-designer/json-schema';

/** Schemas that are kept compiled in a thread; more are compiled anew. */
const KEPT = 1_000;

const compiled = new Map<string, AcceptArguments | undefined>();

/**
 * What holds arguments against a tool's schema, compiled once a thread however many row groups use it; undefined for a
 * schema that does not compile, whose arguments are passed on as they are.
 */
export function argumentCheck(parameters: JsonSchema): AcceptArguments | undefined {
  const key = JSON.stringify(parameters);
  if (compiled.has(key)) return compiled.get(key);
  if (compiled.size >= KEPT) compiled.clear();
  const check = compileArguments(parameters);
  compiled.set(key, check);
  return check;
}
