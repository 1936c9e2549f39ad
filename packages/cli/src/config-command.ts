import { basename } from 'node:path';
import { Command } from 'commander';
import type { HomeTable } from '@data-designer/config';
import { textTable } from '@data-designer/printing';
import { mcpProvidersCommand } from './config-mcp-command.ts';
import { modelConfigsCommand } from './config-models-command.ts';
import { modelProvidersCommand } from './config-providers-command.ts';
import { resetCommand } from './config-reset-command.ts';
import { toolConfigsCommand } from './config-tools-command.ts';
import { withJson } from './entry-command.ts';
import { printJson } from './display/print-results.ts';
import { asGroup } from './flags/common-flags.ts';

interface ConfigFlags {
  readonly json: boolean;
}

/** `data-designer config`: shows, creates and changes the files of the home folder. */
export function configCommand(): Command {
  return asGroup(new Command('config'))
    .description('Show or change the home folder: your model providers, models, MCP providers and tool configs.')
    .addCommand(withJson(new Command('init').description('Create the missing files of the home folder.')).action(init))
    .addCommand(
      withJson(new Command('list').description('Show the contents of the home folder. Keys are masked.')).action(list),
    )
    .addCommand(modelProvidersCommand())
    .addCommand(modelConfigsCommand())
    .addCommand(mcpProvidersCommand())
    .addCommand(toolConfigsCommand())
    .addCommand(resetCommand());
}

async function init(flags: ConfigFlags): Promise<void> {
  const { homeFolder, initHome } = await import('@data-designer/config');
  const folder = homeFolder();
  const files = initHome(folder);
  if (flags.json) {
    printJson({ home: folder.path, files });
    return;
  }
  for (const { path, written } of files) process.stdout.write(`${written ? 'written' : 'exists'}: ${path}\n`);
}

async function list(flags: ConfigFlags): Promise<void> {
  const { homeTables, readHome } = await import('@data-designer/config');
  const home = readHome();
  const tables = homeTables(home);
  const { folder, missing, warnings } = home;
  const missingFileOf = ({ file }: HomeTable) => (missing.includes(file) ? basename(folder.files[file]) : undefined);
  if (flags.json) {
    const contents = Object.fromEntries(tables.map((table) => [table.file, rowsByColumn(table)]));
    printJson({ home: folder.path, missing, warnings, ...contents });
    return;
  }
  for (const warning of warnings) process.stderr.write(`Warning: ${warning}\n`);
  process.stdout.write(`${folder.path}\n`);
  for (const table of tables) process.stdout.write(`\n${printSection(table, missingFileOf(table))}\n`);
}

/** A table with its title, which says so if the file is missing. */
function printSection(table: HomeTable, missingFile: string | undefined): string {
  const lines = table.rows.length === 0 ? ['(none)'] : textTable([table.columns, ...table.rows], { isRuled: true });
  const body = lines.map((line) => `  ${line}`).join('\n');
  if (missingFile === undefined) return `${table.title}\n${body}`;
  const defaults = table.rows.length === 0 ? '' : '; showing the defaults';
  return `${table.title} (no ${missingFile}${defaults}; create it with: data-designer config init)\n${body}`;
}

/** Rows as objects, keyed by column titles in camelCase: `Endpoint/Command` becomes `endpointCommand`. */
function rowsByColumn({ columns, rows }: HomeTable): Record<string, string>[] {
  const keys = columns.map((title) =>
    title
      .split(/[ /]/)
      .map((word, index) => (index === 0 ? word.toLowerCase() : word.charAt(0) + word.slice(1).toLowerCase()))
      .join(''),
  );
  return rows.map((cells) => Object.fromEntries(cells.map((cell, index) => [keys[index] ?? '', cell])));
}
