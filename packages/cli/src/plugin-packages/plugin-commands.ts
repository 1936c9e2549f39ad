import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { DataDesignerError, type Fields, fieldsOf, itemsOf, stringOf, tryParse } from '@data-designer/core';

/** A command that an installed package lists in its package.json. */
interface ListedCommand {
  readonly name: string;
  /** One line for the help. */
  readonly description: string;
  readonly package: string;
  readonly folder: string;
}

const NAME = /^[a-z][a-z0-9_-]*$/i;

/** The keys of package.json with the packages of a project. */
const LISTS = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];

/** The commands of the plug-ins of the working folder's project, from their package.json alone: none is loaded. */
function listedCommands(from = process.cwd()): readonly ListedCommand[] {
  const folder = foldersUp(from).find((one) => existsSync(join(one, 'package.json')));
  if (folder === undefined) return [];
  const project = manifestIn(folder);
  const names = new Set(LISTS.flatMap((list) => Object.keys(fieldsOf(project[list]))));
  return [...names].toSorted().flatMap((name) => {
    const manifest = installedManifest(name, folder);
    if (!itemsOf(manifest['keywords']).includes('data-designer-plugin')) return [];
    const { commands } = fieldsOf(manifest['dataDesigner']);
    return Object.entries(fieldsOf(commands)).flatMap(([command, description]) =>
      NAME.test(command) ? { name: command, description: stringOf(description) ?? '', package: name, folder } : [],
    );
  });
}

/** The `package.json` of a package that a folder would import; empty if there is none. The help loads no library for it. */
function installedManifest(name: string, folder: string): Fields {
  const found = foldersUp(folder).find((one) => existsSync(join(one, 'node_modules', name, 'package.json')));
  return found === undefined ? {} : manifestIn(join(found, 'node_modules', name));
}

function manifestIn(folder: string): Fields {
  return fieldsOf(tryParse(readFileSync(join(folder, 'package.json'), 'utf8'), (json): unknown => JSON.parse(json)));
}

/** A folder and those above it. */
export function foldersUp(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...foldersUp(parent)];
}

/**
 * Adds the commands of plug-ins to the program, in its help under the names of their packages. A command of the program
 * keeps its name: the plug-in's one is named as unavailable.
 */
export function addPluginCommands(program: Command): void {
  const own = new Set(program.commands.map((command) => command.name()).concat('help'));
  const listed = listedCommands();
  // All that follows the name of a plug-in's command is for the command.
  program.enablePositionalOptions();
  const taken: string[] = [];
  for (const one of listed) {
    if (own.has(one.name)) {
      taken.push(`  ${one.name} of ${one.package} is not available: data-designer has a command of this name.\n`);
      continue;
    }
    const others = listed.filter(({ name }) => name === one.name);
    if (others[0] === one) program.addCommand(commandOf(others).exitOverride());
  }
  if (taken.length > 0) program.addHelpText('after', `\nCommands of plug-ins:\n${taken.join('')}`);
}

/** The command of a plug-in, or the error of several plug-ins with a command of that name. */
function commandOf([one, ...others]: readonly ListedCommand[]): Command {
  const { name, description, package: owner } = one as ListedCommand;
  return new Command(name)
    .description(description)
    .helpGroup(`Commands of ${owner}:`)
    .argument('[arguments...]')
    .allowUnknownOption()
    .passThroughOptions()
    .helpOption(false)
    .action(async (args: readonly string[]) => {
      if (others.length > 0) {
        const also = others.map((other) => `'${other.package}'`).join(', ');
        throw unusable(owner, `it and ${also} add a command '${name}'; uninstall one of them`);
      }
      const { runPluginCommand } = await import('./run-plugin-command.ts');
      process.exitCode = await runPluginCommand(one as ListedCommand, args);
    });
}

function unusable(module: string, reason: string): DataDesignerError {
  return new DataDesignerError('plugin/unusable', { module, reason: reason.replace(/\.$/, '') });
}
