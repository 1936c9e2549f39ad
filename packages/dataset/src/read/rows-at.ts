import { stat } from 'node:fs/promises';
import { batchPaths, processorPaths } from '../read-dataset.ts';
import { ChecksumLog, type Checksums, rejectChanged } from '../logs/checksums.ts';
import { countFileRows, readerOf } from './file-rows.ts';
import { orDamaged } from '../files/damaged-file.ts';
import { datasetPaths } from '../dataset-paths.ts';
import { missingFileOnce } from '../files/missing-file.ts';
import type { RowBlock } from '../formats/dataset-format.ts';

/** Reads only the row group with the row at a position; undefined if there is none. Throws `dataset/*`. */
export async function datasetRowsAt(folder: string, position: number): Promise<RowBlock | undefined> {
  for (let missing: string | undefined; ;) {
    try {
      return await rowsAt(folder, await batchPaths(folder), position);
    } catch (thrown) {
      missing = missingFileOnce(thrown, missing);
    }
  }
}

/** The same for a processor's side table. */
export async function processorRowsAt(
  folder: string,
  processor: string,
  position: number,
): Promise<RowBlock | undefined> {
  return rowsAt(folder, await processorPaths(folder, processor), position);
}

/** The same for Arrow IPC streams, the form of previews. */
export async function streamRowsAt(streams: readonly Uint8Array[], position: number): Promise<RowBlock | undefined> {
  const { tableFromIPC } = await import('apache-arrow');
  const { tableRows } = await import('../encode/decode-table.ts');
  let first = 0;
  for (const bytes of streams) {
    const table = tableFromIPC(bytes);
    if (position < first + table.numRows) return { first, rows: [...tableRows(table)] };
    first += table.numRows;
  }
  return undefined;
}

/** The state of files that matched their checksums: sequential access compares each file once. */
const compared = new Map<string, string>();

/** Throws `dataset/damaged` if a file differs from its checksum; reads a file once, and again when it changed. */
export async function rejectChangedOnce(path: string, checksums: Checksums): Promise<void> {
  const { ino, size, mtimeMs } = await orDamaged(path, () => stat(path));
  const state = [ino, size, mtimeMs].join();
  if (compared.get(path) === state) return;
  await rejectChanged(path, checksums);
  compared.set(path, state);
}

async function rowsAt(folder: string, paths: readonly string[], position: number): Promise<RowBlock | undefined> {
  const checksums = await new ChecksumLog(datasetPaths(folder)).read();
  let before = 0;
  for (const path of paths) {
    const rows = await countFileRows(path, checksums);
    if (position < before + rows) {
      await rejectChangedOnce(path, checksums);
      const found = await (await readerOf(path)).rowsAt(path, position - before);
      return found && { first: before + found.first, rows: found.rows };
    }
    before += rows;
  }
  return undefined;
}
