import { type CellValue, DataDesignerError, DEEPEST_CALL, isDeeperThanCalls, parseJson } from '@data-designer/core';
import { type AcceptArguments, isSchema, jsonSchemaOf, standardOf } from '@data-designer/json-schema';
import { argumentCheck } from './check-arguments.ts';
import { withEveryDigit } from './exact-numbers.ts';
import type { ToolContext, ToolDefinition, ToolHints } from './define-tool.ts';
import { mcpResultOf } from './local-result.ts';
import { type LocalTool, localTool } from './local-tool.ts';
import { reasonOf } from './reason-of.ts';
import { isObject } from './tool-result.ts';
import type { JsonObject } from './tool-session.ts';

/** The schema of an object, as MCP has those of arguments and of structured results. */
type ObjectSchema = JsonObject & { readonly type: 'object' };

/** A tool as `tools/list` tells of it. */
export interface ToolListing {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema?: ObjectSchema;
  readonly annotations?: Omit<ToolHints, 'outputSchema'>;
}

interface Ready {
  readonly tool: LocalTool;
  readonly listing: ToolListing;
  readonly acceptArguments: AcceptArguments | undefined;
  /** Undefined where no output schema is declared. */
  readonly acceptResult: AcceptArguments | undefined;
}

/** Tools that are ready to be served, made so once for all sessions. */
export class Toolset {
  readonly #ready = new Map<string, Ready>();

  /** Throws `tool/invalid` for a tool that could not be called, and for two of one name. */
  constructor(tools: readonly ToolDefinition[]) {
    for (const tool of tools) {
      const made = ready(tool);
      const { name } = made.listing;
      if (this.#ready.has(name)) throw new DataDesignerError('tool/invalid', { tool: name, reason: 'there are two' });
      this.#ready.set(name, made);
    }
  }

  get listings(): readonly ToolListing[] {
    return [...this.#ready.values()].map(({ listing }) => listing);
  }

  has(name: string): boolean {
    return this.#ready.has(name);
  }

  /** Runs a tool that is there; whatever goes wrong is a result that is marked as an error. */
  async call(name: string, args: JsonObject, context: ToolContext): Promise<JsonObject> {
    const { tool, acceptArguments, acceptResult, listing } = this.#ready.get(name) as Ready;
    if (isDeeperThanCalls(args))
      return errorResult(`the arguments are nested too deeply: ${DEEPEST_CALL} levels at most are read`);
    try {
      const accepted = acceptArguments?.(args as CellValue) ?? { value: args };
      if ('mistake' in accepted) return errorResult(`the arguments do not fit: ${accepted.mistake}`);
      const result = resultOf(await tool.run(accepted.value as JsonObject, context));
      const kept = listing.outputSchema && result.isError !== true ? promised(result, acceptResult) : result;
      return writable(kept);
    } catch (thrown) {
      return errorResult(reasonOf(thrown));
    }
  }
}

function ready(tool: ToolDefinition): Ready {
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
  throw new DataDesignerError('tool/invalid', { tool, reason: 'its output schema is not one of an object' });
}

/** What a tool gave as MCP has it; an object is structured content too. */
function resultOf(value: unknown): JsonObject {
  const result = mcpResultOf(value);
  if (result === value || !isObject(value) || !isPlain(value)) return result;
  const [{ text }] = result.content as readonly [{ readonly text: string }];
  return { ...result, structuredContent: parseJson(text) };
}

/** Whether an object is a mapping as JSON has them. */
function isPlain(value: JsonObject): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** A result held against the schema that clients were told of, and will hold it against themselves. */
function promised(result: JsonObject, accept: AcceptArguments | undefined): JsonObject {
  const { structuredContent } = result;
  if (structuredContent === undefined) return errorResult('its result is no object, which its output schema promises');
  const accepted = accept?.(structuredContent as CellValue) ?? { value: structuredContent };
  if ('mistake' in accepted) return errorResult(`its result does not fit its output schema: ${accepted.mistake}`);
  return { ...result, structuredContent: accepted.value };
}

/** A result that the SDK can write, integers of structured content with all their digits. */
function writable({ structuredContent, ...result }: JsonObject): JsonObject {
  if (structuredContent === undefined) return result;
  return { ...result, structuredContent: withEveryDigit(structuredContent as CellValue) };
}

function errorResult(text: string): JsonObject {
  return { content: [{ type: 'text', text }], isError: true };
}
