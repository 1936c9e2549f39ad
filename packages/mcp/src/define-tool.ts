import type { JsonObject } from './tool-session.ts';

/** What a tool may use besides its arguments; the signal is aborted when the caller cancels or goes away. */
export interface ToolContext {
  readonly signal: AbortSignal;
}

/** A tool as its author writes it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema of type object; arguments that do not fit it are answered with an error. */
  readonly parameters: JsonObject;
  /**
   * Text is answered as it is, an object with a `content` list as an MCP result, anything else as JSON.
   * What it throws goes to the model as an error.
   */
  readonly execute: (args: JsonObject, context: ToolContext) => unknown;
}

/** Declares a tool for `serveTools`. */
export function defineTool(tool: ToolDefinition): ToolDefinition {
  return Object.freeze({ ...tool });
}
