import type { ArrowField } from '@data-designer/core';
import { RecordBatchFileWriter } from 'apache-arrow';
import { encodeBatch } from './encode-batch.ts';
import type { RowBatch } from './row-batch.ts';

/** Appends batches of the given fields, one at least, as one Arrow file, each as a record batch of its own. */
export async function appendArrow(
  fields: readonly ArrowField[],
  batches: AsyncIterable<RowBatch>,
  append: (bytes: Uint8Array) => void,
): Promise<void> {
  const writer = new RecordBatchFileWriter();
  const writing = (async () => {
    for await (const { columns, rows } of batches) writer.write(encodeBatch(fields, columns, rows));
    writer.finish();
  })();
  writing.catch((failure: unknown) => writer.abort(failure));
  for await (const bytes of writer) append(bytes);
  await writing;
}
