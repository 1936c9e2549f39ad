import { z } from 'zod';
import { fieldsOf, itemsOf, TOOL_DEFAULTS } from '@data-designer/core';

const { timeoutSec, maxTotalTimeoutSec, maxToolCallTurns, maxResultChars } = TOOL_DEFAULTS;

/** The fields of a tool config. */
const fields = z.strictObject({
  toolAlias: z.string().describe('The name that columns use.'),
  providers: z.array(z.string()).describe('Names of the MCP providers whose tools are offered.'),
  allowTools: z
    .array(z.string())
    .refine((names) => new Set(names).size === names.length, {
      error: ({ input }) =>
        `the tool '${String(itemsOf(input).find((name, at, all) => all.indexOf(name) < at))}' is listed twice; remove one of them`,
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
  resetTimeoutOnProgress: z
    .boolean()
    .exactOptional()
    .describe('Whether each progress report of the MCP server restarts `timeout_sec` of the call; default false.'),
  maxTotalTimeoutSec: z
    .number()
    .positive()
    .exactOptional()
    .describe(
      `Time limit of a tool call whose progress is reported, in seconds; default ${maxTotalTimeoutSec}. It needs \`reset_timeout_on_progress: true\`.`,
    ),
  maxResultChars: z
    .int()
    .min(1)
    .exactOptional()
    .describe(`Maximum number of characters of a tool result that the model receives; default ${maxResultChars}.`),
  structured: z
    .enum(['prefer', 'append'])
    .exactOptional()
    .describe(
      'What the model receives if a result has text and structured content: `prefer` for the structured content, `append` for both; default: the text. If the text is blank, the model always receives the structured content.',
    ),
  onToolFailure: z
    .enum(['continue', 'fail_cell', 'abort'])
    .exactOptional()
    .describe(
      'What happens when a tool fails or does not answer: `continue` (the default) gives the model the error, `fail_cell` fails the cell, `abort` ends the run. Mistakes of the model, such as wrong arguments, always go to the model.',
    ),
  singleMachine: z
    .boolean()
    .exactOptional()
    .describe(
      'Whether a run on a cluster calls the tools from one machine only; default false: each machine has its own sessions.',
    ),
});

/** A set of tools under the alias that columns use. */
export const toolConfig = fields
  .refine(({ maxTotalTimeoutSec: total, resetTimeoutOnProgress: resets }) => total === undefined || resets === true, {
    path: ['maxTotalTimeoutSec'],
    error: 'it limits calls whose progress is reported, and needs reset_timeout_on_progress: true',
  })
  .refine(({ maxTotalTimeoutSec: total = Infinity, timeoutSec: one }) => total >= (one ?? timeoutSec), {
    path: ['maxTotalTimeoutSec'],
    error: ({ input }) => `it must not be less than timeout_sec (${limitOf(input)})`,
  });

/** The time limit of one call in seconds, as declared or by default. */
function limitOf(input: unknown): number {
  const { timeoutSec: one } = fieldsOf(input);
  return typeof one === 'number' ? one : timeoutSec;
}

export type ToolConfig = z.output<typeof toolConfig>;
