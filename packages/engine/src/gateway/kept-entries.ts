import crypto from 'node:crypto';
import type { Address, Call } from '@data-designer/core';
import type { JournalRecord } from './journal-file.ts';

/** The SHA-256 of what is asked of whom: what an entry must have in common with a call to answer it. */
export function requestOf({ resource, path, body }: Pick<Call, 'resource' | 'path' | 'body'>): string {
  return crypto.hash('sha256', `${resource}\n${path}\n${body}`);
}

/** The entries of a journal by cell and call number. */
export class KeptEntries {
  readonly #cells = new Map<string, (JournalRecord | undefined)[]>();
  readonly #voided: JournalRecord[] = [];
  /** Rows that have had entries. */
  readonly #rows = new Set<number>();

  constructor(entries: readonly JournalRecord[]) {
    for (const entry of entries) this.add(entry);
  }

  /** Takes an entry in. A later one of another request at an address ends the conversation that stood there. */
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

  /** Whether there is an entry at an address. */
  has(at: Address): boolean {
    return this.#cells.get(cellKey(at))?.[at.call] !== undefined;
  }

  /** The entry at an address, if it answers the same request; a different request voids it and the cell's later ones. */
  answer(at: Address, request: string): JournalRecord | undefined {
    const calls = this.#cells.get(cellKey(at));
    const entry = calls?.[at.call];
    if (!calls || !entry || entry.request === request) return entry;
    for (const one of calls.splice(at.call)) if (one) this.#voided.push(one);
    return undefined;
  }

  /** The entries that a request has made void. */
  get voided(): readonly JournalRecord[] {
    return this.#voided;
  }
}

function cellKey({ row, column }: Pick<Address, 'row' | 'column'>): string {
  return `${row}/${column}`;
}
