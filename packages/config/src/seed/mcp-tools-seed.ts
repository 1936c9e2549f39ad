import { resolve } from 'node:path';
import { field, valueType } from '@data-designer/core';
import { z } from 'zod';
import { statOf } from './local-seed.ts';
import { defineSeedKind } from './seed-kind.ts';

/** A tool of an MCP server. */
export interface McpToolRow {
  provider: string;
  name: string;
  description: string;
  /** The JSON Schema of its arguments, as JSON text. */
  parameters: string;
}

/** The columns of rows of tools. */
export const MCP_TOOL_FIELDS = (['provider', 'name', 'description', 'parameters'] as const).map((name) =>
  field(name, 'utf8'),
);

const NAMES = MCP_TOOL_FIELDS.map(({ name }) => name);

/** One row for each tool of a file with the tool lists of MCP providers. */
export const mcpToolsSeed = defineSeedKind({
  schema: z.object({
    seedType: z
      .literal('mcp-tools')
      .describe('One row for each tool of MCP providers, with its provider, name, description and parameters.'),
    path: z
      .string()
      .describe(
        'The JSON file with the tools, as `data-designer mcp list-tools --output` writes it: `{"providers": [{"provider": NAME, "tools": [{"name", "description", "inputSchema"}]}]}`. If `providers` names one provider, also the answer of its server to `tools/list`: `{"tools": […]}`.',
      ),
    providers: z
      .array(z.string())
      .min(1)
      .nullable()
      .default(null)
      .describe('The names of the providers whose tools make rows; null for all of the file.'),
  }),
  row: valueType<McpToolRow>(),
  readsFiles: true,
  columns: () => NAMES,
  check: ({ path }, { folder }) => {
    const file = resolve(folder, path);
    const stats = statOf(file);
    if (stats?.isFile()) return [];
    const message = stats ? `${file} is not a regular file.` : `the file ${file} does not exist.`;
    const remedy = 'Correct the path; a relative path starts from the working folder, and ~ is not expanded.';
    return [{ stage: 'load', level: 'ERROR', field: ['source', 'path'], type: 'seed_path_missing', message, remedy }];
  },
});
