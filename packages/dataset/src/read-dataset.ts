import { missingDataset } from './missing-dataset.ts';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { RecordBatch, Table } from 'apache-arrow';
import type { ArrowField, CellValue } from '@data-designer/core';
import { batchFiles } from './formats/batch-files.ts';
import { ChecksumLog, rejectChanged } from './logs/checksums.ts';
import { countFileRows, readerOf } from './read/file-rows.ts';
import { datasetPaths } from './dataset-paths.ts';
import { type SideTable, sideFiles } from './side-tables.ts';
import { missingFile, missingFileOnce } from './files/missing-file.ts';

type Records = AsyncGenerator<Record<string, CellValue>>;
type Blocks = AsyncGenerator<readonly Record<string, CellValue>[]>;

/** The rows after the first `skip`, in order, a row group in memory at a time, even if files are merged meanwhile. */
export async function* readDataset(folder: string, options: { readonly skip?: number } = {}): Records {
  for await (const rows of readDatasetBlocks(folder, options)) for (const row of rows) yield row;
}

/** The rows as `readDataset` gives them, a row group at a time: a step per row takes longer than many rows do. */
export async function* readDatasetBlocks(folder: string, { skip = 0 }: { readonly skip?: number } = {}): Blocks {
  let yielded = 0;
  for (let missing: string | undefined; ;) {
    try {
      for await (const rows of blocksFrom(folder, await batchPaths(folder), skip + yielded)) {
        yielded += rows.length;
        yield rows;
      }
      return;
    } catch (thrown) {
      missing = missingFileOnce(thrown, missing);
    }
  }
}

/** The rows of a processor's side table after the first `skip`, in order, with one row group in memory at a time. */
export async function* readProcessorRows(
  folder: string,
  processor: string,
  { skip = 0 }: { readonly skip?: number } = {},
): Records {
  for await (const rows of blocksFrom(folder, await processorPaths(folder, processor), skip)) yield* rows;
}

/** The rows of a side table, in order, with one row group in memory at a time. */
export async function* readSideRows(folder: string, table: Pick<SideTable, 'processor'>): Records {
  const files = await sideFiles(datasetPaths(folder), table);
  const paths = files.map(({ path }) => path);
  for await (const rows of blocksFrom(folder, paths, 0)) yield* rows;
}

/** The paths of the files of a processor's side table, in order. */
export async function processorPaths(folder: string, processor: string): Promise<string[]> {
  return (await sideFiles(datasetPaths(folder), { processor })).map(({ path }) => path);
}

/** The rows of one batch file; returns false if the file does not exist or was removed meanwhile. */
export async function* readBatch(path: string): AsyncGenerator<Record<string, CellValue>, boolean> {
  try {
    for await (const rows of blocksOf(path, 0)) yield* rows;
    return true;
  } catch (thrown) {
    if (missingFile(thrown) === undefined) throw thrown;
    return false;
  }
}

/** The rows of files, each compared with its checksum first. */
async function* blocksFrom(folder: string, paths: readonly string[], skip: number): Blocks {
  const checksums = await new ChecksumLog(datasetPaths(folder)).read();
  let left = skip;
  for (const path of paths) {
    const rows = left > 0 ? await countFileRows(path, checksums) : Infinity;
    if (left < rows) {
      await rejectChanged(path, checksums);
      yield* blocksOf(path, left);
    }
    left = Math.max(0, left - rows);
  }
}

async function* blocksOf(path: string, skip: number): Blocks {
  yield* (await readerOf(path)).readBlocks(path, skip);
}

/** A dataset folder as one Arrow table in memory. */
export async function readTable(folder: string, fields: readonly ArrowField[]): Promise<Table> {
  const batches: RecordBatch[] = [];
  const checksums = await new ChecksumLog(datasetPaths(folder)).read();
  for (const path of await batchPaths(folder)) {
    await rejectChanged(path, checksums);
    for await (const batch of (await readerOf(path)).recordBatches(path, fields)) batches.push(batch);
  }
  const { Table: OwnTable, tableToIPC } = await import('apache-arrow');
  const { arrowSchema } = await import('./encode/arrow-schema.ts');
  const table = batches.length > 0 ? new OwnTable(batches) : new OwnTable(arrowSchema(fields));
  const arrow = callersArrow();
  return table instanceof arrow.Table ? table : arrow.tableFromIPC(tableToIPC(table));
}

/** The rows of Arrow IPC streams, the form of previews. */
export async function* readStreams(streams: readonly Uint8Array[]): Records {
  const { tableRows } = await import('./encode/decode-table.ts');
  const { tableFromIPC } = await import('apache-arrow');
  for (const bytes of streams) yield* tableRows(tableFromIPC(bytes));
}

/** Arrow IPC streams as one table. */
export function streamsTable(streams: readonly Uint8Array[]): Table {
  const arrow = callersArrow();
  const [first, ...rest] = streams.map((bytes) => arrow.tableFromIPC(bytes));
  return first ? first.concat(...rest) : new arrow.Table();
}

/**
 * The apache-arrow that the calling program imports: the published package has a copy of the library, and `instanceof` of one
 * copy rejects the tables of another.
 */
function callersArrow(): typeof import('apache-arrow') {
  return createRequire(import.meta.url)(fileURLToPath(import.meta.resolve('apache-arrow')));
}

/** The paths of a dataset's files in order of its row groups; throws `dataset/missing`. */
export async function batchPaths(folder: string): Promise<string[]> {
  try {
    return (await batchFiles(datasetPaths(folder))).map(({ path }) => path);
  } catch {
    throw missingDataset(folder);
  }
}
