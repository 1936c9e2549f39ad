import { stat } from 'node:fs/promises';
import { batchPaths } from '../read-dataset.ts';
import { ChecksumLog, type Checksums, refuseChanged } from '../repair/checksums.ts';
import { countFileRows, readerOf } from './file-rows.ts';
import { orDamaged } from '../repair/damaged-file.ts';
import { datasetPaths } from '../dataset-paths.ts';
import { goneAnew } from '../files/gone-file.ts';
import type { RowStretch } from '../formats/dataset-format.ts';
import { sideFiles } from '../side-tables.ts';

/**
 * The row group of a dataset folder that holds the row at a position, and no other; undefined where there is no such row.
 * Throws `dataset/missing` and `dataset/damaged`.
 */
export async function datasetRowsAt(folder: string, position: number): Promise<RowStretch | undefined> {
  for (let gone: string | undefined; ;) {
    try {
      return await rowsAt(folder, await batchPaths(folder), position);
    } catch (thrown) {
      gone = goneAnew(thrown, gone);
    }
  }
}

/** The same of the rows that a processor has written beside a dataset. */
export async function processorRowsAt(
  folder: string,
  processor: string,
  position: number,
): Promise<RowStretch | undefined> {
  const files = await sideFiles(datasetPaths(folder), { processor });
  const paths = files.map(({ path }) => path);
  return rowsAt(folder, paths, position);
}

/** The same of Arrow IPC streams, as previews have them. */
export async function streamRowsAt(streams: readonly Uint8Array[], position: number): Promise<RowStretch | undefined> {
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

/** Files that agreed with their checksums, as they were then: who leafs through one must not have all of it read each time. */
const compared = new Map<string, string>();

async function refuseChangedOnce(path: string, checksums: Checksums): Promise<void> {
  const { ino, size, mtimeMs } = await orDamaged(path, () => stat(path));
  const state = [ino, size, mtimeMs].join();
  if (compared.get(path) === state) return;
  await refuseChanged(path, checksums);
  compared.set(path, state);
}

async function rowsAt(folder: string, paths: readonly string[], position: number): Promise<RowStretch | undefined> {
  const checksums = await new ChecksumLog(datasetPaths(folder)).read();
  let before = 0;
  for (const path of paths) {
    const rows = await countFileRows(path, checksums);
    if (position < before + rows) {
      await refuseChangedOnce(path, checksums);
      const found = await (await readerOf(path)).rowsAt(path, position - before);
      return found && { first: before + found.first, rows: found.rows };
    }
    before += rows;
  }
  return undefined;
}
