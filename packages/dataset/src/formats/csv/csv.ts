import { type CellValue, stringifyJson } from '@data-designer/core';
import type { DatasetFormat, Records } from '../dataset-format.ts';

/** CSV with a header line: nested values as JSON text, null as an empty field. */
export const csv = {
  export: { isText: true, loadLines },
} as const satisfies DatasetFormat;

async function loadLines(): Promise<(records: Records) => AsyncIterable<string>> {
  const { stringify } = await import('csv-stringify/sync');
  return async function* csvLines(records) {
    let header: readonly string[] | undefined;
    for await (const record of records) {
      if (!header) yield stringify([(header = Object.keys(record))]);
      yield stringify([header.map((name) => csvCell(record[name] ?? null))]);
    }
  };
}

function csvCell(value: CellValue): string {
  if (value === null) return '';
  return typeof value === 'object' ? stringifyJson(value) : String(value);
}
