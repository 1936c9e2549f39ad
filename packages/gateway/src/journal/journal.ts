import { dirname } from 'node:path';
import type { Address, FailedCell } from '@data-designer/core';
import {
  beginSegment,
  files,
  FrameBuffer,
  journalMark,
  type JournalRecord,
  readJournalSync,
  readSegmentSync,
  removeJournal,
  removeUnused,
  type Segment,
  storageFailure,
} from '@data-designer/dataset/journal';
import { JournaledAnswers } from './journaled-answers.ts';

/** What is received is on disk within this time even if the machine loses power; `kill -9` loses nothing. */
const SYNC_EVERY_MS = 200;

/** The key of an address within one row group. */
export function addressKey({ row, column, call }: Address): string {
  return `${row}/${call}/${column}`;
}

/**
 * The answers that one row group has paid for, and its failed cells, kept until it is committed. Opening one replays what
 * earlier attempts wrote, and begins a segment for this one.
 */
export class Journal {
  readonly #path: string;
  readonly #segment: Segment;
  readonly #entries: JournaledAnswers;
  readonly #failedCells: FailedCell[];
  /** Folders in which the segment's name, or that of its folder, is not on disk yet. */
  #unsyncedFolders: readonly string[];
  /** Length of the segment's whole frames. */
  #bytes = journalMark().length;
  readonly #pending = new FrameBuffer();
  /** Whether a worker was lost: only then may an answer be asked for that came in after opening. */
  #remembers = false;
  #timer: NodeJS.Timeout | undefined;
  #syncing: Promise<void> = Promise.resolve();
  #isClosed = false;
  #failure: unknown;

  private constructor(path: string) {
    this.#path = path;
    const { entries, failedCells } = readJournalSync(path);
    this.#segment = beginSegment(path);
    this.#entries = new JournaledAnswers(entries);
    this.#failedCells = [...failedCells];
    this.#unsyncedFolders = [path, dirname(path)];
  }

  /** Opens the journal whose segments stand in the folder `path`, or starts it. Throws `dataset/*` failures. */
  static open(path: string): Journal {
    try {
      return new Journal(path);
    } catch (thrown) {
      throw storageFailure(thrown, path);
    }
  }

  /** The cells that must not be made again. */
  get failedCells(): readonly FailedCell[] {
    return this.#failedCells;
  }

  /** The entry at an address, if it answers the same request; a different request voids it and the cell's later ones. */
  answer(at: Address, request: string): JournalRecord | undefined {
    return this.#entries.answer(at, request);
  }

  /** What was paid at an address for the same request without an answer to it. */
  unanswered(at: Address, request: string): JournalRecord | undefined {
    return this.#entries.unanswered(at, request);
  }

  /** Whether there is an entry at an address. */
  has(at: Address): boolean {
    return this.#entries.has(at);
  }

  /** Whether there is an entry of a row. */
  hasRow(row: number): boolean {
    return this.#entries.hasRow(row);
  }

  /** Takes an entry in; it stands in the file after the next `write`. */
  append(entry: JournalRecord): void {
    this.#pending.add(entry);
    if (this.#remembers) this.#entries.add(entry);
  }

  /** Records a cell that must not be made again: on disk when this returns. Throws `dataset/*` failures. */
  failCell(cell: FailedCell): void {
    this.#pending.addFailedCell(cell);
    this.write();
    try {
      files().syncSync(this.#segment.file);
      for (const folder of this.#unsyncedFolders) files().syncFolderSync(folder);
    } catch (thrown) {
      throw storageFailure(thrown, this.#path);
    }
    this.#unsyncedFolders = [];
    this.#failedCells.push(cell);
  }

  /** Writes what was appended, in one call, and sees to its fsync. Throws `dataset/disk-full` or `dataset/unwritable`. */
  write(): void {
    // An answer that was given up may still come in; by then the file's number may be that of another file.
    if (this.#isClosed) return;
    const { bytes } = this.#pending;
    if (this.#failure !== undefined) throw this.#failure;
    if (bytes.length === 0) return;
    const { file, path } = this.#segment;
    try {
      for (let offset = 0; offset < bytes.length;) offset += files().writeSync(file, bytes.subarray(offset));
    } catch (thrown) {
      // What follows a torn frame could not be read: it goes from the file, and waits here until there is room.
      files().truncateSync(file, this.#bytes);
      throw storageFailure(thrown, path);
    }
    this.#bytes += bytes.length;
    this.#pending.clear();
    this.#syncLater();
  }

  /** Makes answers that a lost worker had received, or still waits for, available to its successor. */
  reload(): void {
    this.write();
    this.#remembers = true;
    for (const entry of readSegmentSync(this.#segment).entries) this.#entries.add(entry);
  }

  /**
   * Ends the journal, keeping its files for a later run, or removing them because its rows are committed: that may wait
   * for what else is being synced, and nobody else does. Rejects with `dataset/*` failures.
   */
  async close({ keep }: { keep: boolean }): Promise<void> {
    clearTimeout(this.#timer);
    await this.#syncing;
    try {
      if (keep) {
        this.write();
        clearTimeout(this.#timer);
        await this.#sync();
        if (this.#failure !== undefined) throw this.#failure;
      }
    } finally {
      this.#isClosed = true;
      clearTimeout(this.#timer);
      files().closeSync(this.#segment.file);
    }
    if (!keep) await removeJournal(this.#path);
    else if (this.#bytes === journalMark().length) await removeUnused(this.#segment, this.#path);
  }

  #syncLater(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#syncing = this.#syncing.then(() => this.#sync());
    }, SYNC_EVERY_MS);
  }

  /** A failure shows in the next write or at the end; nothing received so far is lost to the process. */
  async #sync(): Promise<void> {
    try {
      await files().sync(this.#segment.file);
      for (const folder of this.#unsyncedFolders) await files().syncFolder(folder);
      this.#unsyncedFolders = [];
    } catch (thrown) {
      this.#failure = storageFailure(thrown, this.#path);
    }
  }
}
