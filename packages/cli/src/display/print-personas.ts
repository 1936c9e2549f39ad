import { failureReport } from '@data-designer/declaration';
import type { InstallWatcher, PersonaFile, PersonaOutcome } from '../personas/install-personas.ts';
import { formatBytes, textTable } from '@data-designer/printing';
import { printJson } from './print-results.ts';

interface Printing {
  readonly json: boolean;
}

/** What a command is going to install. */
export interface PersonaPlan {
  readonly folder: string;
  /** The name of the source. */
  readonly source: string;
  /** The files, with their size at the source if that is known beforehand. */
  readonly files: readonly (PersonaFile & { readonly sourceBytes: number | null })[];
}

/** Prints all locales, with their sizes and the state of their files. */
export function printPersonaFiles(folder: string, files: readonly PersonaFile[], { json }: Printing): void {
  if (json) return printJson({ folder, datasets: files.map(reportOf) });
  const rows = files.map((file) => [...describePersona(file), file.sha256 ?? '']);
  const hasSums = files.some(({ sha256 }) => sha256 !== null);
  const head = ['locale', 'size', 'installed', ...(hasSums ? ['sha256'] : [])];
  const lines = textTable([head, ...rows.map((row) => row.slice(0, head.length))], { isRuled: true });
  process.stdout.write(`${folder}\n\n${lines.join('\n')}\n`);
}

/** A locale, the size of its file in NGC, and the state of the installed file. */
export function describePersona({ locale, sizeGb, bytes, damage }: PersonaFile): [string, string, string] {
  const state = bytes === null ? 'no' : damage === null ? `yes, ${formatBytes(bytes)}` : `damaged: ${damage}`;
  return [locale, `${sizeGb.toFixed(2)} GB`, state];
}

function reportOf({ locale, sizeGb, path, bytes, sha256, damage }: PersonaFile): object {
  return { locale, sizeGb, installed: bytes !== null && damage === null, path, bytes, sha256, damage };
}

/** Prints what a command is going to install. */
export function printPersonaPlan(
  { folder, source, files }: PersonaPlan,
  { json, dryRun }: Printing & { readonly dryRun: boolean },
): void {
  if (json) {
    const datasets = files.map((file) => ({ ...reportOf(file), sourceBytes: file.sourceBytes }));
    return printJson({ folder, source, dryRun, datasets });
  }
  const rows = files.map(({ locale, sizeGb, bytes, sourceBytes }) => [
    `  ${locale}`,
    sourceBytes === null ? `${sizeGb.toFixed(2)} GB` : formatBytes(sourceBytes),
    bytes === null ? '' : 'replaces the installed file',
  ]);
  const verb = dryRun ? 'Would install' : 'Installing';
  process.stdout.write(`${verb} from ${source} into ${folder}:\n${textTable(rows).join('\n')}\n`);
}

/** Prints the outcome of one collection. */
export function printPersonaEnd(end: Parameters<InstallWatcher['onEnd']>[0]): void {
  if ('failure' in end) {
    process.stderr.write(`Error [${end.failure.code}]: ${end.failure.message}\n`);
    return;
  }
  const { locale, bytes, sha256, isVerified, isUnchanged } = end;
  const state = isUnchanged ? 'unchanged' : 'installed';
  const sum = isVerified ? 'matches that of the source' : 'recorded; the source gives none';
  process.stdout.write(`${locale}: ${state}, ${formatBytes(bytes)}, SHA-256 ${sha256} (${sum})\n`);
}

/** Prints the outcome of the collections that is not printed yet. */
export function printPersonaOutcome(
  { installed, failed, left }: PersonaOutcome,
  { folder, json }: Printing & { readonly folder: string },
): void {
  if (json) {
    const failures = failed.map(({ locale, failure }) => ({ locale, error: failureReport(failure) }));
    return printJson({ folder, installed, failed: failures, left });
  }
  if (left.length === 0) return;
  process.stderr.write(`Interrupted. Not installed: ${left.join(', ')}. Start the command again to install them.\n`);
}
