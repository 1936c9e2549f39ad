import crypto from 'node:crypto';
import type { Address, Call } from '@data-designer/core';
import type { JournalRecord } from '@data-designer/dataset/journal';

/** The SHA-256 of resource, path and body: an entry answers a call with the same hash. */
export function requestOf({ resource, path, body }: Pick<Call, 'resource' | 'path' | 'body'>): string {
  return crypto.hash('sha256', `${resource}\n${path}\n${body}`);
}

/** The entries of a journal, by cell and call number. */
export class JournaledAnswers {
  readonly #cells = new Map<string, (JournalRecord | undefined)[]>();
  /** The entries that calls with another request have made void. */
  readonly voided: JournalRecord[] = [];
  /** Rows that have had entries. */
  readonly #rows = new Set<number>();

  constructor(entries: readonly JournalRecord[]) {
    for (const entry of entries) this.add(entry);
  }

  /** Adds an entry. One with another request at the same address removes the cell's later entries. */
  add(entry: JournalRecord): void {
    this.#rows.add(entry.row);
    const key = cellKey(entry);
    const known = this.#cells.get(key);
    if (!known) {
      const calls: JournalRecord[] = [];
      calls[entry.call] = entry;
      this.#cells.set(key, calls);
      return;
    }
    const before = known[entry.call];
    if (before && before.request !== entry.request) known.length = entry.call;
    known[entry.call] = entry;
  }

  /** Whether there is, or was, an entry of a row. */
  hasRow(row: number): boolean {
    return this.#rows.has(row);
  }

  /** Whether there is an answer at an address. */
  has(at: Address): boolean {
    return this.#cells.get(cellKey(at))?.[at.call] !== undefined;
  }

  /** The entry at an address if it answers the same request; a different request voids it and the cell's later ones. */
  answer(at: Address, request: string): JournalRecord | undefined {
    const calls = this.#cells.get(cellKey(at));
    const entry = calls?.[at.call];
    if (!calls || !entry) return undefined;
    if (entry.request === request) return entry;
    // The numbers of later attempts are far apart: only the entries are visited.
    for (const [call, one] of Object.entries(calls)) if (one && Number(call) >= at.call) this.voided.push(one);
    calls.length = at.call;
    return undefined;
  }
}

function cellKey({ row, column }: Pick<Address, 'row' | 'column'>): string {
  return `${row}/${column}`;
}
