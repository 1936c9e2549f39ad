import { Command, InvalidArgumentError } from 'commander';
import { DataDesignerError, isWebAddress } from '@data-designer/core';
import { pluralize, textTable } from '@data-designer/printing';
import { printJson } from './display/print-results.ts';
import { withJson } from './entry-command.ts';
import { printWarning } from './flags/catalog-flags.ts';
import { asGroup, examples } from './flags/common-flags.ts';
import { atLeast } from './flags/parse-flags.ts';
import { refuseUnused } from './flags/refuse-unused.ts';

interface AddFlags {
  readonly cacheTtl?: number;
  readonly json: boolean;
}

/** `data-designer plugin catalog`: the catalogs of plug-ins in the home folder. */
export function catalogCommand(): Command {
  const list = withJson(new Command('list')).description('List your catalogs.').action(listCatalogs);
  const add = withJson(new Command('add'))
    .description('Read a catalog, and add it to the home folder.')
    .argument('<alias>', 'Short name of the catalog in commands', parseAlias)
    .argument('<source>', 'http(s) address, JSON file, folder with plugins.json, or GitHub repository')
    .option('--cache-ttl <seconds>', 'Use a downloaded copy for this time (default: 86400, a day)', atLeast(0))
    .addHelpText('after', examples('plugin catalog add acme https://plugins.acme.example/plugins.json'))
    .action(addCatalog);
  refuseUnused<AddFlags>(add, [
    {
      flags: ['cacheTtl'],
      unless: (_, [, source = '']) =>
        isWebAddress(source) ? undefined : 'on a local catalog, which is read anew each time: leave it out',
    },
  ]);
  const remove = withJson(new Command('remove'))
    .description('Remove a catalog. Packages that were installed from it stay.')
    .argument('<alias>')
    .action(removeCatalog);
  const command = asGroup(new Command('catalog')).description('List, add or remove catalogs of plug-ins.');
  for (const one of [list, add, remove]) command.addCommand(one);
  return command;
}

function parseAlias(text: string): string {
  if (/^[\w.-]+$/.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError('It must consist of letters, digits, and the characters _ . -');
}

async function listCatalogs({ json }: Pick<AddFlags, 'json'>): Promise<void> {
  const { homeFolder, readPluginCatalogs } = await import('@data-designer/config');
  const { shownSource } = await import('./plugin-packages/load-catalogs.ts');
  const { NO_CATALOG } = await import('./plugin-packages/listed-packages.ts');
  const folder = homeFolder();
  const catalogs = readPluginCatalogs(folder).map(({ alias, url, cacheTtlSeconds }) => {
    return { alias, source: shownSource(url), cacheTtlSeconds };
  });
  if (json) return printJson({ file: folder.pluginCatalogs, catalogs });
  if (catalogs.length === 0) {
    process.stdout.write(`${NO_CATALOG}\n`);
    return;
  }
  const rows = catalogs.map(({ alias, source, cacheTtlSeconds }) => [alias, source, `${cacheTtlSeconds} s`]);
  process.stdout.write(`${textTable([['alias', 'source', 'cached for'], ...rows], { isRuled: true }).join('\n')}\n`);
}

async function addCatalog(alias: string, given: string, { cacheTtl, json }: AddFlags): Promise<void> {
  const { CATALOG_TTL_SECONDS, editPluginCatalogs, homeFolder } = await import('@data-designer/config');
  const { loadCatalog, shownSource, storedSource } = await import('./plugin-packages/load-catalogs.ts');
  const folder = homeFolder();
  const entry = { alias, url: storedSource(given), cacheTtlSeconds: cacheTtl ?? CATALOG_TTL_SECONDS };
  const edit = editPluginCatalogs(folder, { kind: 'add', fields: entry });
  const { packages } = await loadCatalog(entry, { folder, refresh: true, warn: printWarning });
  edit.save();
  const source = shownSource(entry.url);
  if (json) printJson({ file: edit.path, alias, source, packages: packages.map((one) => one.name) });
  else process.stdout.write(`added: ${alias}, ${pluralize(packages.length, 'package')} (${edit.path})\n`);
}

async function removeCatalog(name: string, { json }: Pick<AddFlags, 'json'>): Promise<void> {
  const { editPluginCatalogs, homeFolder, readPluginCatalogs } = await import('@data-designer/config');
  const { deleteCopy } = await import('./plugin-packages/load-catalogs.ts');
  const folder = homeFolder();
  const alias = name.toLowerCase();
  const entries = readPluginCatalogs(folder);
  const removed = entries.find((one) => one.alias === alias);
  if (removed === undefined) {
    throw new DataDesignerError('plugin/unknown-catalog', { alias: name, known: entries.map((one) => one.alias) });
  }
  const edit = editPluginCatalogs(folder, { kind: 'delete', names: [alias] });
  edit.save();
  deleteCopy(removed, folder);
  if (json) printJson({ file: edit.path, removed: alias });
  else process.stdout.write(`removed: ${alias} (${edit.path})\n`);
}
