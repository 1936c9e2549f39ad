import { constants } from 'node:os';
import { Command, InvalidArgumentError, Option } from 'commander';
import { PERSONA_LOCALES, type PersonaLocale } from '@data-designer/columns/personas';
import { isWebAddress, knownNames } from '@data-designer/core';
import type { PersonaFile } from './personas/install-personas.ts';
import type { PersonaSource } from './personas/persona-source.ts';
import { textTable } from '@data-designer/printing';
import {
  describePersona,
  type PersonaPlan,
  printPersonaEnd,
  printPersonaFiles,
  printPersonaOutcome,
  printPersonaPlan,
} from './display/print-personas.ts';
import { withJson } from './entry-command.ts';
import { asGroup, examples } from './flags/common-flags.ts';
import { refuseUnused } from './flags/refuse-unused.ts';
import { DownloadLine } from './progress/download-line.ts';
import { onStopSignals } from './signals.ts';
import { withPrompts } from './wizards/prompts.ts';

interface DownloadFlags {
  readonly locale: readonly PersonaLocale[];
  readonly all: boolean;
  readonly from?: string;
  readonly list: boolean;
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly allowPrivate: boolean;
  readonly json: boolean;
}

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
      .option('--from <source>', 'Folder with the files, or http(s) address of one (default: NVIDIA NGC)')
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
    .action(downloadPersonas);
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

async function downloadPersonas(flags: DownloadFlags, command: Command): Promise<void> {
  const { personaFiles } = await import('./personas/install-personas.ts');
  const { personaFolder } = await import('./personas/persona-source.ts');
  const folder = personaFolder();
  const files = await personaFiles(folder);
  if (flags.list) return printPersonaFiles(folder, files, flags);
  requireAnswers(flags, command);
  const source = await sourceOf(flags);
  if (!flags.dryRun || flags.from !== undefined) await source.refuseUnusable();
  const locales = await wantedLocales(flags, source, files);
  if (locales.length === 0) return;
  const wanted = files.filter(({ locale }) => locales.includes(locale));
  const plan = { folder, source: source.name, files: await sizedFiles(wanted, source) };
  if (!flags.json || flags.dryRun) printPersonaPlan(plan, flags);
  if (flags.dryRun || !(flags.yes || (await isConfirmed()))) return;
  await install(plan, source, flags);
}

/** Ends the command where its questions cannot be asked. */
function requireAnswers({ locale, all, dryRun, yes, json }: DownloadFlags, command: Command): void {
  if (process.stdin.isTTY && process.stdout.isTTY && !json) return;
  const missing =
    locale.length === 0 && !all
      ? ['which locales to install', '--locale or --all']
      : !dryRun && !yes
        ? ['before it installs a file', '--yes']
        : undefined;
  if (!missing) return;
  const [question, flag] = missing;
  const message = `error: 'download personas' asks ${question}, and needs a terminal; without one, use ${flag}`;
  command.error(message, { exitCode: 2 });
}

async function sourceOf({ from, allowPrivate }: DownloadFlags): Promise<PersonaSource> {
  if (from === undefined) return (await import('./personas/ngc-source.ts')).ngcSource;
  if (isWebAddress(from)) return (await import('./personas/address-source.ts')).addressSource(from, { allowPrivate });
  return (await import('./personas/folder-source.ts')).folderSource(from);
}

/** The locales of the flags, or those that the user chooses; none if the user interrupts. */
async function wantedLocales(
  { locale, all }: DownloadFlags,
  source: PersonaSource,
  files: readonly PersonaFile[],
): Promise<readonly PersonaLocale[]> {
  if (all) return source.locales;
  if (locale.length > 0) return locale;
  const offered = files.filter((file) => source.locales.includes(file.locale));
  const names = textTable(offered.map(describePersona));
  const choices = offered.map((file, at) => ({
    value: file.locale,
    name: names[at] ?? file.locale,
    short: file.locale,
  }));
  const chosen: PersonaLocale[] = [];
  await withPrompts(async ({ checkbox }) => {
    chosen.push(...(await checkbox({ message: 'Which locales?', required: true, choices, pageSize: choices.length })));
  });
  return chosen;
}

async function sizedFiles(files: readonly PersonaFile[], source: PersonaSource): Promise<PersonaPlan['files']> {
  const sized: PersonaPlan['files'][number][] = [];
  for (const file of files) sized.push({ ...file, sourceBytes: (await source.check(file.locale)) ?? null });
  return sized;
}

async function isConfirmed(): Promise<boolean> {
  let answer = false;
  await withPrompts(async ({ confirm }) => {
    answer = await confirm({ message: 'Install?', default: true });
  });
  return answer;
}

/** Installs the planned collections; exits with 1 if one fails, and as Ctrl-C or SIGTERM does if interrupted. */
async function install({ folder, files }: PersonaPlan, source: PersonaSource, flags: DownloadFlags): Promise<void> {
  const { installPersonas } = await import('./personas/install-personas.ts');
  const stopped = new AbortController();
  using _ = onStopSignals((name) => {
    process.exitCode = 128 + constants.signals[name];
    stopped.abort();
  });
  let line: { readonly locale: PersonaLocale; readonly shown: DownloadLine } | undefined;
  const outcome = await installPersonas(
    files.map(({ locale }) => locale),
    source,
    {
      folder,
      signal: stopped.signal,
      onBytes: (locale, bytes, total) => {
        if (flags.json) return;
        if (line?.locale !== locale) line = { locale, shown: new DownloadLine(locale) };
        line.shown.show(bytes, total);
      },
      onEnd: (end) => {
        line?.shown.clear();
        if (!flags.json) printPersonaEnd(end);
      },
    },
  );
  line?.shown.clear();
  printPersonaOutcome(outcome, { folder, json: flags.json });
  if (outcome.failed.length > 0 && outcome.left.length === 0) process.exitCode = 1;
}
