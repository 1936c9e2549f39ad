import { RecordBatchFileWriter } from 'apache-arrow';
import { arrowTables } from './read-arrow.ts';

/** Appends the record batches of Arrow files of one schema as one file, a batch of each in memory at a time; always true. */
export async function mergeArrow(paths: readonly string[], append: (bytes: Uint8Array) => void): Promise<boolean> {
  const writer = new RecordBatchFileWriter();
  const writing = (async () => {
    for (const path of paths) {
      // Given a table, the writer would take it for all there is.
      for await (const { batches } of arrowTables(path)) for (const batch of batches) writer.write(batch);
    }
    writer.finish();
  })();
  // A file that cannot be read ends what waits for its bytes, too.
  writing.catch((failure: unknown) => writer.abort(failure));
  for await (const bytes of writer) append(bytes);
  await writing;
  return true;
}
