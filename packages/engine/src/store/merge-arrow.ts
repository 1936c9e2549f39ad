import { appendWritten } from './append-arrow.ts';
import { arrowTables } from './read-arrow.ts';

/** Appends the record batches of Arrow files of one schema as one file, a batch of each in memory at a time; always true. */
export async function mergeArrow(paths: readonly string[], append: (bytes: Uint8Array) => void): Promise<boolean> {
  await appendWritten(append, async (writer) => {
    for (const path of paths) {
      // Given a table, the writer would take it for all there is.
      for await (const { batches } of arrowTables(path)) for (const batch of batches) writer.write(batch);
    }
  });
  return true;
}
