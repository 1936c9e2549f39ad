import type { Fields } from '@data-designer/core';
import { z } from 'zod';
import { toolFields } from '../declared-tools.ts';
import { environmentName, toolPrefix } from '../environment-kind.ts';

/** A result for given arguments. */
const lookupEntry = z.strictObject({
  arguments: z
    .record(z.string(), z.unknown())
    .default({})
    .describe('The arguments of a call. The entry applies to calls with equal arguments.'),
  result: z.unknown().describe('The result of these calls: text or JSON.'),
});

/** A tool whose results a model or a table gives. */
export const simulatedTool = z.strictObject({
  ...toolFields,
  outputSchema: z
    .record(z.string(), z.unknown())
    .exactOptional()
    .describe('The JSON Schema of the results; any JSON by default.'),
  lookup: z
    .union([z.array(lookupEntry), z.string()])
    .exactOptional()
    .describe(
      'The results for given arguments: a list, or a template that gives a list. A tool with `lookup` asks no model and changes no state; a call with other arguments fails.',
    ),
});

/** A tool as it runs. */
export type SimulatedTool = z.output<typeof simulatedTool>;

/** The schema of a declaration. */
export const simulatedSchema = z
  .strictObject({
    name: environmentName,
    kind: z.literal('simulated').describe('Tools that a model simulates, with a JSON state for each row.'),
    toolPrefix,
    modelAlias: z
      .string()
      .min(1)
      .exactOptional()
      .describe('The alias of the model that simulates the tools; required unless each tool has a `lookup`.'),
    state: z
      .union([z.string(), z.record(z.string(), z.unknown()), z.array(z.unknown())])
      .default({})
      .describe('The state with which a row begins: an object or a list, or a template that gives one.'),
    instructions: z
      .string()
      .exactOptional()
      .describe('Instructions for the model about the environment; a template over the row.'),
    tools: z
      .union([z.array(simulatedTool), z.string()])
      .describe('The tools, or a template that gives a list of them, as in {{ tools }}.'),
  })
  .describe('Tools that a model plays.');

/** A parsed declaration. */
export type SimulatedConfig = z.output<typeof simulatedSchema>;

/** Whether a model is asked for the results of a tool. */
export function asksModel({ lookup }: Pick<SimulatedTool, 'lookup'>): boolean {
  return lookup === undefined;
}

/** Definitions that references of a schema lead to. */
const DEFINITIONS = ['$defs', 'definitions'];

/** The schema of a model's answer to a call of a tool. References lead to definitions at the root, so those move there. */
export function answerSchema({ outputSchema = {} }: Pick<SimulatedTool, 'outputSchema'>, isList: boolean): Fields {
  const own = Object.entries(outputSchema);
  const schema = Object.fromEntries(own.filter(([key]) => key !== '$schema' && !DEFINITIONS.includes(key)));
  const definitions = Object.fromEntries(own.filter(([key]) => DEFINITIONS.includes(key)));
  const isAny = Object.keys(schema).length === 0;
  return {
    ...(outputSchema['$schema'] !== undefined && { $schema: outputSchema['$schema'] }),
    ...definitions,
    type: 'object',
    properties: {
      result: isAny ? {} : { anyOf: [schema, { type: 'null' }] },
      error: { type: ['string', 'null'], description: 'Why the call fails; only if the result is null.' },
      state: {
        ...(isList ? { type: 'array' } : { type: 'object', additionalProperties: true }),
        description: 'The whole state after the call; left out if the call changes nothing.',
      },
    },
    required: ['result'],
  };
}
