import { stringifyJson } from '@data-designer/core';
import type { RunSummary } from '@data-designer/engine';
import { printRecord } from './print-record.ts';

/** Prints one JSON object, and nothing else, on standard output. */
export function printJson(value: unknown): void {
  process.stdout.write(`${stringifyJson(value, 2)}\n`);
}

/** Prints the first records, traces as conversations. */
export async function printRecords(records: AsyncIterable<Record<string, unknown>>, count: number): Promise<void> {
  let shown = 0;
  if (count === 0) return;
  for await (const record of records) {
    process.stdout.write(`${printRecord(record, ++shown)}\n`);
    if (shown >= count) return;
  }
}

/** Says why rows were lost. */
export function printLost(lost: RunSummary['lost']): void {
  for (const { rows, column, message } of lost) {
    process.stdout.write(`${rows} ${rows === 1 ? 'row' : 'rows'} lost in column '${column}': ${message}\n`);
  }
}
