// An MCP server that reads and writes the files of one folder. Its tools have the names of those of the official file server.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { defineTool, serveTools } from 'data-designer';

const [, , folder = '.'] = process.argv;
// No path leads out of the folder.
const inside = (path) => join(folder, basename(String(path)));
const path = { type: 'string', description: 'The name of a file, such as todo.txt.' };

const listDirectory = defineTool({
  name: 'list_directory',
  description: 'Lists the files of the desk.',
  parameters: { type: 'object', properties: {} },
  execute: () =>
    readdirSync(folder)
      .map((name) => `[FILE] ${name}`)
      .join('\n'),
});

const readTextFile = defineTool({
  name: 'read_text_file',
  description: 'Returns the text of a file.',
  parameters: { type: 'object', properties: { path }, required: ['path'] },
  execute: ({ path: name }) => readFileSync(inside(name), 'utf8'),
});

const writeFile = defineTool({
  name: 'write_file',
  description: 'Writes a file, in place of one of that name.',
  parameters: { type: 'object', properties: { path, content: { type: 'string' } }, required: ['path', 'content'] },
  execute: ({ path: name, content }) => {
    writeFileSync(inside(name), String(content));
    return `Wrote ${basename(String(name))}.`;
  },
});

const deleteFile = defineTool({
  name: 'delete_file',
  description: 'Deletes a file.',
  parameters: { type: 'object', properties: { path }, required: ['path'] },
  execute: ({ path: name }) => {
    rmSync(inside(name));
    return `Deleted ${basename(String(name))}.`;
  },
});

const tools = [listDirectory, readTextFile, writeFile, deleteFile];
await serveTools(tools, { name: 'desk', version: '1.0.0', transport: 'stdio' });
