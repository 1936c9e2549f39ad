import { z } from 'zod';
import { itemsOf, TOOL_DEFAULTS } from '@data-designer/core';

const { timeoutSec, maxToolCallTurns, maxResultChars } = TOOL_DEFAULTS;

/** A set of tools under the alias that columns use. */
export const toolConfig = z.strictObject({
  toolAlias: z.string().describe('The name that columns use.'),
  providers: z.array(z.string()).describe('Names of the MCP providers whose tools are offered.'),
  allowTools: z
    .array(z.string())
    .refine((names) => new Set(names).size === names.length, {
      error: ({ input }) =>
        `the tool '${String(itemsOf(input).find((name, at, all) => all.indexOf(name) < at))}' is listed twice`,
    })
    .nullable()
    .default(null)
    .describe('Names of the tools to offer; null for all tools of the providers.'),
  maxToolCallTurns: z
    .int()
    .min(1)
    .default(maxToolCallTurns)
    .describe('Maximum number of turns with tool calls in one conversation. After them the model must answer.'),
  timeoutSec: z
    .number()
    .positive()
    .nullable()
    .default(null)
    .describe(`Time limit of a tool call, in seconds; null for ${timeoutSec}.`),
  maxResultChars: z
    .int()
    .min(1)
    .exactOptional()
    .describe(`Maximum number of characters of a tool result that the model receives; default ${maxResultChars}.`),
  singleMachine: z
    .boolean()
    .exactOptional()
    .describe(
      'Whether a run on a cluster calls the tools from one machine only; default false: each machine has its own sessions.',
    ),
});

export type ToolConfig = z.output<typeof toolConfig>;
