import { dirname } from 'node:path';
import { Command } from 'commander';
import type { DocsPage } from './display/docs-pages.ts';
import { printJson } from './display/print-results.ts';
import { withJson } from './entry-command.ts';
import { examples } from './flags/common-flags.ts';

interface DocsFlags {
  readonly json: boolean;
}

/** `data-designer docs PAGE`: prints a page of the guide or the reference, which the package contains. */
export function docsCommand(): Command {
  return withJson(new Command('docs'))
    .description('Print a page of the guide or the reference as Markdown, or list the pages. No network is needed.')
    .argument('[page]', 'Page to print, such as tools or reference/tools (default: list all pages)')
    .addHelpText('after', examples('docs', 'docs get-started', 'docs reference/errors', 'docs tools > tools.md'))
    .action(docs);
}

async function docs(name: string | undefined, { json }: DocsFlags, self: Command): Promise<void> {
  const { docsPages, docsFolder, findPage, pagesAbout, readPage } = await import('./display/docs-pages.ts');
  if (name === undefined) {
    if (json) return printJson({ folder: docsFolder(), pages: docsPages() });
    process.stdout.write(listOf(docsPages()));
    return;
  }
  const found = findPage(name);
  if (found === undefined) self.error(`error: unknown page '${name}'. ${pagesAbout(name)}`);
  if (json) printJson({ ...found, text: readPage(found) });
  else process.stdout.write(readPage(found));
}

/** The pages by group, each with its title. */
function listOf(pages: readonly DocsPage[]): string {
  const width = Math.max(...pages.map(({ name }) => name.length));
  const lines = pages.map(({ name, title, group }, at) => {
    const heading = group === pages[at - 1]?.group ? '' : `\n${group}\n`;
    return `${heading}  ${name.padEnd(width)}  ${title}\n`;
  });
  const folders = [...new Set(pages.map(({ path }) => dirname(path)))].map((folder) => `  ${folder}/<page>.md\n`);
  return `${lines.join('').trimStart()}\nPrint one of them: npx data-designer docs get-started\nThe simulator as a server: npx data-designer docs models-and-providers\nFiles:\n${folders.join('')}`;
}
