import type { MemoryRows } from '@data-designer/config';
import { TemporaryFolder } from '../tables/temporary-folder.ts';
import type { NoData } from '../arrow/arrow-of-rows.ts';
import { type BrokenRows, type SpooledRows, spoolRows } from './spool-rows.ts';

/** Rows that come one after the other, and perhaps only once. */
export type Stream = Extract<MemoryRows, Iterable<unknown> | AsyncIterable<unknown>>;

/** Rows that may hold anything. */
type AnyRows = Iterable<unknown> | AsyncIterable<unknown>;

/** What comes of reading rows to their end. */
export type Spooled = SpooledRows | NoData | BrokenRows;

/** Keeps rows that can be read only once, for as long as somebody may ask for them again. */
export class RowSpools implements AsyncDisposable {
  #known = new WeakMap<object, Promise<Spooled>>();
  readonly #begun = new WeakSet<object>();
  #folder: Promise<TemporaryFolder> | undefined;
  readonly #byName = new Map<string, Promise<Spooled>>();
  #count = 0;

  /** The rows, read to their end when first asked for. */
  spool(rows: Stream, signal: AbortSignal): Promise<Spooled> {
    const known = this.#known.get(rows);
    if (known) return known;
    if (this.#begun.has(rows) && isOnce(rows)) {
      return Promise.resolve({ after: 0, reason: 'an earlier call that did not end has read a part of them' });
    }
    this.#begun.add(rows);
    const spooled = this.#spool(rows, signal);
    this.#known.set(rows, spooled);
    // What was stopped, or found no room, may be tried again.
    spooled.catch(() => this.#known.delete(rows));
    return spooled;
  }

  /** The rows of a name, made and read to their end when first asked for, and again where that did not go well. */
  spoolAnew(name: string, signal: AbortSignal, make: () => AnyRows): Promise<Spooled> {
    const known = this.#byName.get(name);
    if (known) return known;
    const spooled = this.#made(make, signal);
    this.#byName.set(name, spooled);
    const forget = (): void => void this.#byName.delete(name);
    spooled.then((found) => 'fields' in found || forget(), forget);
    return spooled;
  }

  async #made(make: () => AnyRows, signal: AbortSignal): Promise<Spooled> {
    let rows: AnyRows;
    try {
      rows = make();
    } catch (thrown) {
      return { after: 0, reason: thrown instanceof Error ? thrown.message : String(thrown) };
    }
    return this.#spool(rows, signal);
  }

  /** Removes what was kept. */
  async [Symbol.asyncDispose](): Promise<void> {
    const folder = this.#folder;
    this.#folder = undefined;
    this.#known = new WeakMap();
    this.#byName.clear();
    await (await folder)?.[Symbol.asyncDispose]();
  }

  async #spool(rows: AnyRows, signal: AbortSignal): Promise<Spooled> {
    this.#folder ??= TemporaryFolder.make();
    const { path } = await this.#folder;
    return spoolRows(rows, { folder: path, name: `rows-${this.#count++}`, signal });
  }
}

/** Whether rows are there once: what goes through them is themselves, as with generators and streams. */
function isOnce(rows: Stream): boolean {
  const given = rows as unknown as Partial<Record<symbol, () => unknown>>;
  // A stream makes an iterator of its own, which would take hold of it.
  if ('locked' in rows || 'readable' in rows) return true;
  return given[Symbol.asyncIterator in rows ? Symbol.asyncIterator : Symbol.iterator]?.() === rows;
}
