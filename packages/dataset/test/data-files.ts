import { join } from 'node:path';
import type { Batch } from '@data-designer/core';
import { commit } from '../src/files/commit-file.ts';
import { batchFormatOf, type BatchFormat, DEFAULT_FORMAT, storageOf } from '../src/formats/formats.ts';
import { batchName } from '../src/formats/batch-files.ts';
import { stageBatch } from '../src/write.ts';

/** The data file of a row group. */
export function batchPath(
  { parquetFiles }: { readonly parquetFiles: string },
  group: number,
  format: BatchFormat = DEFAULT_FORMAT,
): string {
  return join(parquetFiles, batchName(group, format));
}

/** Writes a batch as a data file, in the format of its extension. */
export async function writeDataFile(path: string, batch: Batch): Promise<void> {
  await commit(
    await stageBatch(
      batch,
      { path, temporary: `${path}.tmp-0-0-0` },
      { format: batchFormatOf(path) ?? DEFAULT_FORMAT },
    ),
  );
}

/** A batch as the bytes of a data file. */
export async function fileBytes(batch: Batch, format: BatchFormat): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  const write = await storageOf(format).loadWriter();
  await write({ fields: batch.fields, batches: [batch] }, (bytes) => pieces.push(bytes.slice()));
  return new Uint8Array(Buffer.concat(pieces));
}
