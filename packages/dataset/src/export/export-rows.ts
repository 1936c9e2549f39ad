import { dirname } from 'node:path';
import type { ArrowField } from '@data-designer/core';
import { chunksOf } from '../encode/row-chunks.ts';
import { clearAbandoned, writeDurably } from '../files/commit-file.ts';
import type { Append, Records, TextOptions } from '../formats/dataset-format.ts';
import { type ExportFormat, exportOf } from '../formats/formats.ts';

/** Rows and their fields. */
export interface TypedRecords {
  readonly records: Records;
  readonly fields: readonly ArrowField[];
}

/** Text is written in chunks of this length. */
const CHUNK_LENGTH = 64 * 1024;

/** An export format, and how it writes texts. */
export interface ExportTarget extends TextOptions {
  readonly format: ExportFormat;
}

/** Writes rows to one file, atomically, with some thousands in memory at a time. Throws `dataset/*`. */
export async function exportRows(rows: TypedRecords, path: string, target: ExportFormat | ExportTarget): Promise<void> {
  await writeExport(path, (append) => appendRows(rows, append, target));
}

/** Writes a file atomically, and removes the unfinished files of killed exports next to it. Throws `dataset/*`. */
export async function writeExport(path: string, content: (append: Append) => Promise<void>): Promise<void> {
  await clearAbandoned(dirname(path));
  await writeDurably(path, content);
}

/** Appends rows as one file of a format. */
export async function appendRows(
  { records, fields }: TypedRecords,
  append: Append,
  target: ExportFormat | ExportTarget,
): Promise<void> {
  const { format, ...text }: ExportTarget = typeof target === 'string' ? { format: target } : target;
  const part = exportOf(format);
  if (part.isText) return appendText((await part.loadLines())(records, text), append);
  const write = await part.loadWriter();
  await write({ fields, batches: chunksOf(records, fields) }, append);
}

/** Writes pieces of text to a file, atomically. Throws `dataset/*`. */
export async function writeText(pieces: AsyncIterable<string> | readonly string[], path: string): Promise<void> {
  await writeExport(path, (append) => appendText(pieces, append));
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
