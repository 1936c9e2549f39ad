import { constants } from 'node:os';
import type { Command } from 'commander';
import type { PersonaLocale } from '@data-designer/columns/personas';
import { isWebAddress } from '@data-designer/core';
import { textTable } from '@data-designer/printing';
import {
  describePersona,
  type PersonaPlan,
  printPersonaEnd,
  printPersonaFiles,
  printPersonaOutcome,
  printPersonaPlan,
} from '../display/print-personas.ts';
import type { PersonaFile } from '../personas/install-personas.ts';
import type { PersonaSource } from '../personas/persona-source.ts';
import { DownloadLine } from '../progress/download-line.ts';
import { onStopSignals } from '../signals.ts';
import { withPrompts } from '../wizards/prompts.ts';

export interface DownloadFlags {
  readonly locale: readonly PersonaLocale[];
  readonly all: boolean;
  readonly from?: string;
  readonly list: boolean;
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly allowPrivate: boolean;
  readonly json: boolean;
}

/** Installs persona collections as the flags of `data-designer download personas` ask. */
export async function downloadPersonas(flags: DownloadFlags, command: Command): Promise<void> {
  const { personaFiles } = await import('../personas/install-personas.ts');
  const { personaFolder } = await import('../personas/persona-source.ts');
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
  if (from === undefined) return (await import('../personas/ngc-source.ts')).ngcSource;
  if (isWebAddress(from)) return (await import('../personas/address-source.ts')).addressSource(from, { allowPrivate });
  return (await import('../personas/folder-source.ts')).folderSource(from);
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
  const { installPersonas } = await import('../personas/install-personas.ts');
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
