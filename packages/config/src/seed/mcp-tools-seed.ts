import { resolve } from 'node:path';
import { field, type TypeFunction, valueType } from '@data-designer/core';
import { z } from 'zod';
import { statOf } from './local-seed.ts';
import { defineSeedKind } from './seed-kind.ts';

/** A tool of an MCP server. */
interface McpToolRow {
  provider: string;
  name: string;
  description: string;
  /** The JSON Schema of its arguments, as JSON text. */
  parameters: string;
}

/** An MCP provider with all its tools. */
interface McpProviderRow {
  provider: string;
  tools: Omit<McpToolRow, 'provider'>[];
}

/** A row of tools, by the `rowOf` of its source. */
export interface McpRow extends TypeFunction {
  readonly type: this['config'] extends { readonly rowOf: 'provider' } ? McpProviderRow : McpToolRow;
}

const PROVIDER = field('provider', 'utf8');
const TOOL = (['name', 'description', 'parameters'] as const).map((name) => field(name, 'utf8'));

/** The columns of rows of tools, by what a row is. */
export const MCP_TOOL_FIELDS = {
  tool: [PROVIDER, ...TOOL],
  provider: [PROVIDER, field('tools', { list: { struct: TOOL } })],
} as const;

/** Rows of a file with the tool lists of MCP providers: one for each tool, or one for each provider. */
export const mcpToolsSeed = defineSeedKind({
  schema: z.object({
    seedType: z
      .literal('mcp-tools')
      .describe(
        'One row for each tool of MCP providers, with its provider, name, description and parameters, or one for each provider.',
      ),
    path: z
      .string()
      .describe(
        'The JSON file with the tools, as `data-designer mcp list-tools --output` writes it: `{"providers": [{"provider": NAME, "tools": [{"name", "description", "inputSchema"}]}]}`. If `providers` names only one provider, the file may also be the answer of its server to `tools/list`: `{"tools": […]}`.',
      ),
    providers: z
      .array(z.string())
      .min(1)
      .nullable()
      .default(null)
      .describe('The names of the providers whose tools make rows; null for all providers of the file.'),
    rowOf: z
      .enum(['tool', 'provider'])
      .default('tool')
      .describe(
        'The content of a row: a tool, or a provider with the list `tools` of all its tools. In the second case, a row can choose some of these tools.',
      ),
  }),
  row: valueType<McpRow>(),
  readsFiles: true,
  columns: ({ rowOf }) => MCP_TOOL_FIELDS[rowOf].map(({ name }) => name),
  check: ({ path }, { folder }) => {
    const file = resolve(folder, path);
    const stats = statOf(file);
    if (stats?.isFile()) return [];
    const message = stats ? `${file} is not a regular file.` : `the file ${file} does not exist.`;
    const remedy = 'Correct the path; a relative path starts from the working folder, and ~ is not expanded.';
    return [{ stage: 'load', level: 'ERROR', field: ['source', 'path'], type: 'seed_path_missing', message, remedy }];
  },
});
