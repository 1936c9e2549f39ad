import { type CellValue, type ColumnData, Float, type GroupColumns } from '@data-designer/core';
import { compileCondition, parseCondition } from '@data-designer/template';
import { printTime } from '../samplers/datetime/print-time.ts';
import type { SampledColumn } from '../samplers/sampled-column.ts';

/** Returns the index of a row's parameters: 0 if no condition holds, else the number of the condition. */
export type ChooseParams = (position: number) => number;

/** Compiles a column's conditions, which read times as ISO text; the last that holds wins. Undefined without any. */
export function chooseParams({
  conditionalParams,
}: SampledColumn): ((columns: GroupColumns) => ChooseParams) | undefined {
  const sources = Object.keys(conditionalParams);
  if (sources.length === 0) return undefined;
  const conditions = sources.map((source) => compileCondition(source));
  const names = [
    ...new Set(
      sources.flatMap((source) => {
        const { references, globals } = parseCondition(source);
        return [...references, ...globals];
      }),
    ),
  ];
  return (columns) => {
    const cells = names.flatMap((name) => {
      const values = columns.written.get(name);
      return values ? [[name, cellsOf(name, values, columns)] as const] : [];
    });
    return (position) => {
      const record: Record<string, CellValue> = {};
      for (const [name, cellAt] of cells) record[name] = cellAt(position);
      for (let last = conditions.length - 1; last >= 0; last--) if (conditions[last]?.(record)) return last + 1;
      return 0;
    };
  };
}

const printIso = printTime(null);

/** The cells of a column for conditions. */
function cellsOf(name: string, values: ColumnData, { times, floats }: GroupColumns): (position: number) => CellValue {
  const seconds = times.get(name);
  if (seconds) return (position) => printIso(seconds[position] ?? NaN);
  if (!floats.has(name)) return (position) => values[position] ?? null;
  return (position) => {
    const value = values[position] ?? null;
    return typeof value === 'number' && Number.isInteger(value) ? new Float(value) : value;
  };
}
