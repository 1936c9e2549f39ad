import { messageOf } from '@data-designer/core';
import type { MemoryRows } from '@data-designer/config';
import { TemporaryFolder } from '@data-designer/dataset';
import type { UnstorableValue } from '../arrow/arrow-of-rows.ts';
import type { BrokenRows, SpooledRows } from './spool-rows.ts';

/** Rows to iterate over, perhaps only once. */
type RowIterable = Extract<MemoryRows, Iterable<unknown> | AsyncIterable<unknown>>;

/** Rows of unchecked values. */
type AnyRows = Iterable<unknown> | AsyncIterable<unknown>;

/** Stored rows, or why they cannot be stored. */
export type SpoolOutcome = SpooledRows | UnstorableValue | BrokenRows;

/** Stores rows that can be read only once in temporary files, so that later calls read them again. */
export class RowSpools implements AsyncDisposable {
  #known = new WeakMap<object, Promise<SpoolOutcome>>();
  readonly #begun = new WeakSet<object>();
  #folder: Promise<TemporaryFolder> | undefined;
  readonly #byName = new Map<string, Promise<SpoolOutcome>>();
  #count = 0;

  /** Stores the rows of an iterable at the first call, and gives the same result at later ones. */
  spool(rows: RowIterable, signal: AbortSignal): Promise<SpoolOutcome> {
    const known = this.#known.get(rows);
    if (known) return known;
    if (this.#begun.has(rows) && isOnce(rows)) {
      return Promise.resolve({ after: 0, reason: 'an earlier call that did not finish has read a part of the rows' });
    }
    this.#begun.add(rows);
    const spooled = this.#spool(rows, signal);
    this.#known.set(rows, spooled);
    // An abort or a full disk does not count: a later call tries again.
    spooled.catch(() => this.#known.delete(rows));
    return spooled;
  }

  /** Makes and stores the rows of a name at the first call; a failure makes the next call try again. */
  spoolAnew(name: string, signal: AbortSignal, make: () => AnyRows): Promise<SpoolOutcome> {
    const known = this.#byName.get(name);
    if (known) return known;
    const spooled = this.#made(make, signal);
    this.#byName.set(name, spooled);
    const forget = (): void => void this.#byName.delete(name);
    spooled.then((found) => 'fields' in found || forget(), forget);
    return spooled;
  }

  async #made(make: () => AnyRows, signal: AbortSignal): Promise<SpoolOutcome> {
    let rows: AnyRows;
    try {
      rows = make();
    } catch (thrown) {
      return { after: 0, reason: messageOf(thrown) };
    }
    return this.#spool(rows, signal);
  }

  /** The folder of the files, made at the first call. */
  async folder(): Promise<string> {
    this.#folder ??= TemporaryFolder.make();
    return (await this.#folder).path;
  }

  /** Removes the files. */
  async [Symbol.asyncDispose](): Promise<void> {
    const folder = this.#folder;
    this.#folder = undefined;
    this.#known = new WeakMap();
    this.#byName.clear();
    await (await folder)?.[Symbol.asyncDispose]();
  }

  async #spool(rows: AnyRows, signal: AbortSignal): Promise<SpoolOutcome> {
    const path = await this.folder();
    const { spoolRows } = await import('./spool-rows.ts');
    return spoolRows(rows, { folder: path, name: `rows-${this.#count++}`, signal });
  }
}

/** Whether rows can be read only once: generators and streams are their own iterator. */
function isOnce(rows: RowIterable): boolean {
  // A stream gives a new iterator, which would lock it.
  if ('locked' in rows || 'readable' in rows) return true;
  const iterator: unknown = Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]();
  return iterator === rows;
}
