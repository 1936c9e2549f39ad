// An MCP server with a small library: the model searches the documents of a folder, and reads those that it chooses.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { defineTool, serveTools } from 'data-designer';

const folder = join(import.meta.dirname, 'documents');

/** @type {ReadonlyMap<string, string>} */
const documents = new Map(
  readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .map((file) => [basename(file, '.md'), readFileSync(join(folder, file), 'utf8')]),
);

/** How many of the words a text contains. */
const hits = (text, words) => words.filter((word) => text.toLowerCase().includes(word)).length;

const searchDocuments = defineTool({
  name: 'search_documents',
  description: 'Finds documents of the library by words. Returns up to three names, each with its first matching line.',
  parameters: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'One or more words. Words: ferry, lighthouse, tide, ticket.' },
    },
    required: ['query'],
  },
  execute: ({ query }) => {
    const words =
      String(query)
        .toLowerCase()
        .match(/[\p{L}\p{N}]{3,}/gu) ?? [];
    const found = [...documents]
      .map(([name, text]) => ({ name, text, score: hits(text, words) }))
      .filter(({ score }) => score > 0)
      .toSorted((a, b) => b.score - a.score);
    const lines = found.slice(0, 3).map(({ name, text }) => {
      const line = text.split('\n').find((one) => hits(one, words) > 0);
      return `${name}: ${line}`;
    });
    return lines.length > 0 ? lines.join('\n') : `Nothing found. Documents: ${[...documents.keys()].join(', ')}.`;
  },
});

const readDocument = defineTool({
  name: 'read_document',
  description: 'Returns the whole text of a document.',
  parameters: {
    type: 'object',
    properties: { name: { type: 'string', enum: [...documents.keys()] } },
    required: ['name'],
  },
  execute: ({ name }) => documents.get(String(name)) ?? `There is no document '${String(name)}'.`,
});

await serveTools([searchDocuments, readDocument], { name: 'library', version: '1.0.0', transport: 'stdio' });
