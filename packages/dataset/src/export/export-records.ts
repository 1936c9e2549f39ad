import { stringify } from 'csv-stringify/sync';
import { type CellValue, DataDesignerError, stringifyJson } from '@data-designer/core';
import { writeDurably } from '../files/commit-file.ts';
import type { BatchFormat } from '../dataset-paths.ts';

/** Text formats that records can be exported to. */
export type ExportFormat = 'jsonl' | 'csv';

type Records = AsyncIterable<Readonly<Record<string, CellValue>>>;

/** How much text is gathered before it is written. */
const CHUNK = 64 * 1024;

/** Writes records to a file, one at a time in memory; the file is there in full or not at all. Throws `dataset/*`. */
export function exportRecords(records: Records, path: string, format: ExportFormat): Promise<void> {
  return writeText(recordLines(records, format), path);
}

/** Writes pieces of text to a file, which is there in full or not at all. Throws `dataset/*`. */
export async function writeText(pieces: AsyncIterable<string> | readonly string[], path: string): Promise<void> {
  await writeDurably(path, async (append) => {
    let text = '';
    for await (const piece of pieces) {
      text += piece;
      if (text.length < CHUNK) continue;
      append(Buffer.from(text));
      text = '';
    }
    append(Buffer.from(text));
  });
}

/** Records as lines of a format. */
export async function* recordLines(records: Records, format: ExportFormat): AsyncGenerator<string> {
  if (format === 'jsonl') {
    for await (const record of records) yield `${stringifyJson(record)}\n`;
    return;
  }
  let header: readonly string[] | undefined;
  for await (const record of records) {
    if (!header) yield stringify([(header = Object.keys(record))]);
    yield stringify([header.map((name) => csvCell(record[name] ?? null))]);
  }
}

/** Nested values as JSON text; a missing value as nothing. */
function csvCell(value: CellValue): string {
  if (value === null) return '';
  return typeof value === 'object' ? stringifyJson(value) : String(value);
}

/** The export format that a file name asks for; `dataset/no-format` if it asks for none. */
export function exportFormatOf(path: string): ExportFormat | BatchFormat {
  const suffix = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase();
  if (suffix === 'jsonl' || suffix === 'csv' || suffix === 'parquet' || suffix === 'arrow') return suffix;
  throw new DataDesignerError('dataset/no-format', { path });
}
