import { RecordBatchFileWriter } from 'apache-arrow';
import type { ArrowField, Batch } from '@data-designer/core';
import { encodeBatch } from '../../encode/encode-batch.ts';

/** Appends batches of the given fields, one at least, as one Arrow file, each as a record batch of its own. */
export async function appendArrow(
  fields: readonly ArrowField[],
  batches: AsyncIterable<Batch>,
  append: (bytes: Uint8Array) => void,
): Promise<void> {
  await appendWritten(append, async (writer) => {
    for await (const batch of batches) writer.write(encodeBatch({ ...batch, fields }));
  });
}

/** Appends what is given to a writer as one Arrow file; rejects with what that rejects with. */
export async function appendWritten(
  append: (bytes: Uint8Array) => void,
  write: (writer: RecordBatchFileWriter) => Promise<void>,
): Promise<void> {
  const writer = new RecordBatchFileWriter();
  const writing = write(writer).then(() => void writer.finish());
  // What cannot be had ends what waits for its bytes, too; that is then told as the end of an iteration.
  writing.catch((failure: unknown) => writer.abort(failure));
  try {
    for await (const bytes of writer) append(bytes);
  } catch (thrown) {
    await writing;
    throw thrown;
  }
  await writing;
}
