import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { batchFiles } from '../read/batch-files.ts';
import { TEMPORARY_NAME } from './commit-file.ts';
import { countFileRows } from '../read/file-rows.ts';
import type { DatasetPaths } from '../dataset-paths.ts';
import { BATCH_FORMATS } from '../formats/formats.ts';
import { files } from './files.ts';
import { journaledGroups, folderJournal } from '../journal/folder-journal.ts';
import { readJsonFile } from './json-file.ts';

const BATCH = `batch_[\\d-]+\\.(?:${BATCH_FORMATS.join('|')})`;

/** The files that a run writes into a dataset's folder, relative to it, with `/`. */
const OWN_FILES: readonly RegExp[] = [
  /^(?:builder_config|run|metadata|profile)\.json$/,
  /^(?:failures|failures\.previous|usage|checksums)\.jsonl$/,
  /^\.lock(?:\.takeover|\.[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})?$/,
  new RegExp(`^(?:dropped-columns-)?parquet-files/${BATCH}$`),
  new RegExp(`^processors-files/[^/]+/${BATCH}$`),
  new RegExp(`^tmp-partial-parquet-files/(?:[^/]+/){0,2}${BATCH}$`),
  /^journal\/group_\d+(?:\.journal|\.partial|\/\d+\.journal)$/,
  /^images\/[^/]+\/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.[a-z\d]{1,8}$/,
  /^seed\/(?:[^/]+\/)?part-00000\.parquet$/,
  /^seed\/tmp\/[^/]+\.(?:parquet|heap)$/,
];

/** The folders in which these files stand. */
const OWN_FOLDERS: readonly RegExp[] = [
  /^(?:dropped-columns-)?parquet-files$/,
  /^processors-files(?:\/[^/]+)?$/,
  /^tmp-partial-parquet-files(?:\/(?:dropped-columns|processors(?:\/[^/]+)?|rewritten))?$/,
  /^journal(?:\/group_\d+)?$/,
  /^images(?:\/[^/]+)?$/,
  /^seed(?:\/[^/]+){0,2}$/,
];

/**
 * Whether a folder holds nothing but what a run that made no row has left: every file is one that a run writes, no data file
 * has a row, and nothing stands in a journal. A folder that a run has not begun in holds no files at all.
 */
export async function isFailedTry(paths: DatasetPaths): Promise<boolean> {
  const names = await ownFilesIn(paths.folder);
  if (!names) return false;
  const hasBegun = names.some((name) => !name.startsWith('.lock') && name !== 'failures.previous.jsonl');
  const hasBatches = names.some((name) => /^(?:tmp-partial-)?parquet-files\//.test(name));
  try {
    // Folders of other tools have files of the same names; only a run of this one writes run.json.
    const run = (await readJsonFile(paths.run, { exact: false })) as { readonly version?: unknown } | undefined;
    if (hasBegun && run?.version !== 2) return false;
    // Their folder may be missing, where a run was killed before it made it, or while it cleared it.
    for (const { path } of hasBatches ? await batchFiles(paths) : []) if ((await countFileRows(path)) > 0) return false;
    for (const group of await journaledGroups(paths.journals)) {
      const { entries, failedCells } = await folderJournal(paths.journal(group)).read();
      if (entries.length + failedCells.length > 0) return false;
    }
    return true;
  } catch {
    // What cannot be read may be worth something.
    return false;
  }
}

/** Empties the folder of a failed try but for its lock; its failures stay, under another name. */
export async function clearFailedTry({ folder, failures, failuresBefore, lock }: DatasetPaths): Promise<void> {
  await files()
    .rename(failures, failuresBefore)
    .catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  // Also what other processes have written that ask for the lock.
  const isKept = (path: string): boolean => path === failuresBefore || path.startsWith(lock);
  // What says that a run has begun goes last: cut off before, the folder is still that of a failed try.
  const names = (await readdir(folder)).toSorted((a, b) => Number(a === 'run.json') - Number(b === 'run.json'));
  for (const path of names.map((name) => join(folder, name))) {
    if (!isKept(path)) await files().removeTree(path);
  }
  await files().syncFolder(folder);
}

/** The files below a folder; undefined where something is not of a run, or neither a file nor a folder, such as a link. */
async function ownFilesIn(folder: string): Promise<readonly string[] | undefined> {
  const names: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const name = relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/');
    const known = entry.isDirectory() ? OWN_FOLDERS : entry.isFile() ? OWN_FILES : [];
    if (!known.some((own) => own.test(name.replace(TEMPORARY_NAME, '')))) return undefined;
    if (entry.isFile()) names.push(name);
  }
  return names;
}
