import { messageOf } from '@data-designer/core';
import { isSchema } from './json-schema.ts';
import { jsonSchemaOf, standardOf } from './standard-schema.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** A zod schema, by the part that names its output, so that two installed copies of zod have one type. */
type AnyZodSchema = {
  readonly _zod: { readonly output: unknown };
};

/** A schema of any library that follows the Standard Schema and gives JSON Schemas. */
type AnyStandardSchema = {
  readonly '~standard': { readonly types?: { readonly output: unknown } | undefined; readonly jsonSchema: unknown };
};

/** The schema of a tool's arguments: an object schema of zod or another library, or a JSON Schema of an object. */
export type ToolParameters = AnyZodSchema | AnyStandardSchema | JsonObject;

/** The arguments as a tool gets them: after the defaults and transforms of its schema. */
export type ArgumentsOf<Parameters> = Parameters extends AnyZodSchema
  ? Parameters['_zod']['output']
  : Parameters extends AnyStandardSchema
    ? NonNullable<Parameters['~standard']['types']>['output']
    : JsonObject;

/** The JSON Schema of a tool's arguments, of type object; throws what `refuse` makes of the reason. */
export function parameterSchema(parameters: unknown, refuse: (reason: string) => Error): JsonObject {
  const schema = schemaOf(parameters, refuse);
  const { type = 'object' } = schema;
  if (type !== 'object') throw refuse(`its parameters are of the type ${JSON.stringify(type)}, not an object`);
  return { ...schema, type };
}

function schemaOf(parameters: unknown, refuse: (reason: string) => Error): JsonObject {
  const standard = standardOf(parameters);
  if (standard === undefined) {
    if (isSchema(parameters)) return parameters;
    throw refuse('its parameters are not a schema');
  }
  try {
    return jsonSchemaOf(standard, 'input');
  } catch (thrown) {
    throw refuse(`its parameters cannot be converted to a JSON Schema: ${messageOf(thrown)}`);
  }
}

/** Arguments with the defaults and transforms of their schema; rejects with an `Error` where it refuses them. */
export async function takenArguments(parameters: unknown, args: JsonObject): Promise<unknown> {
  const validate = standardOf(parameters)?.validate;
  if (!validate) return args;
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
