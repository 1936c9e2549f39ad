import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fieldsOf } from '@data-designer/core';
import { batchFiles } from './formats/batch-files.ts';
import { TEMPORARY_NAME } from './files/commit-file.ts';
import { countFileRows } from './read/file-rows.ts';
import { type DatasetPaths, nameWithin } from './dataset-paths.ts';
import { BATCH_FORMATS } from './formats/formats.ts';
import { isForeignReadme } from './files/dataset-readme.ts';
import { files } from './files/files.ts';
import { RUN_RECORD_VERSION } from './run-record.ts';
import { journaledGroups, folderJournal } from './journal/folder-journal.ts';
import { readJsonFile } from './files/json-file.ts';
import { ifThere } from './files/missing-file.ts';

const BATCH = `batch_[\\d-]+\\.(?:${BATCH_FORMATS.join('|')})`;

/** The files that a run writes, relative to the dataset folder, with `/`. */
const OWN_FILES: readonly RegExp[] = [
  /^(?:builder_config|run|run\.copy|metadata|profile|progress|rates)\.json$/,
  /^README\.md$/,
  /^(?:failures|failures\.previous|usage|checksums|selection)\.jsonl$/,
  /^\.lock(?:\.takeover|\.[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})?$/,
  new RegExp(`^(?:dropped-columns-)?parquet-files/${BATCH}$`),
  new RegExp(`^processors-files/[^/]+/${BATCH}$`),
  new RegExp(`^rejected/${BATCH}$`),
  new RegExp(`^tmp-partial-parquet-files/(?:[^/]+/){0,2}${BATCH}(?:\\.\\d+)?$`),
  /^cluster\/[^/]+\/(?:(?:start|finishing|ending)\.json|holder|machines\/[^/]+|epochs\/group_\d+\/\d+(?:\.returned)?|commits\/group_\d+\.json)$/,
  /^journal\/(?:lost\/)?group_\d+(?:\.partial|\/\d+\.journal)$/,
  /^images\/[^/]+\/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.[a-z\d]{1,8}$/,
  /^seed\/(?:[^/]+\/)?part-00000\.parquet$/,
  /^seed\/tmp\/[^/]+\.(?:parquet|heap)$/,
];

/** The folder of an unfinished selection from another dataset, with the same files. */
const SELECTED = /^tmp-partial-parquet-files\/selected\//;

/** The folders of these files. */
const OWN_FOLDERS: readonly RegExp[] = [
  /^(?:dropped-columns-)?parquet-files$/,
  /^processors-files(?:\/[^/]+)?$/,
  /^tmp-partial-parquet-files(?:\/(?:dropped-columns|processors(?:\/[^/]+)?|rewritten|selected))?$/,
  /^rejected$/,
  /^journal(?:\/lost)?(?:\/group_\d+)?$/,
  /^images(?:\/[^/]+)?$/,
  /^seed(?:\/[^/]+){0,2}$/,
  /^cluster(?:\/[^/]+(?:\/(?:machines|commits|epochs(?:\/group_\d+)?))?)?$/,
];

/** Whether a folder is empty or holds only files of a run that made no row: no foreign files, rows or journal entries. */
export async function isRowlessRun(paths: DatasetPaths): Promise<boolean> {
  const names = await ownFilesIn(paths.folder);
  if (!names || (await isForeignReadme(paths))) return false;
  const hasBegun = names.some((name) => !name.startsWith('.lock') && name !== 'failures.previous.jsonl');
  const hasBatches = names.some((name) => /^(?:tmp-partial-)?parquet-files\//.test(name));
  try {
    // Other tools write files of the same names, but not run.json.
    const run = fieldsOf(await readJsonFile(paths.run, { exact: false }));
    if (hasBegun && run.version !== RUN_RECORD_VERSION) return false;
    // The folder of batch files is missing if a run was killed before creating it.
    for (const { path } of hasBatches ? await batchFiles(paths) : []) if ((await countFileRows(path)) > 0) return false;
    const open = [...(await journaledGroups(paths.journals))].map(paths.journal);
    const lost = [...(await journaledGroups(paths.lostJournals))].map(paths.lostJournal);
    for (const journal of [...open, ...lost]) {
      const { entries, failedCells } = await folderJournal(journal).read();
      if (entries.length + failedCells.length > 0) return false;
    }
    return true;
  } catch {
    // Unreadable files may hold rows.
    return false;
  }
}

/** Empties the folder of a run without rows except for its lock; renames the log of its failures. */
export async function clearRowlessRun({ folder, failures, failuresBefore, lock }: DatasetPaths): Promise<void> {
  await ifThere(files().rename(failures, failuresBefore), undefined);
  // Claims of processes that request the lock begin with its name.
  const isKept = (path: string): boolean => path === failuresBefore || path.startsWith(lock);
  // run.json goes last: if this is interrupted, the folder is still one of a run without rows.
  const names = (await readdir(folder)).toSorted((a, b) => Number(a === 'run.json') - Number(b === 'run.json'));
  for (const path of names.map((name) => join(folder, name))) {
    if (!isKept(path)) await files().removeTree(path);
  }
  await files().syncFolder(folder);
}

/** The files below a folder; undefined if a run did not write one of them, or for anything else, such as a link. */
async function ownFilesIn(folder: string): Promise<readonly string[] | undefined> {
  const names: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const name = nameWithin(folder, join(entry.parentPath, entry.name));
    const known = entry.isDirectory() ? OWN_FOLDERS : entry.isFile() ? OWN_FILES : [];
    const own = name.replace(SELECTED, '').replace(TEMPORARY_NAME, '');
    if (!known.some((pattern) => pattern.test(own))) return undefined;
    if (entry.isFile()) names.push(name);
  }
  return names;
}
