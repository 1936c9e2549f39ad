import { fieldsOf, type ToolSchema } from '@data-designer/core';
import { takenArguments } from '@data-designer/json-schema';
import { parametersOf, type ToolContext, type ToolDefinition } from './define-tool.ts';
import { toolSchema } from './tool-listing.ts';
import type { JsonObject } from './tool-session.ts';

/** A function tool that is ready to be described and called. */
export interface LocalTool {
  readonly schema: ToolSchema;
  /** Runs the function; rejects with its error, or an `Error` for arguments that its schema refuses. */
  readonly run: (args: JsonObject, context: ToolContext) => Promise<unknown>;
}

/** Prepares a tool; throws `tool/invalid` for one that cannot be called. */
export function localTool(definition: ToolDefinition): LocalTool {
  const { name, description = '', parameters } = definition;
  // Plain data crosses threads, whatever library made the schema.
  const told = fieldsOf(JSON.parse(JSON.stringify(parametersOf(definition))));
  const schema = toolSchema({ name, description, parameters: told });
  return {
    schema,
    run: async (args, context) => definition.execute((await takenArguments(parameters, args)) as never, context),
  };
}
