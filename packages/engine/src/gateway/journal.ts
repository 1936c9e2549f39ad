import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Address } from '@data-designer/core';
import { storageFailure } from '../store/storage-failure.ts';
import { KeptEntries } from './kept-entries.ts';
import { decodeJournal, FrameBuffer, journalMark, type JournalRecord } from './journal-file.ts';

/** What is received is on disk within this time even if the machine loses power; `kill -9` loses nothing. */
const SYNC_EVERY_MS = 200;

/** The key of an address within one row group. */
export function addressKey({ row, column, call }: Address): string {
  return `${row}/${call}/${column}`;
}

/** The answers that one row group has paid for, kept until it is committed. Opening one replays what it holds. */
export class Journal {
  readonly #path: string;
  readonly #file: number;
  readonly #entries: KeptEntries;
  /** Length of the file's whole frames. */
  #bytes: number;
  readonly #pending = new FrameBuffer();
  /** Whether a worker was lost: only then may an answer be asked for that came in after opening. */
  #remembers = false;
  #syncing: NodeJS.Timeout | undefined;

  private constructor(path: string, file: number, entries: readonly JournalRecord[]) {
    this.#path = path;
    this.#file = file;
    this.#bytes = fstatSync(file).size;
    this.#entries = new KeptEntries(entries);
  }

  /** Opens or starts the journal at `path`; a torn tail is cut off. Throws `dataset/*` failures. */
  static open(path: string): Journal {
    try {
      const file = openSync(path, 'a+', 0o600);
      const { entries, wholeBytes } = decodeJournal(readFileSync(file));
      ftruncateSync(file, wholeBytes);
      if (wholeBytes === 0) {
        writeSync(file, journalMark());
        syncFolderOf(path);
      }
      return new Journal(path, file, entries);
    } catch (thrown) {
      throw storageFailure(thrown, path);
    }
  }

  /** The entry at an address, if it answers the same request; a different request voids it and the cell's later ones. */
  answer(at: Address, request: string): JournalRecord | undefined {
    return this.#entries.answer(at, request);
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

  /** Writes what was appended, in one call, and sees to its fsync. Throws `dataset/disk-full` or `dataset/unwritable`. */
  write(): void {
    const { bytes } = this.#pending;
    if (bytes.length === 0) return;
    try {
      for (let offset = 0; offset < bytes.length;) offset += writeSync(this.#file, bytes, offset);
    } catch (thrown) {
      // What follows a torn frame could not be read: it goes from the file, and waits here until there is room.
      ftruncateSync(this.#file, this.#bytes);
      throw storageFailure(thrown, this.#path);
    }
    this.#bytes += bytes.length;
    this.#pending.clear();
    this.#syncing ??= setTimeout(() => this.#sync(), SYNC_EVERY_MS);
  }

  /** Makes answers that a lost worker had received, or still waits for, available to its successor. */
  reload(): void {
    this.write();
    this.#remembers = true;
    for (const entry of decodeJournal(readFileSync(this.#path)).entries) this.#entries.add(entry);
  }

  /**
   * Ends the journal, keeping its file for a later run, or removing it because its rows are committed: that may wait for
   * what else is being synced, and nobody else does. Rejects with `dataset/*` failures.
   */
  async close({ keep }: { keep: boolean }): Promise<void> {
    clearTimeout(this.#syncing);
    if (keep) {
      this.write();
      fdatasyncSync(this.#file);
    }
    closeSync(this.#file);
    try {
      if (!keep) await rm(this.#path, { force: true });
    } catch (thrown) {
      throw storageFailure(thrown, this.#path);
    }
  }

  #sync(): void {
    this.#syncing = undefined;
    // A failed sync shows in the next write or at the end; nothing received so far is lost to the process.
    fdatasync(this.#file, () => {});
  }
}

/** Makes a new file's name survive a power cut; where folders cannot be opened, names are journalled by the system. */
function syncFolderOf(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(dirname(path), 'r');
  fsyncSync(folder);
  closeSync(folder);
}
