import { RecordBatchFileWriter } from 'apache-arrow';
import { encodeBatch } from '../../encode/encode-batch.ts';
import type { Append, BatchedTable } from '../dataset-format.ts';

/** Appends batches, at least one, as one Arrow IPC file, each as a record batch. */
export function writeArrow({ fields, batches }: BatchedTable, append: Append): Promise<void> {
  return appendWritten(append, async (writer) => {
    for await (const batch of batches) writer.write(encodeBatch({ ...batch, fields }));
  });
}

/** Appends what `write` gives to a writer as one Arrow IPC file; rejects with what `write` rejects with. */
export async function appendWritten(
  append: Append,
  write: (writer: RecordBatchFileWriter) => Promise<void>,
): Promise<void> {
  const writer = new RecordBatchFileWriter();
  const writing = write(writer).then(() => void writer.finish());
  // A failure also ends the loop below, which would tell it as the end of an iteration.
  writing.catch((failure: unknown) => writer.abort(failure));
  try {
    for await (const bytes of writer) append(bytes);
  } catch (thrown) {
    await writing;
    throw thrown;
  }
  await writing;
}
