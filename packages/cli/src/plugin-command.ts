import { Command } from 'commander';
import type { ListedPackage } from './plugin-packages/listed-packages.ts';
import type { LoadedCatalogs } from './plugin-packages/load-catalogs.ts';
import { printJson } from './display/print-results.ts';
import { withJson } from './entry-command.ts';
import { type CatalogFlags, readCatalogs, withCatalogFlags } from './flags/catalog-flags.ts';
import { asGroup, examples } from './flags/common-flags.ts';
import { catalogCommand } from './plugin-catalog-command.ts';
import { installCommand, uninstallCommand } from './plugin-install-command.ts';

interface ListFlags extends CatalogFlags {
  readonly includeIncompatible: boolean;
}

/** `data-designer plugin`: finds packages with plug-ins in catalogs, and installs them. */
export function pluginCommand(): Command {
  const list = withListFlags(new Command('list'))
    .description('List the packages with plug-ins in your catalogs.')
    .action(listAll);
  const search = withListFlags(new Command('search'))
    .description('Find packages by words in their names, descriptions and plug-ins.')
    .argument('<words...>', 'Words; a package must contain all of them')
    .addHelpText('after', examples('plugin search words', 'plugin search sampler --include-incompatible'))
    .action(searchAll);
  const info = withCatalogFlags(new Command('info'))
    .description('Show one package of your catalogs.')
    .argument('<package>', 'Name of the package; the prefix data-designer- is optional')
    .action(showInfo);
  const installed = withJson(new Command('installed'))
    .description('Load the plug-ins of this project, and list their types, or the reason why a plug-in cannot be used.')
    .action((flags: Pick<CatalogFlags, 'json'>, self: Command) => listInstalled(flags, namesOfProgram(self)));
  const command = asGroup(new Command('plugin')).description('Find, install and check packages with plug-ins.');
  for (const one of [list, search, info, installCommand(), uninstallCommand(), installed, catalogCommand()]) {
    command.addCommand(one);
  }
  return command;
}

function withListFlags(command: Command): Command {
  return withCatalogFlags(command).option(
    '--include-incompatible',
    'Include packages that need other versions of Node or Data Designer',
    false,
  );
}

async function listAll(flags: ListFlags): Promise<void> {
  const { listPackages } = await import('./plugin-packages/listed-packages.ts');
  const loaded = await readCatalogs(flags);
  await printFound(listPackages(loaded.catalogs), { flags, loaded, none: 'The catalogs list no packages.' });
}

async function searchAll(words: readonly string[], flags: ListFlags): Promise<void> {
  const { listPackages, nearestPackage, searchPackages } = await import('./plugin-packages/listed-packages.ts');
  const loaded = await readCatalogs(flags);
  const all = listPackages(loaded.catalogs);
  const query = words.join(' ');
  const none = `No package contains '${query}'. ${nearestPackage(all, query)}`;
  await printFound(searchPackages(all, query), { flags, loaded, none });
}

/** How to print the packages that a command found. */
interface Printing {
  readonly flags: ListFlags;
  readonly loaded: LoadedCatalogs;
  /** What to say if there are none. */
  readonly none: string;
}

async function printFound(found: readonly ListedPackage[], { flags, loaded, none }: Printing): Promise<void> {
  const { NO_CATALOG } = await import('./plugin-packages/listed-packages.ts');
  const { printPackages } = await import('./display/print-plugins.ts');
  const packages = found.filter((one) => flags.includeIncompatible || one.incompatibilities.length === 0);
  const catalogs = loaded.catalogs.map(({ alias, source }) => ({ alias, source }));
  const hidden = found.length - packages.length;
  if (flags.json) return printJson({ catalogs, packages, hidden, warnings: loaded.warnings });
  if (catalogs.length === 0) process.stdout.write(`${NO_CATALOG}\n`);
  else if (found.length === 0) process.stdout.write(`${none}\n`);
  else if (packages.length > 0) process.stdout.write(`${printPackages(packages, process.stdout.columns)}\n`);
  if (hidden > 0) {
    const some = hidden === 1 ? '1 package needs' : `${hidden} packages need`;
    process.stdout.write(
      `${some} other versions of Node or Data Designer; show such packages with --include-incompatible.\n`,
    );
  }
}

async function showInfo(name: string, flags: CatalogFlags): Promise<void> {
  const { findPackage, listPackages } = await import('./plugin-packages/listed-packages.ts');
  const { printPackage } = await import('./display/print-plugins.ts');
  const { catalogs } = await readCatalogs(flags);
  const found = findPackage(listPackages(catalogs), name, catalogs);
  if (flags.json) printJson(found);
  else process.stdout.write(`${printPackage(found)}\n`);
}

/** The names of all commands of the program that a command belongs to. */
function namesOfProgram(command: Command): ReadonlySet<string> {
  return command.parent ? namesOfProgram(command.parent) : new Set(command.commands.map((one) => one.name()));
}

async function listInstalled({ json }: Pick<CatalogFlags, 'json'>, ownCommands: ReadonlySet<string>): Promise<void> {
  const { installedPlugins } = await import('./plugin-packages/installed-plugins.ts');
  const { findProject } = await import('./plugin-packages/project.ts');
  const { printInstalled } = await import('./display/print-plugins.ts');
  const project = findProject();
  const found = project ? await installedPlugins(project, ownCommands) : [];
  if (json) return printJson({ project: project?.folder ?? null, packages: found });
  if (project === undefined) process.stdout.write(`There is no package.json in ${process.cwd()} or above it.\n`);
  else if (found.length === 0) process.stdout.write(`No package with plug-ins is a dependency in ${project.folder}.\n`);
  else process.stdout.write(`${printInstalled(found)}\n`);
}
