import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { type CellValue, DataDesignerError, stringifyJson } from '@data-designer/core';
import { stringify } from 'csv-stringify/sync';
import type { BatchFormat } from './store/dataset-paths.ts';
import { storageFailure } from './store/storage-failure.ts';

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
export async function writeText(pieces: AsyncIterable<string>, path: string): Promise<void> {
  const temporary = `${path}.tmp-${process.pid}`;
  const file = createWriteStream(temporary, { mode: 0o600, flush: true });
  const failed = new Promise<never>((_, reject) => file.once('error', reject));
  failed.catch(() => {});
  try {
    let text = '';
    for await (const piece of pieces) {
      text += piece;
      if (text.length < CHUNK) continue;
      if (!file.write(text))
        await Promise.race([new Promise<void>((resolve) => file.once('drain', () => resolve())), failed]);
      text = '';
    }
    file.end(text);
    await Promise.race([finished(file), failed]);
    await rename(temporary, path);
  } catch (thrown) {
    file.destroy();
    await rm(temporary, { force: true });
    throw storageFailure(thrown, path);
  }
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

/** The export format that a file name asks for; `dataset/unwritable` if it asks for none. */
export function exportFormatOf(path: string): ExportFormat | BatchFormat {
  const suffix = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase();
  if (suffix === 'jsonl' || suffix === 'csv' || suffix === 'parquet' || suffix === 'arrow') return suffix;
  const reason = 'its name ends in none of .jsonl, .csv, .parquet and .arrow';
  throw new DataDesignerError('dataset/unwritable', { path, reason });
}
