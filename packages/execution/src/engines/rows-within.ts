import { type CellValue, stringifyJson } from '@data-designer/core';
import type { Ran, RunLimits } from '../run.ts';

/** The rows of a query as its value, unless they are too much. */
export function rowsWithin(rows: CellValue, { outputBytes }: RunLimits): Omit<Ran, 'ms'> {
  const isOver = Buffer.byteLength(stringifyJson(rows)) > outputBytes;
  const failure = isOver
    ? ({ kind: 'output', message: `the rows have more than ${outputBytes} bytes` } as const)
    : null;
  return { failure, output: '', value: isOver ? null : rows, memoryBytes: null };
}
