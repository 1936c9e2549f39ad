import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { ArrowField, Batch } from '@data-designer/core';
import { batchFiles } from '../read/batch-files.ts';
import { ChecksumLog, stageSummed } from './checksums.ts';
import { commit } from '../files/commit-file.ts';
import type { DatasetPaths } from '../dataset-paths.ts';
import { files } from '../files/files.ts';
import { type BatchFormat, storageOf } from '../formats/formats.ts';

/** How the files of a dataset are written anew. */
export interface Rewriting {
  readonly fields: readonly ArrowField[];
  readonly format: BatchFormat;
  /** The batches of the new file, by the path of the old one. */
  readonly batchesOf: (path: string) => AsyncIterable<Batch>;
}

/** Where the new files are, and where they are once all of them are there. */
function foldersOf({ folder, partialFiles }: DatasetPaths): { readonly begun: string; readonly whole: string } {
  return { begun: join(partialFiles, 'rewritten'), whole: join(folder, 'rewritten-files') };
}

/**
 * Writes every file of a dataset anew under its name; for who holds the folder's lock. The new files count when all are
 * there, and `finishRewrite` has put them in their place.
 */
export async function rewriteBatches(paths: DatasetPaths, { fields, format, batchesOf }: Rewriting): Promise<void> {
  const { begun, whole } = foldersOf(paths);
  await files().removeTree(begun);
  await files().mkdir(begun, { recursive: true });
  const write = await storageOf(format).loadWriter();
  const log = new ChecksumLog(paths);
  for (const { path } of await batchFiles(paths)) {
    let rows = 0;
    const counted = async function* (): AsyncGenerator<Batch> {
      for await (const batch of batchesOf(path)) {
        rows += batch.rows;
        yield batch;
      }
    };
    const staged = await stageSummed(
      join(begun, basename(path)),
      (append) => write({ fields, batches: counted() }, append),
      { rows },
    );
    await log.add([{ path, sum: { ...staged.sum, rows, processed: true } }]);
    await commit(staged);
  }
  await files().rename(begun, whole);
  await files().syncFolder(dirname(whole));
}

/**
 * Puts rewritten files in the place of the others, if there are some, also where that was cut off. `note` records that they
 * are there, before the last sign of them goes.
 */
export async function finishRewrite(paths: DatasetPaths, note: () => Promise<void>): Promise<void> {
  const { whole } = foldersOf(paths);
  const names = await readdir(whole).catch(() => undefined);
  if (!names) return;
  for (const name of names) await files().rename(join(whole, name), join(paths.parquetFiles, name));
  await files().syncFolder(paths.parquetFiles);
  await note();
  await files().removeTree(whole);
}
