import type { Fields, UserFunction } from '@data-designer/core';
import { z } from 'zod';
import { environmentName, toolPrefix } from '../environment-kind.ts';

const userFunction = z.custom<UserFunction>((value) => typeof value === 'function', {
  error:
    'make the environment with defineEnvironment of the TypeScript API; a YAML or JSON file cannot name a function',
});

const codeTool = z.strictObject({
  name: z.string(),
  description: z.string(),
  parameters: z.record(z.string(), z.unknown()),
  execute: userFunction,
});

/** The schema of a declaration. */
export const codeSchema = z
  .strictObject({
    name: environmentName,
    kind: z
      .literal('code')
      .describe(
        'Functions of the TypeScript program, made with `defineEnvironment`. A YAML or JSON file cannot name one.',
      ),
    toolPrefix,
    requiredColumns: z.array(z.string()).describe('The columns that `open` and the tools read.'),
    open: userFunction.describe('Gives the state that a row begins with.'),
    tools: z.array(codeTool).describe('The tools.'),
    snapshot: userFunction
      .optional()
      .describe('Returns the part of the state that the dataset stores; default: the whole state.'),
  })
  .describe('An environment of functions.');

/** A parsed declaration; in a plan its functions are handles. */
export type CodeConfig = z.output<typeof codeSchema>;

/** What a call of a tool gives. */
export interface ToolStep {
  /** Text, or JSON. */
  readonly result: unknown;
  readonly state: unknown;
}

/** The row of an environment, as its functions see it. */
export interface EnvironmentRow<Row = Fields> {
  /** The values of the required columns. */
  readonly values: Row;
  /** The number of the row, from 0. */
  readonly index: number;
}

/** The last argument of the functions of an environment. */
export interface EnvironmentContext<Row = Fields> {
  /** The row of the world. */
  readonly row: EnvironmentRow<Row>;
  /** A number from 0 to 2^32 - 1 that is drawn for this call: the same in every run, in place of `Math.random`. */
  readonly seed: number;
  /** Aborted when the result is no longer needed. */
  readonly signal: AbortSignal;
}
