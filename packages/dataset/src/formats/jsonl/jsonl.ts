import { stringifyJson } from '@data-designer/core';
import type { DatasetFormat, Records } from '../dataset-format.ts';

/** JSON Lines: one object per row. */
export const jsonl = {
  export: { isText: true, loadLines: () => Promise.resolve(jsonLines) },
} as const satisfies DatasetFormat;

async function* jsonLines(records: Records): AsyncGenerator<string> {
  for await (const record of records) yield `${stringifyJson(record)}\n`;
}
