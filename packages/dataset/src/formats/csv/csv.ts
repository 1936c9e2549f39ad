import { type CellValue, stringifyJson } from '@data-designer/core';
import type { DatasetFormat, Records, TextOptions } from '../dataset-format.ts';

/** CSV with a header line: nested values as JSON text, null as an empty field. */
export const csv = {
  export: { isText: true, loadLines, canEscape: true },
} as const satisfies DatasetFormat;

async function loadLines(): Promise<(records: Records, options?: TextOptions) => AsyncIterable<string>> {
  const { stringify } = await import('csv-stringify/sync');
  return async function* csvLines(records, { escape = true, onEscape = () => {} } = {}) {
    const textOf = (text: string): string => {
      if (!escape || !FORMULA.test(text)) return text;
      onEscape();
      // An apostrophe makes it plain text in a spreadsheet.
      return `'${text}`;
    };
    let header: readonly string[] | undefined;
    for await (const record of records) {
      if (!header) yield stringify([(header = Object.keys(record)).map(textOf)]);
      yield stringify([header.map((name) => csvCell(record[name] ?? null, textOf))]);
    }
  };
}

function csvCell(value: CellValue, textOf: (text: string) => string): string {
  if (value === null) return '';
  if (typeof value === 'string') return textOf(value);
  return typeof value === 'object' ? stringifyJson(value) : String(value);
}

/** The first characters by which spreadsheets take a text for a formula: https://owasp.org/www-community/attacks/CSV_Injection */
const FORMULA = /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/;
