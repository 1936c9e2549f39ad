import type { ArrowField } from '@data-designer/core';
import { chunksOf } from '../encode/row-chunks.ts';
import { writeDurably } from '../files/commit-file.ts';
import type { Append, Records } from '../formats/dataset-format.ts';
import { type ExportFormat, exportOf } from '../formats/formats.ts';

/** Rows and their fields. */
export interface TypedRecords {
  readonly records: Records;
  readonly fields: readonly ArrowField[];
}

/** Text is written in chunks of this length. */
const CHUNK_LENGTH = 64 * 1024;

/** Writes rows to one file, atomically, with some thousands in memory at a time. Throws `dataset/*`. */
export async function exportRows(rows: TypedRecords, path: string, format: ExportFormat): Promise<void> {
  await writeDurably(path, (append) => appendRows(rows, append, format));
}

/** Appends rows as one file of a format. */
export async function appendRows(
  { records, fields }: TypedRecords,
  append: Append,
  format: ExportFormat,
): Promise<void> {
  const part = exportOf(format);
  if (part.isText) return appendText((await part.loadLines())(records), append);
  const write = await part.loadWriter();
  await write({ fields, batches: chunksOf(records, fields) }, append);
}

/** Writes pieces of text to a file, atomically. Throws `dataset/*`. */
export async function writeText(pieces: AsyncIterable<string> | readonly string[], path: string): Promise<void> {
  await writeDurably(path, (append) => appendText(pieces, append));
}

async function appendText(pieces: AsyncIterable<string> | readonly string[], append: Append): Promise<void> {
  let text = '';
  for await (const piece of pieces) {
    text += piece;
    if (text.length < CHUNK_LENGTH) continue;
    append(Buffer.from(text));
    text = '';
  }
  append(Buffer.from(text));
}
