import { systemCode } from '@data-designer/core';
import type { DatasetPaths } from '../dataset-paths.ts';
import { filesOf, journaledGroups, readFrames } from './folder-journal.ts';
import type { JournalRecord } from './journal-file.ts';

/** Reads the answers that a run appends to the journals of its open row groups, without its lock. */
export class JournalTail {
  readonly #paths: Pick<DatasetPaths, 'journals' | 'journal'>;
  readonly #ends = new Map<string, number>();

  constructor(paths: Pick<DatasetPaths, 'journals' | 'journal'>) {
    this.#paths = paths;
  }

  /** The answers appended since the last call, by row group; a group without a new one is in the map too. */
  async read(): Promise<ReadonlyMap<number, readonly JournalRecord[]>> {
    const found = new Map<number, readonly JournalRecord[]>();
    const known = new Set<string>();
    for (const group of [...(await journaledGroups(this.#paths.journals))].toSorted((a, b) => a - b)) {
      const records: JournalRecord[] = [];
      for (const path of filesOf(this.#paths.journal(group))) {
        known.add(path);
        records.push(...(await this.#readFile(path)));
      }
      found.set(group, records);
    }
    for (const path of this.#ends.keys()) if (!known.has(path)) this.#ends.delete(path);
    return found;
  }

  async #readFile(path: string): Promise<readonly JournalRecord[]> {
    try {
      const { entries, at } = await readFrames(path, this.#ends.get(path));
      this.#ends.set(path, at);
      return entries;
    } catch (thrown) {
      // The group is committed.
      if (systemCode(thrown) !== 'ENOENT') throw thrown;
      return [];
    }
  }
}
