import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeJournal, type JournalContent, journalMark } from './journal-file.ts';
import { journalGroupOf } from '../dataset-paths.ts';
import { files } from '../files/files.ts';
import { storageFailure } from '../files/storage-failure.ts';

// The journal of a row group is a folder with one segment per attempt at the group: each process that opens the group
// writes a segment of its own, and none changes another's. Version 0.1 wrote one file beside where the folder is now.

/** A segment that is being written. */
export interface Segment {
  readonly path: string;
  readonly file: number;
}

/** The files of a journal, oldest first. */
function filesOf(journal: string): readonly string[] {
  const beforeSegments = `${journal}.journal`;
  const segments = segmentsIn(journal).map(({ name }) => join(journal, name));
  return existsSync(beforeSegments) ? [beforeSegments, ...segments] : segments;
}

function segmentsIn(journal: string): readonly { readonly name: string; readonly number: number }[] {
  const segments = namesIn(journal).flatMap((name) => {
    const digits = /^(\d+)\.journal$/.exec(name)?.[1];
    return digits === undefined ? [] : [{ name, number: Number(digits) }];
  });
  return segments.toSorted((a, b) => a.number - b.number);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw thrown;
  }
}

/** Begins the segment of a new attempt, private to the user. It has its mark, and is not synced. */
export function beginSegment(journal: string): Segment {
  makeFolder(journal);
  for (let number = (segmentsIn(journal).at(-1)?.number ?? 0) + 1; ; number++) {
    const path = join(journal, `${String(number).padStart(6, '0')}.journal`);
    const file = openExclusive(path);
    if (file === undefined) continue;
    files().writeSync(file, journalMark());
    return { path, file };
  }
}

function makeFolder(path: string): void {
  try {
    files().mkdirSync(path);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
  }
}

/** Undefined where another attempt has taken the name. */
function openExclusive(path: string): number | undefined {
  try {
    return files().openSync(path, 'ax');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw thrown;
  }
}

/** Removes a segment in which nothing stands, and the folder if there is nothing else in it. */
export async function removeUnused({ path }: Segment, journal: string): Promise<void> {
  await files().unlink(path);
  await removeFolder(journal);
}

/** Removes a journal whose rows are committed: all its files. */
export async function removeJournal(journal: string): Promise<void> {
  try {
    for (const path of filesOf(journal)) await files().unlink(path);
    await removeFolder(journal);
  } catch (thrown) {
    throw storageFailure(thrown, journal);
  }
}

async function removeFolder(journal: string): Promise<void> {
  try {
    await files().rmdir(journal);
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTEMPTY' && code !== 'EEXIST') throw thrown;
  }
}

/** Reads the journal of a row group; nothing stands in one that is not there. Throws `dataset/*`. */
export async function readJournal(journal: string): Promise<JournalContent> {
  try {
    const reading = filesOf(journal).map(async (path) => ({ path, bytes: await readFile(path).catch(nothingIfGone) }));
    return decodeJournal(await Promise.all(reading));
  } catch (thrown) {
    throw storageFailure(thrown, journal);
  }
}

function nothingIfGone(thrown: NodeJS.ErrnoException): Buffer {
  if (thrown.code === 'ENOENT') return Buffer.alloc(0);
  throw thrown;
}

/** The same at once, for an attempt that relies on it: what a killed process left unsynced is on disk when this ends. */
export function readJournalSync(journal: string): JournalContent {
  try {
    return decodeJournal(filesOf(journal).map((path) => ({ path, bytes: readSynced(path) })));
  } catch (thrown) {
    throw storageFailure(thrown, journal);
  }
}

function readSynced(path: string): Buffer {
  const file = files().openSync(path, 'r+');
  try {
    files().syncSync(file);
    return readFileSync(file);
  } finally {
    files().closeSync(file);
  }
}

/** What stands in one segment. */
export function readSegmentSync({ path }: Segment): JournalContent {
  return decodeJournal([{ path, bytes: readFileSync(path) }]);
}

/** The row groups that have a journal, whatever stands in it. */
export async function journaledGroups(journals: string): Promise<ReadonlySet<number>> {
  return new Set((await namesOf(journals)).flatMap((name) => journalGroupOf(name) ?? []));
}

/** The names in a folder; none where it is not there. */
export async function namesOf(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw thrown;
  }
}

/** Whether anything stands in a journal. */
export function holdsEntries(journal: string): boolean {
  return filesOf(journal).some((path) => statSync(path).size > journalMark().length);
}
