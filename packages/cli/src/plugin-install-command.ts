import { Command, Option } from 'commander';
import type { ChangeFlags } from './change-project.ts';
import { withJson } from './entry-command.ts';
import { type CatalogFlags, withCatalogFlags } from './flags/catalog-flags.ts';
import { examples } from './flags/common-flags.ts';
import { withChoices } from './flags/parse-flags.ts';

/** `data-designer plugin install`. */
export function installCommand(): Command {
  return withChangeFlags(withCatalogFlags(new Command('install')))
    .description('Install a package of your catalogs in this project, and check that its plug-ins can be used.')
    .argument('<package>', 'Name of the package, also with a version: data-designer-words@1.2.0')
    .addHelpText('after', examples('plugin install words', 'plugin install words --dry-run', 'plugin install words -y'))
    .action(install);
}

/** `data-designer plugin uninstall`. */
export function uninstallCommand(): Command {
  return withChangeFlags(withJson(new Command('uninstall')))
    .description('Uninstall a package of this project.')
    .argument('<package>', 'Name of the package; the prefix data-designer- is optional')
    .action(uninstall);
}

function withChangeFlags(command: Command): Command {
  return command
    .addOption(
      withChoices(new Option('--manager <name>', 'Package manager (default: that of the project)'), [
        'npm',
        'pnpm',
        'yarn',
      ]),
    )
    .option('-y, --yes', 'Do not ask', false)
    .option('--dry-run', 'Show what the command would do, and end', false);
}

/** Ends a command that would have to ask, but cannot. */
function requireAnswer({ yes, dryRun, json }: ChangeFlags, command: Command): void {
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY;
  if (yes || dryRun || (isTerminal && !json)) return;
  command.error(
    `error: 'plugin ${command.name()}' asks before it changes the project, and needs a terminal; without one, use --yes or --dry-run`,
  );
}

async function install(given: string, flags: ChangeFlags & CatalogFlags, self: Command): Promise<void> {
  requireAnswer(flags, self);
  await (await import('./change-project.ts')).install(given, flags);
}

async function uninstall(given: string, flags: ChangeFlags, self: Command): Promise<void> {
  requireAnswer(flags, self);
  await (await import('./change-project.ts')).uninstall(given, flags);
}
