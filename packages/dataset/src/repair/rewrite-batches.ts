import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { ArrowField, Batch, ColumnData } from '@data-designer/core';
import { batchFiles } from '../formats/batch-files.ts';
import { ChecksumLog } from '../logs/checksums.ts';
import { stageSummed } from '../files/file-sum.ts';
import { commit } from '../files/commit-file.ts';
import { type DatasetPaths, stagingFolders } from '../dataset-paths.ts';
import { files } from '../files/files.ts';
import { partsOf } from '../encode/row-chunks.ts';
import { storageOf } from '../formats/formats.ts';
import { type Storage, storedTable } from '../write.ts';

/** Options of a rewrite. */
export interface RewriteOptions extends Storage {
  readonly fields: readonly ArrowField[];
  /** The batches of the new file for the path of an old one. */
  readonly batchesOf: (path: string) => AsyncIterable<Batch>;
}

/** Rewrites every file, under the folder's lock; the new files count once `finishRewrite` has moved all of them. */
export async function rewriteBatches(
  paths: DatasetPaths,
  { fields, format, layout, batchesOf }: RewriteOptions,
): Promise<void> {
  const { unfinished, complete } = stagingFolders(paths, 'rewritten');
  await files().removeTree(unfinished);
  await files().mkdir(unfinished, { recursive: true });
  const write = await storageOf(format).loadWriter();
  const log = new ChecksumLog(paths);
  for (const { path } of await batchFiles(paths)) {
    let rows = 0;
    const counted = async function* (): AsyncGenerator<Batch> {
      for await (const batch of batchesOf(path)) {
        rows += batch.rows;
        yield* partsOf(batch);
      }
    };
    // The values of a whole file decide the types of the other layout.
    const table =
      layout === 'python' ? await storedTable(await joined(counted(), fields), layout) : { fields, batches: counted() };
    const staged = await stageSummed(join(unfinished, basename(path)), (append) => write(table, append), { rows });
    await log.add([{ path, sum: { ...staged.sum, rows, processed: true } }]);
    await commit(staged);
  }
  await files().rename(unfinished, complete);
  await files().syncFolder(dirname(complete));
}

/** Several batches as one. */
async function joined(batches: AsyncIterable<Batch>, fields: readonly ArrowField[]): Promise<Batch> {
  const columns = new Map<string, ColumnData>();
  let rows = 0;
  for await (const batch of batches) {
    rows += batch.rows;
    for (const [name, values] of batch.columns) columns.set(name, [...(columns.get(name) ?? []), ...values]);
  }
  return { fields, columns, rows };
}

/** Moves the rewritten files, if any, also after an interruption; calls `record` before their folder is removed. */
export async function finishRewrite(paths: DatasetPaths, record: () => Promise<void>): Promise<void> {
  const { complete } = stagingFolders(paths, 'rewritten');
  const names = await readdir(complete).catch(() => undefined);
  if (!names) return;
  for (const name of names) await files().rename(join(complete, name), join(paths.parquetFiles, name));
  await files().syncFolder(paths.parquetFiles);
  await record();
  await files().removeTree(complete);
}
