import { Command, InvalidArgumentError, Option } from 'commander';
import { PERSONA_LOCALES, type PersonaLocale } from '@data-designer/columns/personas';
import { isWebAddress, knownNames } from '@data-designer/core';
import { withJson } from './entry-command.ts';
import type { DownloadFlags } from './flow/download-flow.ts';
import { asGroup, examples } from './flags/common-flags.ts';
import { refuseUnused } from './flags/refuse-unused.ts';

/** `data-designer download`: installs the collections that samplers draw from. */
export function downloadCommand(): Command {
  const locale = new Option('-l, --locale <code>', `Locale to install: ${PERSONA_LOCALES.join(', ')}; repeatable`);
  const all = new Option('--all', 'Install all locales that the source has');
  const list = new Option('--list', 'List the locales with their sizes, and whether they are installed');
  const personas = withJson(
    new Command('personas')
      .description("Install the persona collections that the sampler 'person' draws from.")
      .addOption(locale.argParser(collectLocale).default([]))
      .addOption(all.conflicts('locale').default(false))
      .option('--from <source>', 'Folder or http(s) address with the files (default: NVIDIA NGC)')
      .addOption(list.conflicts(['locale', 'all', 'from', 'dryRun', 'yes', 'allowPrivate']).default(false))
      .option('--dry-run', 'Show what would be installed, and install nothing', false)
      .option('-y, --yes', 'Install without asking', false)
      .option('--allow-private', 'Allow an address of this machine and its network', false),
  )
    .addHelpText(
      'after',
      examples(
        'download personas --list',
        'download personas --locale en_US --locale ja_JP',
        'download personas --all --from ~/Downloads --yes',
      ),
    )
    .action(async (flags: DownloadFlags, command: Command) => {
      const { downloadPersonas } = await import('./flow/download-flow.ts');
      await downloadPersonas(flags, command);
    });
  refuseUnused<DownloadFlags>(personas, [
    {
      flags: ['allowPrivate'],
      unless: ({ from = '' }) =>
        isWebAddress(from) ? undefined : 'without an http(s) address: add --from <address>, or leave it out',
    },
  ]);
  return asGroup(new Command('download'))
    .description('Install the collections that samplers draw from.')
    .addCommand(personas);
}

function collectLocale(text: string, before: readonly PersonaLocale[]): readonly PersonaLocale[] {
  const locale = PERSONA_LOCALES.find((one) => one === text.trim());
  if (locale === undefined) throw new InvalidArgumentError(knownNames(text, PERSONA_LOCALES));
  return before.includes(locale) ? before : [...before, locale];
}
