import { type CellValue, isFields, isList, stringifyJson } from '@data-designer/core';
import { z } from 'zod';
import { type CallResult, type EnvironmentMistake, type EnvironmentTool, mistake } from './environment-kind.ts';
import { jsonIn } from './json-in.ts';

/** The fields of a tool that models are told of, in the schema of a kind. */
export const toolFields = {
  name: z.string().min(1).describe('The name that models call.'),
  description: z.string().default('').describe('The description for models.'),
  parameters: z
    .record(z.string(), z.unknown())
    .default({ type: 'object', properties: {} })
    .describe('The JSON Schema of the arguments, of type object.'),
};

/** A tool as models are told of it. */
export function toolOf({ name, description, parameters }: EnvironmentTool): EnvironmentTool {
  return { name, description, parameters: { ...parameters, type: 'object' } };
}

/** The result of a call of a tool that is not there. */
export const NO_SUCH_TOOL: CallResult = { text: 'there is no tool of this name', failed: true };

/** The mistakes of a declared tool that concern no kind: arguments of another type than object, and a name that is taken. */
export function toolMistakes(tools: readonly EnvironmentTool[], index: number): readonly EnvironmentMistake[] {
  const { name = '', parameters: { type = 'object' } = {} } = tools[index] ?? {};
  const isFirst = tools.findIndex((tool) => tool.name === name) === index;
  return [
    ...(type === 'object'
      ? []
      : [mistake(['tools', index, 'parameters', 'type'], `its type is ${stringifyJson(type)}.`, 'Write object.')]),
    ...(isFirst ? [] : [mistake(['tools', index, 'name'], `there are two tools named '${name}'.`, 'Rename one.')]),
  ];
}

/** The fields of a tool of a row that are schemas, and their names in declarations. */
type SchemaFields = Readonly<Record<string, string>>;

/**
 * Reads the tools that a row brings: a value or JSON text, also in place of the schemas in it, with null for members that are
 * absent. Throws an `Error` with the reason where they cannot be used.
 */
export function toolsOfRow<Tool extends EnvironmentTool>(
  schema: z.ZodType<Tool>,
  given: CellValue,
  schemas: SchemaFields = {},
): readonly Tool[] {
  const list = jsonIn(given, 'tools');
  const fields = { parameters: 'parameters', ...schemas };
  const { data: tools, error } = z
    .array(schema)
    .safeParse(isList(list) ? list.map((one) => toolIn(one, fields)) : list);
  if (!tools) {
    const [issue] = error?.issues ?? [];
    throw new Error(
      `its tools cannot be read: ${['tools', ...(issue?.path ?? [])].join('.')}: ${issue?.message ?? ''}`,
    );
  }
  const names = tools.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`it has two tools named '${twice}'`);
  return tools;
}

function toolIn(tool: CellValue, schemas: SchemaFields): unknown {
  if (!isFields(tool)) return tool;
  const members = Object.entries<CellValue>(tool).map(([key, value]): [string, unknown] =>
    Object.hasOwn(schemas, key) ? [schemas[key] ?? key, plain(jsonIn(value, `${key} of a tool`))] : [key, value],
  );
  return Object.fromEntries(members.filter(([, value]) => value !== null));
}

/** A schema holds plain numbers only. */
function plain(value: CellValue): unknown {
  return JSON.parse(stringifyJson(value));
}
