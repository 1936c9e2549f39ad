import { DataDesignerError, nearest } from '@data-designer/core';
import { type ArgumentsOf, parameterSchema, type ToolParameters } from '@data-designer/json-schema';
import type { JsonObject, ToolRow } from './tool-session.ts';

/** The second argument of a tool's function. */
export interface ToolContext {
  /** Aborted when the time limit of the call is reached or its result is no longer needed. */
  readonly signal: AbortSignal;
  /**
   * The row that makes the call: its `index` from 0, and the `values` of the columns that the calling cell reads; absent
   * where a client calls a served tool.
   */
  readonly row?: ToolRow;
  /** Reports a message as the event `tool-log`; the model does not see it. */
  readonly log: (message: string) => void;
  /** Reports the progress of a long call, out of `total` if that is known. */
  readonly progress: (done: number, total?: number | null) => void;
  /** Reads a resource of the tool's own provider; rejects if the provider has none. */
  readonly readResource: (uri: string) => Promise<unknown>;
}

/** Hints for clients of a tool server; a client may ask its user because of them. */
export interface ToolHints {
  /** The name to show to people. */
  readonly title?: string | undefined;
  /** It changes nothing. */
  readonly readOnlyHint?: boolean | undefined;
  /** It may destroy something, not only add to it. */
  readonly destructiveHint?: boolean | undefined;
  /** Calling it again with the same arguments changes nothing more. */
  readonly idempotentHint?: boolean | undefined;
  /** It reaches beyond this program and its files. */
  readonly openWorldHint?: boolean | undefined;
  /** The schema of its result: an object schema of zod or another library, or a JSON Schema of an object. */
  readonly outputSchema?: ToolParameters | undefined;
}

/** A tool: its name, the schema of its arguments, and its function. */
export interface ToolDefinition<Parameters extends ToolParameters = ToolParameters, Arguments = never> {
  /** The name that models call: up to 64 letters, digits, `_` or `-`. */
  readonly name: string;
  /** The description for models. */
  readonly description?: string | undefined;
  /** The schema of the arguments: an object schema of zod or another library, or a JSON Schema. If arguments do not match it, the model receives an error. */
  readonly parameters: Parameters;
  /** Hints for clients if the tool is served; a run does not use them. */
  readonly hints?: ToolHints | undefined;
  /**
   * Runs the tool. It returns text, bytes, an image (made with `image`), any JSON value, or an array of these, or a promise
   * of one. The model receives an error that it throws. Integers beyond 2^53 are passed as `bigint`.
   */
  execute(args: Arguments, context: ToolContext): unknown;
}

/**
 * Declares a tool, with the type of its arguments from their schema. Throws `tool/invalid` for one that could not be
 * called.
 */
export function defineTool<const Parameters extends ToolParameters>(
  tool: ToolDefinition<Parameters, ArgumentsOf<Parameters>>,
): ToolDefinition {
  refuseMisspelt(tool);
  parametersOf(tool);
  return Object.freeze({
    name: tool.name,
    description: tool.description,
    parameters: tool.parameters,
    hints: tool.hints,
    // A method of an object keeps its object.
    execute: (args: never, context: ToolContext) => tool.execute(args, context),
  });
}

const MEMBERS = ['name', 'description', 'parameters', 'hints', 'execute'] as const satisfies (keyof ToolDefinition)[];

/** A tool may have data of its own, but not under a name close to that of a member that it lacks. */
function refuseMisspelt(tool: ToolDefinition): void {
  const lacking = MEMBERS.filter((member) => tool[member] === undefined);
  for (const key of Object.keys(tool)) {
    const meant = MEMBERS.some((member) => member === key) ? undefined : nearest(key, lacking);
    if (meant === undefined) continue;
    const reason = `it has no option '${key}'; did you mean '${meant}'?`;
    throw new DataDesignerError('tool/invalid', { tool: tool.name, reason });
  }
}

/** The JSON Schema of a tool's arguments, of type object; throws `tool/invalid` for a tool that cannot be called. */
export function parametersOf(tool: ToolDefinition): JsonObject {
  const { name, description = '', parameters }: Partial<Record<keyof ToolDefinition, unknown>> = tool;
  const refuse = (reason: string) => new DataDesignerError('tool/invalid', { tool: String(name), reason });
  if (typeof name !== 'string' || name === '') throw refuse('it has no name');
  if (typeof description !== 'string') throw refuse('its description is not text');
  if (typeof tool.execute !== 'function') throw refuse("its 'execute' is not a function");
  return parameterSchema(parameters, refuse);
}
