import { type CellValue, type ColumnData, Float } from '@data-designer/core';

/** Reads the cells of a column by position: integers as numbers where that is exact, and floats as such. */
export function cellReader(data: ColumnData): (position: number) => CellValue {
  if (data instanceof Float64Array) return (position) => floatCell(data[position] as number);
  return (position) => {
    const value = data[position] ?? null;
    return typeof value === 'bigint' ? integerCell(value) : value;
  };
}

/** No type of a nested value says that it is a float. */
function floatCell(value: number): CellValue {
  return Number.isInteger(value) ? new Float(value) : value;
}

function integerCell(value: bigint): CellValue {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
