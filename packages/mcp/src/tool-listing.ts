import { isDeepStrictEqual } from 'node:util';
import { DEEPEST_CALL, fieldsOf, isDeeperThanCalls, type ToolSchema } from '@data-designer/core';
import { isSchema, type JsonSchema, typesOf } from '@data-designer/json-schema';
import { portableSchema } from './portable-schema.ts';
import type { JsonObject, ListedTools } from './tool-session.ts';

/** One page of a server's tools: an answer to `tools/list`. */
export interface ToolPage {
  readonly tools?: unknown;
  readonly nextCursor?: unknown;
}

const MAX_PAGES = 1_000;

/** The schema of a tool that takes no arguments. */
export const NOTHING = { type: 'object', properties: {} } as const;

/** A tool of a list that cannot be used, for a reason. */
class UnusableTool {
  readonly name: string;
  readonly reason: string;

  constructor(name: string, reason: string) {
    this.name = name;
    this.reason = reason;
  }
}

/** The same page with those of its tools that are nested too deeply marked as unusable. */
export function withoutDeepTools(page: object, copy: (value: unknown) => unknown): ToolPage {
  const { tools, ...rest } = fieldsOf(page);
  const others = isDeeperThanCalls(rest) ? {} : fieldsOf(copy(rest));
  if (!Array.isArray(tools)) return { ...others, tools: isDeeperThanCalls(tools) ? undefined : copy(tools) };
  const kept = tools.map((tool: unknown) =>
    isDeeperThanCalls(tool) ? new UnusableTool(String(copy(nameOf(tool))), TOO_DEEP) : copy(tool),
  );
  return { ...others, tools: kept };
}

const TOO_DEEP = `its schema is nested in more than ${DEEPEST_CALL} levels`;
const NO_NAME = '(a tool without a name)';

function nameOf(tool: unknown): string {
  const { name } = fieldsOf(tool);
  return typeof name === 'string' && name !== '' ? name : NO_NAME;
}

/** Reads all pages of a server's tools; throws an `Error` for a list without an end or for none. */
export async function listAllTools(page: (cursor: unknown) => Promise<ToolPage>): Promise<ListedTools> {
  const schemas: ToolSchema[] = [];
  const repeatable = new Set<string>();
  const seen = new Set<string>();
  let cursor: unknown;
  do {
    const { tools, nextCursor } = await page(cursor);
    if (!Array.isArray(tools)) throw new Error('its answer to tools/list contains no tools');
    for (const tool of tools) {
      const schema = toToolSchema(tool);
      const same = schemas.filter((one) => one.function.name === schema.function.name);
      // Servers list a tool twice, and pages may overlap.
      if (same.some((one) => takesTheSame(one, schema))) continue;
      schemas.push(schema);
      if (same.length === 0 && isRepeatable(tool)) repeatable.add(schema.function.name);
    }
    // Some servers number their pages.
    cursor = nextCursor;
    if (cursor === undefined || cursor === null || cursor === '' || cursor === false) return { schemas, repeatable };
    const key = typeof cursor === 'string' ? cursor : JSON.stringify(cursor);
    if (seen.has(key)) throw new Error(`its list of tools does not end: it repeats the cursor '${key}'`);
    seen.add(key);
  } while (seen.size < MAX_PAGES);
  throw new Error(`its list of tools has more than ${MAX_PAGES} pages`);
}

/** Whether two tools of one name take the same arguments; their descriptions may differ. */
function takesTheSame(one: ToolSchema, other: ToolSchema): boolean {
  return isDeepStrictEqual(one.function.parameters, other.function.parameters);
}

/** A tool of a server in the form of requests. */
function toToolSchema(tool: unknown): ToolSchema {
  if (tool instanceof UnusableTool) return unusable(tool);
  const { name, description, inputSchema } = fieldsOf(tool);
  if (typeof name !== 'string' || name === '') return unusable(new UnusableTool(NO_NAME, 'nobody can call it'));
  const parameters = parametersOf(inputSchema) as JsonObject;
  return toolSchema({ name, description: typeof description === 'string' ? description : '', parameters });
}

/** An unusable tool, left out of requests. */
export function unusable({ name, reason: dropped }: Pick<UnusableTool, 'name' | 'reason'>): ToolSchema {
  return { type: 'function', function: { name, description: '', parameters: NOTHING }, sent: { dropped } };
}

/** A tool with the form of its schema that model APIs accept, if that differs. */
export function toolSchema(tool: ToolSchema['function']): ToolSchema {
  const schema: ToolSchema = { type: 'function', function: tool };
  const { parameters } = tool;
  if (!takesObject(parameters)) return schema;
  const sent = portableSchema(parameters);
  return 'parameters' in sent && sent.parameters === parameters ? schema : { ...schema, sent };
}

/** Whether a schema is one of an object, as arguments are; model APIs refuse any other. */
export function takesObject(parameters: unknown): parameters is JsonSchema {
  return isSchema(parameters) && (parameters.type === undefined || typesOf(parameters).includes('object'));
}

function isRepeatable(tool: unknown): boolean {
  const { readOnlyHint, idempotentHint } = fieldsOf(fieldsOf(tool).annotations);
  return readOnlyHint === true || idempotentHint === true;
}

/** The schema of a tool's arguments: none means no arguments, and a missing type means an object. */
function parametersOf(inputSchema: unknown): unknown {
  if (inputSchema === undefined || inputSchema === null) return NOTHING;
  if (!isSchema(inputSchema) || inputSchema.type === 'object') return inputSchema;
  if (Object.keys(inputSchema).length === 0) return NOTHING;
  const { type, ...others } = inputSchema;
  return type === undefined || typesOf(inputSchema).includes('object') ? { type: 'object', ...others } : inputSchema;
}
