import { DataDesignerError } from '@data-designer/core';

/** Throws `config/invalid` unless so many rows can be made: programs may compute a count that is none. */
export function refuseRowCount(rows: unknown): void {
  if (Number.isSafeInteger(rows) && (rows as number) >= 1) return;
  throw new DataDesignerError('config/invalid', {
    source: 'What is asked for',
    violations: [
      {
        stage: 'run',
        type: 'num_records',
        level: 'ERROR',
        path: 'numRecords',
        message: `${typeof rows === 'string' ? JSON.stringify(rows) : String(rows)} is no count of rows.`,
        remedy: 'Give a whole number, 1 or more.',
      },
    ],
  });
}
