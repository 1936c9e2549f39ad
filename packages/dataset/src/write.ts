import type { Batch, Plan } from '@data-designer/core';
import type { StagedFile } from './files/commit-file.ts';
import type { BatchedTable } from './formats/dataset-format.ts';
import { partsOf } from './encode/row-chunks.ts';
import { type BatchFormat, storageOf } from './formats/formats.ts';
import { stageSummed, type SummedFile } from './files/file-sum.ts';

/** The name that NeMo Data Designer gives to the zone of timestamps; readers do not unite zones of different names. */
const PYTHON_ZONE = 'Etc/UTC';

/** How a data file is stored. */
export interface Storage {
  readonly format: BatchFormat;
  /** Whose types the file has; those of this project unless given. */
  readonly layout?: Plan['layout'];
}

/** Writes and fsyncs a batch as a data file under its temporary name, for `commit`. Loads only the writer of the format. */
export async function stageBatch(
  batch: Batch,
  { path, temporary }: StagedFile,
  { format, layout }: Storage,
): Promise<SummedFile> {
  const write = await storageOf(format).loadWriter();
  const table = await storedTable(batch, layout);
  return stageSummed(path, (append) => write(table, append), { temporary, rows: batch.rows });
}

/** The table of a file with the rows of one batch, in parts that readers have in memory one at a time. */
export async function storedTable(batch: Batch, layout: Plan['layout']): Promise<BatchedTable> {
  if (layout !== 'python') return { fields: batch.fields, batches: partsOf(batch) };
  const { inPythonLayout } = await import('./encode/python-layout.ts');
  const stored = inPythonLayout(batch);
  return { fields: stored.fields, batches: partsOf(stored), timeZone: PYTHON_ZONE };
}

/** Encodes a batch as Arrow; throws `dataset/misfit` if a field cannot hold a value. */
export async function checkBatch(batch: Batch): Promise<void> {
  const { encodeBatch } = await import('./encode/encode-batch.ts');
  encodeBatch(batch);
}

/** A batch as an Arrow IPC stream, for previews; its buffer can be transferred to another thread. */
export async function streamBytes(batch: Batch): Promise<Uint8Array> {
  const { encodeBatch } = await import('./encode/encode-batch.ts');
  const { Table, tableToIPC } = await import('apache-arrow');
  return tableToIPC(new Table(encodeBatch(batch)), 'stream');
}
