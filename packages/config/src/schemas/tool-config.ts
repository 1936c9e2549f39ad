import { z } from 'zod';
import { TOOL_DEFAULTS } from '@data-designer/core';

const { timeoutSec, maxToolCallTurns, maxResultChars } = TOOL_DEFAULTS;

/** A set of tools under the alias that columns use. */
export const toolConfig = z.strictObject({
  toolAlias: z.string().describe('The name that columns use.'),
  providers: z.array(z.string()).describe('Names of MCP providers, asked in this order.'),
  allowTools: z
    .array(z.string())
    .refine((names) => new Set(names).size === names.length, { error: 'a tool is named twice' })
    .nullable()
    .default(null)
    .describe('The tools that may be called; null for all.'),
  maxToolCallTurns: z
    .int()
    .min(1)
    .default(maxToolCallTurns)
    .describe('Answers that may ask for tools before the model must conclude.'),
  timeoutSec: z
    .number()
    .positive()
    .nullable()
    .default(null)
    .describe(`Seconds one tool call may take; null means ${timeoutSec}.`),
  maxResultChars: z
    .int()
    .min(1)
    .exactOptional()
    .describe(`Characters of one result that the model is shown; ${maxResultChars} unless given.`),
});

export type ToolConfig = z.output<typeof toolConfig>;
