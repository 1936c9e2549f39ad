import type { Address, FailedCell } from '@data-designer/core';
import {
  FrameBuffer,
  type JournalRecord,
  type JournalSegment,
  type JournalStore,
} from '@data-designer/dataset/journal';
import { JournaledAnswers } from './journaled-answers.ts';

/** An answer is synced within this time. Until then it survives the end of the process, but not a power cut. */
const SYNC_EVERY_MS = 200;

/** The key of an address within one row group. */
export function addressKey({ row, column, call }: Address): string {
  return `${row}/${call}/${column}`;
}

/**
 * The paid answers and failed cells of one row group, kept until the group is committed. Opening it reads what earlier
 * attempts wrote, and opens a segment for this one.
 */
export class Journal {
  readonly #store: JournalStore;
  readonly #segment: JournalSegment;
  /** The answers that calls may find. */
  readonly entries: JournaledAnswers;
  readonly #failedCells: FailedCell[];
  readonly #pending = new FrameBuffer();
  /** Whether a worker was lost: only then may an answer be looked up that arrived after opening. */
  #remembers = false;
  #timer: NodeJS.Timeout | undefined;
  #syncing: Promise<void> = Promise.resolve();
  #isClosed = false;
  #failure: unknown;

  private constructor(store: JournalStore) {
    this.#store = store;
    const { earlier, segment } = store.open();
    this.#segment = segment;
    this.entries = new JournaledAnswers(earlier.entries);
    this.#failedCells = [...earlier.failedCells];
  }

  /** Opens the journal of a row group, or starts it. Throws `dataset/*` failures. */
  static open(store: JournalStore): Journal {
    return new Journal(store);
  }

  /** The cells that must not be made again. */
  get failedCells(): readonly FailedCell[] {
    return this.#failedCells;
  }

  /** Adds an entry; the next `write` appends it to the segment. */
  append(entry: JournalRecord): void {
    this.#pending.add(entry);
    if (this.#remembers) this.entries.add(entry);
  }

  /** Records a cell that must not be made again; resolves when that is synced. Rejects with `dataset/*` failures. */
  async failCell(cell: FailedCell): Promise<void> {
    this.#pending.addFailedCell(cell);
    this.write();
    this.#failedCells.push(cell);
    await this.#segment.sync();
  }

  /** Appends the added entries to the segment in one call, and syncs it soon. Throws `dataset/*` failures. */
  write(): void {
    // An answer may arrive after its row was given up and the journal closed.
    if (this.#isClosed) return;
    if (this.#failure !== undefined) throw this.#failure;
    const { bytes } = this.#pending;
    if (bytes.length === 0) return;
    this.#segment.append(bytes);
    this.#pending.clear();
    this.#syncLater();
  }

  /** Makes answers that a lost worker had received, or still waits for, available to its successor. */
  reload(): void {
    this.write();
    this.#remembers = true;
    for (const entry of this.#segment.read().entries) this.entries.add(entry);
  }

  /** Ends the journal; it stays for a later run, or is removed because its rows are committed. Rejects with `dataset/*`. */
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
      await this.#segment.close();
    }
    if (!keep) await this.#store.remove();
  }

  #syncLater(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#syncing = this.#syncing.then(() => this.#sync());
    }, SYNC_EVERY_MS);
  }

  /** The next write, or `close`, throws the failure of a sync. */
  async #sync(): Promise<void> {
    try {
      await this.#segment.sync();
    } catch (thrown) {
      this.#failure = thrown;
    }
  }
}
