import { type RecordBatch, Table, tableToIPC } from 'apache-arrow';
import type { Batch } from '@data-designer/core';
import { stageSummed, type SummedFile } from '../../repair/checksums.ts';
import { commit } from '../../files/commit-file.ts';
import { encodeBatch } from '../../encode/encode-batch.ts';

/** Writes a batch as an Arrow IPC file under a temporary name, fsynced; `commit` gives it its name. */
export function stageArrow(path: string, batch: Batch, options: { temporary?: string } = {}): Promise<SummedFile> {
  const content = (append: (bytes: Uint8Array) => void) => append(arrowFileBytes(encodeBatch(batch)));
  return stageSummed(path, content, { ...options, rows: batch.rows });
}

/** Writes a batch as an Arrow IPC file that is either there in full or not at all. */
export async function writeArrow(path: string, batch: Batch): Promise<void> {
  await commit(await stageArrow(path, batch));
}

/** A record batch as the bytes of an Arrow IPC file, which readers may map into memory. */
export function arrowFileBytes(batch: RecordBatch): Uint8Array {
  return tableToIPC(new Table(batch), 'file');
}

/** A record batch as an Arrow IPC stream, for handing on in memory: its buffer can be transferred to another thread. */
export function arrowStreamBytes(batch: RecordBatch): Uint8Array {
  return tableToIPC(new Table(batch), 'stream');
}
