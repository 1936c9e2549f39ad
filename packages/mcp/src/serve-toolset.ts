import {
  DataDesignerError,
  DEEPEST_CALL,
  fieldsOf,
  isDeeperThanCalls,
  isFields,
  itemsOf,
  parseJson,
} from '@data-designer/core';
import { isSchema, jsonSchemaOf, standardOf } from '@data-designer/json-schema';
import { argumentCheck, type ArgumentCheck } from './check-arguments.ts';
import { withEveryDigit } from './exact-numbers.ts';
import type { ToolContext, ToolDefinition, ToolHints } from './define-tool.ts';
import { mcpResultOf } from './local-result.ts';
import { type LocalTool, localTool } from './local-tool.ts';
import { reasonOf } from './reason-of.ts';
import type { JsonObject } from './tool-session.ts';

/** The schema of an object: MCP has no other for arguments and structured results. */
type ObjectSchema = JsonObject & { readonly type: 'object' };

/** A tool in an answer to `tools/list`. */
export interface ToolListing {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema?: ObjectSchema;
  readonly annotations?: Omit<ToolHints, 'outputSchema'>;
}

interface ServedTool {
  readonly tool: LocalTool;
  readonly listing: ToolListing;
  readonly acceptArguments: ArgumentCheck | undefined;
  /** Undefined where no output schema is declared. */
  readonly acceptResult: ArgumentCheck | undefined;
}

/** The tools of a server, prepared once for all sessions. */
export class Toolset {
  readonly #served = new Map<string, ServedTool>();

  /** Throws `tool/invalid` for a tool that cannot be called, and for two tools of one name. */
  constructor(tools: readonly ToolDefinition[]) {
    for (const tool of tools) {
      const made = servedTool(tool);
      const { name } = made.listing;
      if (this.#served.has(name))
        throw new DataDesignerError('tool/invalid', { tool: name, reason: 'two tools have this name' });
      this.#served.set(name, made);
    }
  }

  get listings(): readonly ToolListing[] {
    return [...this.#served.values()].map(({ listing }) => listing);
  }

  /** Runs a tool; undefined if there is none of this name. Every failure is a result that is marked as an error. */
  call(name: string, args: JsonObject, context: ToolContext): Promise<JsonObject> | undefined {
    const served = this.#served.get(name);
    return served && callTool(served, args, context);
  }
}

async function callTool(served: ServedTool, args: JsonObject, context: ToolContext): Promise<JsonObject> {
  const { tool, acceptArguments, acceptResult, listing } = served;
  if (isDeeperThanCalls(args))
    return errorResult(`the arguments are nested too deeply: ${DEEPEST_CALL} levels at most are read`);
  try {
    const accepted = acceptArguments?.(args) ?? { value: args };
    if ('mistake' in accepted) return errorResult(`the arguments do not fit: ${accepted.mistake}`);
    const result = resultOf(await tool.run(accepted.value, context));
    const checked = listing.outputSchema && result.isError !== true ? checkedResult(result, acceptResult) : result;
    return writable(checked);
  } catch (thrown) {
    return errorResult(reasonOf(thrown));
  }
}

function servedTool(tool: ToolDefinition): ServedTool {
  const made = localTool(tool);
  const { name, description, parameters } = made.schema.function;
  const { outputSchema: declared, ...annotations } = tool.hints ?? {};
  const outputSchema = declared === undefined ? undefined : outputSchemaOf(name, declared);
  const listing: ToolListing = {
    name,
    ...(annotations.title === undefined ? {} : { title: annotations.title }),
    description,
    inputSchema: { ...parameters, type: 'object' },
    ...(outputSchema ? { outputSchema } : {}),
    ...(tool.hints ? { annotations } : {}),
  };
  const acceptResult = outputSchema && argumentCheck(outputSchema);
  return { tool: made, listing, acceptArguments: argumentCheck(parameters), acceptResult };
}

function outputSchemaOf(tool: string, declared: unknown): ObjectSchema {
  const standard = standardOf(declared);
  const schema = standard ? jsonSchemaOf(standard, 'output') : declared;
  if (isSchema(schema) && schema.type === 'object') return { ...schema, type: 'object' };
  throw new DataDesignerError('tool/invalid', { tool, reason: 'its output schema does not describe an object' });
}

/** The MCP result of a tool's value; an object is structured content too. */
function resultOf(value: unknown): JsonObject {
  const result = mcpResultOf(value);
  if (result === value || !isFields(value) || !isPlain(value)) return result;
  const { text } = fieldsOf(itemsOf(result.content)[0]);
  return { ...result, structuredContent: parseJson(String(text)) };
}

/** Whether an object has no class. */
function isPlain(value: JsonObject): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Checks a result against its output schema, as clients do. */
function checkedResult(result: JsonObject, accept: ArgumentCheck | undefined): JsonObject {
  const { structuredContent } = result;
  if (!isFields(structuredContent)) return errorResult('its result is no object, which its output schema promises');
  const accepted = accept?.(structuredContent) ?? { value: structuredContent };
  if ('mistake' in accepted) return errorResult(`its result does not fit its output schema: ${accepted.mistake}`);
  return { ...result, structuredContent: accepted.value };
}

/** A result that the SDK can write, integers of structured content with all their digits. */
function writable({ structuredContent, ...result }: JsonObject): JsonObject {
  if (structuredContent === undefined) return result;
  return { ...result, structuredContent: withEveryDigit(structuredContent) };
}

function errorResult(text: string): JsonObject {
  return { content: [{ type: 'text', text }], isError: true };
}
