import { z } from 'zod';
import { environmentName, toolPrefix } from '../environment-kind.ts';

/** The rows that may have a server at a time, unless the declaration says so. */
const MOST_ROWS = 16;

/** The schema of a declaration. */
export const mcpSchema = z
  .strictObject({
    name: environmentName,
    kind: z.literal('mcp').describe('An MCP server that is started for each row.'),
    toolPrefix: toolPrefix.describe(
      'Prefix of the tool names that models see, in place of the prefix of the provider. Set it if two providers have a tool of the same name.',
    ),
    provider: z
      .string()
      .min(1)
      .describe(
        'The MCP provider whose server is started, of type stdio. `{{ row_dir }}` in its args and env stands for the folder of the row.',
      ),
    files: z
      .union([z.record(z.string(), z.string()), z.string()])
      .exactOptional()
      .describe(
        'The first files of the folder of the row: texts by path, or a template that gives them, as in {{ files }}. Paths and texts are templates over the row.',
      ),
    snapshot: z
      .union([
        z.literal('files'),
        z.strictObject({ tool: z.string().min(1), arguments: z.record(z.string(), z.unknown()).default({}) }),
      ])
      .default('files')
      .describe(
        'The state that the dataset stores: the files in the folder of the row, or the result of a tool, as in { tool: read_graph }.',
      ),
    maxRows: z
      .int()
      .min(1)
      .max(1024)
      .default(MOST_ROWS)
      .describe(`Rows that may have a server at a time; default ${MOST_ROWS}.`),
  })
  .describe('An MCP server of the row.');

/** A parsed declaration. */
export type McpConfig = z.output<typeof mcpSchema>;
