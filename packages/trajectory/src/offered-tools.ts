import { fieldsOf, isFields, parseJson, tryParse } from '@data-designer/core';
import { type AcceptArguments, asSchema, compileArguments, type JsonSchema } from '@data-designer/json-schema';

/** Tools by the names under which models call them. */
export interface OfferedTools {
  readonly names: ReadonlySet<string>;
  /** Validates the arguments of a tool; undefined if its schema is not known or does not compile. */
  readonly argumentsOf: (name: string) => AcceptArguments | undefined;
}

/** Tools of which only the names are known. */
export function namedTools(names: ReadonlySet<string>): OfferedTools {
  return { names, argumentsOf: () => undefined };
}

/** Compiled schemas at once: rows may have tools of their own. */
const MOST_COMPILED = 1_000;
const compiled = new Map<string, AcceptArguments | undefined>();

/**
 * The tools of a list: schemas in the OpenAI function shape, with or without `function` around them, MCP tools, names, or the
 * JSON text of such a list. Undefined for another value. A schema is compiled at its first call.
 */
export function readTools(value: unknown): OfferedTools | undefined {
  const list = typeof value === 'string' ? tryParse<unknown>(value, parseJson) : value;
  if (!Array.isArray(list)) return undefined;
  const schemas = new Map<string, JsonSchema | undefined>();
  for (const item of list) {
    const tool = readTool(item);
    if (tool) schemas.set(tool.name, tool.parameters);
  }
  return {
    names: new Set(schemas.keys()),
    argumentsOf: (name) => {
      const schema = schemas.get(name);
      return schema && compileOnce(schema);
    },
  };
}

function readTool(value: unknown): { readonly name: string; readonly parameters: JsonSchema | undefined } | undefined {
  if (typeof value === 'string') return { name: value, parameters: undefined };
  const outer = fieldsOf(value);
  const tool = isFields(outer['function']) ? outer['function'] : outer;
  const { name, parameters, inputSchema = tool['input_schema'] } = tool;
  if (typeof name !== 'string') return undefined;
  const schema = parameters ?? inputSchema;
  const read = typeof schema === 'string' ? tryParse<unknown>(schema, parseJson) : schema;
  return { name, parameters: isFields(read) ? asSchema(withoutNulls(read)) : undefined };
}

/** Structs of a table have null in place of members that a schema does not have. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isFields(value) || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const members = Object.entries(value).filter(([key, part]) => part !== null || VALUES.has(key));
  return Object.fromEntries(members.map(([key, part]) => [key, VALUES.has(key) ? part : withoutNulls(part)]));
}

/** Keywords whose values may be null. */
const VALUES: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples']);

function compileOnce(schema: JsonSchema): AcceptArguments | undefined {
  const known = byObject.get(schema);
  if (known) return known.accept;
  const key = JSON.stringify(schema);
  if (!compiled.has(key)) {
    if (compiled.size >= MOST_COMPILED) compiled.clear();
    compiled.set(key, compileArguments(schema));
  }
  const accept = compiled.get(key);
  byObject.set(schema, { accept });
  return accept;
}

const byObject = new WeakMap<object, { readonly accept: AcceptArguments | undefined }>();
