import { open } from 'node:fs/promises';
import { systemCode } from '@data-designer/core';
import type { DatasetPaths } from '../dataset-paths.ts';
import { filesOf, journaledGroups } from './folder-journal.ts';
import { decodeFrames, type JournalRecord } from './journal-file.ts';

/** The most bytes read of a file at once; a longer frame is read whole. */
const CHUNK_BYTES = 8 * 1024 * 1024;
/** A frame begins with its length and its checksum. */
const FRAME_HEAD_BYTES = 8;

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
    const records: JournalRecord[] = [];
    try {
      await using file = await open(path, 'r');
      const { size } = await file.stat();
      // A reused name starts from zero.
      let at = this.#ends.get(path) ?? 0;
      if (size < at) at = 0;
      for (let bytes = CHUNK_BYTES; at < size;) {
        const part = Buffer.allocUnsafe(Math.min(bytes, size - at));
        const { bytesRead } = await file.read(part, 0, part.length, at);
        const { entries, end } = decodeFrames(path, part.subarray(0, bytesRead), at);
        records.push(...entries);
        if (end > at) {
          at = end;
          bytes = CHUNK_BYTES;
          continue;
        }
        const needed = bytesRead < FRAME_HEAD_BYTES ? 0 : FRAME_HEAD_BYTES + part.readUInt32LE(0);
        // The frame is not complete yet.
        if (needed <= bytes) break;
        bytes = needed;
      }
      this.#ends.set(path, at);
    } catch (thrown) {
      // The group is committed.
      if (systemCode(thrown) !== 'ENOENT') throw thrown;
    }
    return records;
  }
}
