import { fieldsOf, type ToolSchema } from '@data-designer/core';
import { standardOf } from '@data-designer/json-schema';
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
