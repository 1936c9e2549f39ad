import { RecordBatchFileWriter } from 'apache-arrow';
import { encodeBatch } from '../../encode/encode-batch.ts';
import type { Append, BatchedTable } from '../dataset-format.ts';

/** Appends batches, at least one, as the record batches of one Arrow IPC file. */
export function writeArrow({ fields, batches }: BatchedTable, append: Append): Promise<void> {
  return appendWritten(append, async (writer) => {
    for await (const batch of batches) writer.write(encodeBatch({ ...batch, fields }));
  });
}

/** Appends everything that `write` writes as one Arrow IPC file; rejects with the error of `write`. */
export async function appendWritten(
  append: Append,
  write: (writer: RecordBatchFileWriter) => Promise<void>,
): Promise<void> {
  const writer = new RecordBatchFileWriter();
  const writing = write(writer).then(() => void writer.finish());
  // A failure must also end the loop below.
  writing.catch((failure: unknown) => writer.abort(failure));
  try {
    for await (const bytes of writer) append(bytes);
  } catch (thrown) {
    await writing;
    throw thrown;
  }
  await writing;
}
