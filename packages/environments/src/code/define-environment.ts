import {
  DataDesignerError,
  type Fields,
  functionOfModule,
  importMember,
  moduleAddress,
  unknownMember,
  type UserFunction,
} from '@data-designer/core';
import { type ArgumentsOf, parameterSchema, takenArguments, type ToolParameters } from '@data-designer/json-schema';
import type { CodeConfig, EnvironmentContext, EnvironmentRow, ToolStep } from './code-config.ts';

/** A tool of an environment in code. */
export interface EnvironmentToolDefinition<Parameters, State, Row> {
  /** The description for models. */
  readonly description?: string;
  /** The schema of the arguments: an object schema of zod or another library, or a JSON Schema of an object. */
  readonly parameters: Parameters;
  /**
   * Runs the tool: it may change the state in place, and returns text or JSON for the model. If it throws, the model
   * receives the error and the state stays as it was.
   */
  execute(args: ArgumentsOf<Parameters>, state: State, context: EnvironmentContext<Row>): unknown;
}

/** The options of `defineEnvironment`. */
export interface EnvironmentDefinition<Name extends string, State, Row, Tools extends Record<string, ToolParameters>> {
  /** The name that tool configs list among their providers. */
  readonly name: Name;
  /** The prefix of the tool names that models see, for two providers with a tool of one name. */
  readonly toolPrefix?: string;
  /** The columns that its functions read; none by default. */
  readonly requiredColumns?: readonly (keyof Row & string)[];
  /** Returns the state that a row begins with: plain data, which every tool call copies. */
  open(row: EnvironmentRow<Row>, context: EnvironmentContext<Row>): State | Promise<State>;
  /** The tools by name: up to 64 letters, digits, `_` or `-`. */
  readonly tools: { readonly [Tool in keyof Tools]: EnvironmentToolDefinition<Tools[Tool], State, Row> };
  /** Returns the part of the state that the dataset shows; all of it by default. */
  snapshot?(state: State): unknown;
}

/** An environment in code, for `addEnvironment` or a declaration. */
export type CodeEnvironment<Name extends string = string> = Omit<CodeConfig, 'name'> & { readonly name: Name };

const MEMBERS = [
  'name',
  'toolPrefix',
  'requiredColumns',
  'open',
  'tools',
  'snapshot',
] as const satisfies readonly (keyof EnvironmentDefinition<string, unknown, Fields, Record<string, ToolParameters>>)[];
const TOOL_MEMBERS = ['description', 'parameters', 'execute'] as const;

/**
 * Declares an environment whose tools are functions over a state that belongs to one row. Throws `environment/invalid` for
 * one that cannot be used.
 */
export function defineEnvironment<
  const Name extends string,
  State,
  Tools extends Record<string, ToolParameters>,
  Row = Fields,
>(definition: EnvironmentDefinition<Name, State, Row, Tools>): CodeEnvironment<Name> {
  const { name, toolPrefix, requiredColumns = [], tools } = definition;
  const refuse = (reason: string) => new DataDesignerError('environment/invalid', { environment: name, reason });
  const unknown = unknownMember(Object.keys(definition), MEMBERS);
  if (unknown !== undefined) throw refuse(`it has an ${unknown}`);
  if (typeof name !== 'string' || name === '') throw refuse('it has no name');
  if (typeof definition.open !== 'function') throw refuse("its 'open' is not a function");
  const hasSnapshot = definition.snapshot !== undefined;
  if (hasSnapshot && typeof definition.snapshot !== 'function') throw refuse("its 'snapshot' is not a function");
  const listed = Object.entries(tools as Record<string, EnvironmentToolDefinition<ToolParameters, State, Row>>);
  return Object.freeze({
    name,
    kind: 'code',
    ...(toolPrefix !== undefined && { toolPrefix }),
    requiredColumns: [...requiredColumns],
    open: (row: EnvironmentRow<Row>, context: EnvironmentContext<Row>) => definition.open(row, context),
    tools: listed.map(([tool, one]) => toolConfigOf(tool, one, refuse)),
    ...(hasSnapshot && { snapshot: (state: State) => definition.snapshot?.(state) }),
  }) as unknown as CodeEnvironment<Name>;
}

function toolConfigOf<State, Row>(
  name: string,
  tool: EnvironmentToolDefinition<ToolParameters, State, Row>,
  refuse: (reason: string) => DataDesignerError,
): object {
  const refuseTool = (reason: string) => refuse(`the tool '${name}': ${reason}`);
  const unknown = unknownMember(Object.keys(tool), TOOL_MEMBERS);
  if (unknown !== undefined) throw refuseTool(`it has an ${unknown}`);
  if (typeof tool.execute !== 'function') throw refuseTool("its 'execute' is not a function");
  const { description = '', parameters } = tool;
  if (typeof description !== 'string') throw refuseTool('its description is not text');
  return {
    name,
    description,
    // Plain data crosses threads, whatever library made the schema.
    parameters: JSON.parse(JSON.stringify(parameterSchema(parameters, refuseTool))) as Fields,
    execute: async (args: Fields, state: State, context: EnvironmentContext<Row>): Promise<ToolStep> => {
      const taken = (await takenArguments(parameters, args)) as never;
      const result = await tool.execute(taken, state, context);
      return { result: result ?? null, state };
    },
  };
}

/**
 * An environment that a module exports, made with `defineEnvironment`: its functions run in the worker threads, which they
 * may block. The module is named by its path, from the working folder unless absolute, or its address.
 */
export async function environmentOfModule(module: string | URL, name = 'default'): Promise<CodeEnvironment> {
  const address = moduleAddress(module);
  const found = (await importMember(address, name)) as CodeEnvironment | undefined;
  if (found?.kind !== 'code' || typeof found.open !== 'function') {
    const reason = `its module ${address} exports no environment '${name}'; make it with defineEnvironment`;
    throw new DataDesignerError('environment/invalid', { environment: name, reason });
  }
  const placed = (path: string): UserFunction => functionOfModule(address, `${name}.${path}`) as UserFunction;
  return Object.freeze({
    ...found,
    open: placed('open'),
    tools: found.tools.map((tool, at) => ({ ...tool, execute: placed(`tools.${at}.execute`) })),
    ...(found.snapshot && { snapshot: placed('snapshot') }),
  });
}
