import type { ToolSchema } from '@data-designer/core';
import { standardOf } from '@data-designer/json-schema';
import { parametersOf, type ToolContext, type ToolDefinition } from './define-tool.ts';
import { toolSchema } from './tool-listing.ts';
import type { JsonObject } from './tool-session.ts';

/** A function tool that is ready: what models are told of it, and how it is run. */
export interface LocalTool {
  readonly schema: ToolSchema;
  /** What the function gives; rejects with what it throws, or an `Error` for arguments that its schema refuses. */
  readonly run: (args: JsonObject, context: ToolContext) => Promise<unknown>;
}

/** Makes a tool ready; throws `tool/invalid` for one that could not be called. */
export function localTool(definition: ToolDefinition): LocalTool {
  const { name, description = '', parameters } = definition;
  // Plain data, which crosses threads whatever the schema was made by.
  const told = JSON.parse(JSON.stringify(parametersOf(definition))) as JsonObject;
  const schema = toolSchema({ name, description, parameters: told });
  const validate = standardOf(parameters)?.validate;
  return {
    schema,
    run: async (args, context) => {
      const taken = validate ? await takenBy(validate, args) : args;
      return definition.execute(taken as never, context);
    },
  };
}

type Validate = NonNullable<NonNullable<ReturnType<typeof standardOf>>['validate']>;

/** The arguments with the defaults and transforms of their schema. */
async function takenBy(validate: Validate, args: JsonObject): Promise<unknown> {
  const result = await validate(args);
  if (result.issues === undefined) return result.value;
  const [first] = result.issues;
  const place = (first?.path ?? []).map(stepOf).join('.');
  throw new Error(`its arguments do not fit: ${place ? `'${place}': ` : ''}${first?.message ?? 'they are refused'}`);
}

/** A step of an issue's path: a key, or an object that holds it. */
function stepOf(step: unknown): string {
  return String(typeof step === 'object' && step !== null && 'key' in step ? step.key : step);
}
