import { closeSync, fstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemCode } from '@data-designer/core';
import { type CellPlace, type JournalContent, journalMark, JournalReader, placeKey } from './journal-file.ts';
import type { JournalSegment, JournalStore } from './journal-store.ts';
import { journalGroupOf } from '../dataset-paths.ts';
import { files } from '../files/files.ts';
import { removeIfEmpty } from '../files/make-folder.ts';
import { ifThere } from '../files/missing-file.ts';
import { orStorageFailure, storageFailure } from '../files/storage-failure.ts';

/** A journal in a folder, with a new numbered file per attempt. */
export function folderJournal(journal: string): JournalStore {
  return {
    open: () =>
      withStorageErrors(journal, () => ({
        earlier: joined(filesOf(journal).map(readSynced)),
        segment: new FolderSegment(journal),
      })),
    read: () =>
      orStorageFailure(journal, async () => {
        const contents: FileContent[] = [];
        for (const path of filesOf(journal)) contents.push(await ifThere(readFrames(path), EMPTY));
        return joined(contents);
      }),
    remove: () =>
      orStorageFailure(journal, async () => {
        for (const path of filesOf(journal)) await files().unlink(path);
        await removeIfEmpty(journal);
      }),
  };
}

/** A segment that is being written; its file begins with the mark of its version. */
class FolderSegment implements JournalSegment {
  readonly #journal: string;
  readonly #path: string;
  readonly #file: number;
  /** Folders whose entry for the segment, or for its folder, is not synced yet. */
  #unsyncedFolders: readonly string[];
  /** The length of the whole frames in the file. */
  #bytes = journalMark().length;

  constructor(journal: string) {
    this.#journal = journal;
    makeFolder(journal);
    ({ path: this.#path, file: this.#file } = createNext(journal));
    files().writeSync(this.#file, journalMark());
    this.#unsyncedFolders = [journal, dirname(journal)];
  }

  append(frames: Buffer): void {
    withStorageErrors(this.#path, () => {
      try {
        for (let offset = 0; offset < frames.length;) offset += files().writeSync(this.#file, frames.subarray(offset));
      } catch (thrown) {
        // Frames after a torn one could not be read.
        files().truncateSync(this.#file, this.#bytes);
        throw thrown;
      }
      this.#bytes += frames.length;
    });
  }

  sync(): Promise<void> {
    return orStorageFailure(this.#journal, async () => {
      await files().sync(this.#file);
      // An open file takes answers also after its folder was removed or moved, where no resume finds them.
      await stat(dirname(this.#journal));
      for (const folder of this.#unsyncedFolders) await files().syncFolder(folder);
      this.#unsyncedFolders = [];
    });
  }

  read(): JournalContent {
    const file = openSync(this.#path, 'r');
    try {
      const { entries, failedCells } = readAll(this.#path, file);
      return { entries, failedCells };
    } finally {
      closeSync(file);
    }
  }

  async close(): Promise<void> {
    files().closeSync(this.#file);
    if (this.#bytes > journalMark().length) return;
    await files().unlink(this.#path);
    await removeIfEmpty(this.#journal);
  }
}

/** Runs `work`; turns errors of the file system into `dataset/*`. */
function withStorageErrors<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (thrown) {
    throw storageFailure(thrown, path);
  }
}

/** The files of a journal, oldest first. */
export function filesOf(journal: string): readonly string[] {
  return segmentsIn(journal).map(({ name }) => join(journal, name));
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
    if (systemCode(thrown) === 'ENOENT') return [];
    throw thrown;
  }
}

function makeFolder(path: string): void {
  try {
    files().mkdirSync(path);
  } catch (thrown) {
    if (systemCode(thrown) !== 'EEXIST') throw thrown;
  }
}

/** Creates the file of the next free number, private to the user. */
function createNext(journal: string): { readonly path: string; readonly file: number } {
  for (let number = (segmentsIn(journal).at(-1)?.number ?? 0) + 1; ; number++) {
    const path = join(journal, `${String(number).padStart(6, '0')}.journal`);
    try {
      return { path, file: files().openSync(path, 'ax') };
    } catch (thrown) {
      // Another attempt has taken the number.
      if (systemCode(thrown) !== 'EEXIST') throw thrown;
    }
  }
}

/** Reads a file and syncs it first: a killed process may have left it unsynced. */
function readSynced(path: string): FileContent {
  const file = files().openSync(path, 'r+');
  try {
    files().syncSync(file);
    return readAll(path, file);
  } finally {
    files().closeSync(file);
  }
}

/** Reads an open file from its start. */
function readAll(path: string, file: number): FileContent {
  const reader = new JournalReader(path);
  const { size } = fstatSync(file);
  for (let hasMore = true; hasMore && reader.at < size;) {
    const part = Buffer.allocUnsafeSlow(Math.min(reader.wanted, size - reader.at));
    let read = 0;
    for (let got = -1; got !== 0 && read < part.length; read += got) {
      got = readSync(file, part, read, part.length - read, reader.at + read);
    }
    hasMore = reader.take(part.subarray(0, read));
  }
  const { entries, failedCells, anew } = reader;
  return { entries, failedCells, anew };
}

/** Reads a file from a place on, where an earlier reader has ended; a file that is shorter by now is read from its start. */
export async function readFrames(path: string, from = 0): Promise<JournalReader> {
  await using file = await open(path, 'r');
  const { size } = await file.stat();
  const reader = new JournalReader(path, from > size ? 0 : from);
  for (let hasMore = true; hasMore && reader.at < size;) {
    const part = Buffer.allocUnsafeSlow(Math.min(reader.wanted, size - reader.at));
    let read = 0;
    for (let got = -1; got !== 0 && read < part.length; read += got) {
      ({ bytesRead: got } = await file.read(part, read, part.length - read, reader.at + read));
    }
    hasMore = reader.take(part.subarray(0, read));
  }
  return reader;
}

/** The content of one file. */
interface FileContent extends JournalContent {
  /** The cells whose entries in earlier files do not count. */
  readonly anew: readonly CellPlace[];
}

const EMPTY: FileContent = { entries: [], failedCells: [], anew: [] };

/** The content of several files in their order, without what later files do not count. */
function joined(contents: readonly FileContent[]): JournalContent {
  const anew = new Set<string>();
  const counting = contents.toReversed().map((content) => {
    const counts = (cell: CellPlace) => !anew.has(placeKey(cell));
    const isWhole = anew.size === 0;
    const entries = isWhole ? content.entries : content.entries.filter(counts);
    const failedCells = isWhole ? content.failedCells : content.failedCells.filter(counts);
    for (const cell of content.anew) anew.add(placeKey(cell));
    return { entries, failedCells };
  });
  const inOrder = counting.toReversed();
  return {
    entries: inOrder.flatMap(({ entries }) => entries),
    failedCells: inOrder.flatMap(({ failedCells }) => failedCells),
  };
}

/** The row groups that have a journal, even an empty one. */
export async function journaledGroups(journals: string): Promise<ReadonlySet<number>> {
  return new Set((await namesOf(journals)).flatMap((name) => journalGroupOf(name) ?? []));
}

/** The names in a folder; none if it does not exist. */
export function namesOf(folder: string): Promise<readonly string[]> {
  return ifThere(readdir(folder), []);
}

/** Whether a journal has an entry. */
export function holdsEntries(journal: string): boolean {
  return filesOf(journal).some((path) => statSync(path).size > journalMark().length);
}
