import { join } from 'node:path';
import { type LeftOut, listSeedFiles, type SeedFolder } from '@data-designer/config';
import type { ArrowField, Finding } from '@data-designer/core';
import type { FileStamp } from '@data-designer/dataset';
import { stampOf } from '../tables/file-stamp.ts';
import { knownRollout, type KnownRollout, rolloutRows } from './rollout-rows.ts';
import { rolloutReader } from './read-recordings.ts';
import type { RolloutSource } from './rollout.ts';
import { ROLLOUT_FORMATS } from './rollout-formats.ts';
import { seedError } from '../seed-error.ts';
import type { SeedInspection } from '../seed-inspection.ts';

/** Recordings of a folder that are to be looked at. */
export interface FoundRollouts {
  readonly source: RolloutSource;
  readonly folder: SeedFolder;
  /** Relative paths, with `/`, in order. */
  readonly files: readonly string[];
  /** The columns of the rows. */
  readonly columns: readonly ArrowField[];
}

/** So many files that make no row are told by name. */
const MOST_NAMED = 20;

/** Reads recordings, all of them: how many make a row, and why the others do not. Throws `seed/unreadable`. */
export async function inspectRollouts(
  { source, folder, files, columns: fields }: FoundRollouts,
  signal: AbortSignal,
): Promise<SeedInspection> {
  const { format } = source;
  const { root } = folder;
  const indexes = indexesIn(folder, format);
  const stamps = new Map<string, FileStamp>();
  for (const name of [...files, ...indexes]) stamps.set(name, await stampOf({ name, path: join(root, name) }));
  const leftOut: LeftOut[] = [];
  const known: KnownRollout[] = [];
  const sessionOf = await rolloutReader({ format, root, indexes }, (path, reason) => leftOut.push({ path, reason }));
  for (const path of files) {
    signal.throwIfAborted();
    const session = await sessionOf(path);
    if (session) known.push(knownRollout(session.row, fields));
  }
  const rows = known.length;
  const seen = { columns: fields, rows, findings: sayMalformed(leftOut, rows) };
  return rows === 0 ? seen : { ...seen, source: rolloutRows({ format, root, indexes, fields, known, stamps }) };
}

/** Files beside the recordings, looked for where those are. */
function indexesIn(folder: SeedFolder, format: RolloutSource['format']): readonly string[] {
  const { index } = ROLLOUT_FORMATS[format];
  return index ? listSeedFiles({ ...folder, pattern: index.name, takes: () => true }).files : [];
}

function sayMalformed(leftOut: readonly LeftOut[], rows: number): Finding[] {
  const named = leftOut.slice(0, MOST_NAMED).map(({ path, reason }): Finding => {
    const told = seedError('seed_file_malformed', `${path} is left out: ${reason}.`, 'Mend it, or take it away.');
    return { ...told, level: 'WARNING' };
  });
  const more = leftOut.length - named.length;
  if (more > 0) {
    const told = seedError('seed_file_malformed', `${more} more files are left out.`, 'Is this their format?');
    named.push({ ...told, level: 'WARNING' });
  }
  if (rows > 0) return named;
  const remedy = "Correct the path, or the 'format'.";
  return [...named, seedError('seed_empty', 'no file holds a session of this format.', remedy)];
}
