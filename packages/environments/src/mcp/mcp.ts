import { isTemplate } from '@data-designer/template';
import { type EnvironmentKind, type RowTemplate } from '../environment-kind.ts';
import { type McpConfig, mcpSchema } from './mcp-config.ts';

/** An MCP server that belongs to one row. */
export const mcp: EnvironmentKind<McpConfig, typeof mcpSchema> = {
  kind: 'mcp',
  schema: mcpSchema,
  templates: templatesOf,
  reads: () => [],
  provider: ({ provider }) => provider,
  mostRows: ({ maxRows }) => maxRows,
  tools: () => undefined,
  check: async (config) => {
    const { checkFiles } = await import('./row-files.ts');
    return checkFiles(config);
  },
  open: async (config, options) => {
    const { openServer } = await import('./open-server.ts');
    return openServer(config, options);
  },
};

function templatesOf({ files = {} }: McpConfig): readonly RowTemplate[] {
  if (typeof files === 'string') return [{ source: files, field: ['files'], as: 'value' }];
  const templates = Object.entries(files).flatMap(([path, text]): RowTemplate[] => [
    { source: path, field: ['files', path, 'path'], as: 'text' },
    { source: text, field: ['files', path], as: 'text' },
  ]);
  // A text that is the same in every row is written as it is: it may be empty.
  return templates.filter(({ source }) => isTemplate(source));
}
