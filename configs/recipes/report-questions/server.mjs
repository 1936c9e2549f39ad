// An MCP server for long reports: each is a text file of this folder, with a form feed after every page.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineTool, serveTools } from 'data-designer';

const folder = import.meta.dirname;

/** @type {ReadonlyMap<string, readonly string[]>} */
const reports = new Map(
  readdirSync(folder)
    .filter((file) => file.endsWith('.txt'))
    .map((file) => [file, readFileSync(join(folder, file), 'utf8').trimEnd().split('\f')]),
);

/** The pages of a report; throws for an unknown one, and the model receives the message. */
function pagesOf(report) {
  const pages = reports.get(String(report));
  if (pages === undefined)
    throw new Error(`There is no report '${report}'. Reports: ${[...reports.keys()].join(', ')}.`);
  return pages;
}

const report = { type: 'string', enum: [...reports.keys()], description: 'The file name of the report.' };

const listPages = defineTool({
  name: 'list_pages',
  description: 'Lists the pages of a report, each with its first line.',
  parameters: { type: 'object', properties: { report }, required: ['report'] },
  execute: (given) =>
    pagesOf(given.report)
      .map((page, index) => `${index + 1}: ${page.trim().split('\n')[0]}`)
      .join('\n'),
});

const readPage = defineTool({
  name: 'read_page',
  description: 'Returns the text of one page of a report.',
  parameters: {
    type: 'object',
    properties: { report, page: { type: 'integer', minimum: 1, maximum: 3, description: 'The number of the page.' } },
    required: ['report', 'page'],
  },
  execute: (given) => {
    const pages = pagesOf(given.report);
    return pages[Number(given.page) - 1] ?? `The report has ${pages.length} pages.`;
  },
});

await serveTools([listPages, readPage], { name: 'reports', version: '1.0.0', transport: 'stdio' });
