// An MCP server that lists and reads the files of a folder. Its tools have the names of those of the official file server.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { defineTool, serveTools } from 'data-designer';

const folder = join(import.meta.dirname, 'files');
const names = readdirSync(folder);

const listDirectory = defineTool({
  name: 'list_directory',
  description: 'Lists the files of a folder.',
  parameters: {
    type: 'object',
    properties: { path: { type: 'string', enum: ['.'] } },
    required: ['path'],
  },
  execute: () => names.map((name) => `[FILE] ${name}`).join('\n'),
});

const readTextFile = defineTool({
  name: 'read_text_file',
  description: 'Returns the text of a file.',
  parameters: {
    type: 'object',
    properties: { path: { type: 'string', enum: names } },
    required: ['path'],
  },
  execute: ({ path }) => readFileSync(join(folder, basename(String(path))), 'utf8'),
});

await serveTools([listDirectory, readTextFile], { name: 'files', version: '1.0.0', transport: 'stdio' });
