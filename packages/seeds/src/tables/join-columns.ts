import type { CellValue, ColumnData } from '@data-designer/core';

/** The rows of a column from one position up to another, exclusive. */
export interface ColumnPart {
  readonly data: ColumnData;
  readonly from: number;
  readonly to: number;
}

/** Joins parts of a column, in a typed array if all parts are typed. */
export function joinColumns(parts: readonly ColumnPart[]): ColumnData {
  const [first] = parts;
  if (first && parts.length === 1) {
    return first.from === 0 && first.to === first.data.length ? first.data : first.data.slice(first.from, first.to);
  }
  const rows = parts.reduce((sum, { from, to }) => sum + to - from, 0);
  if (parts.every(({ data }) => data instanceof Int32Array)) return fill(new Int32Array(rows), parts);
  if (parts.every(({ data }) => data instanceof Float64Array || data instanceof Int32Array)) {
    return fill(new Float64Array(rows), parts);
  }
  return fill([], parts);
}

/** Rows of a column from one position on, starting again after the last. */
export function repeated(data: ColumnData, first: number, rows: number): ColumnData {
  const joined: Float64Array | CellValue[] = ArrayBuffer.isView(data) ? new Float64Array(rows) : [];
  for (let row = 0, at = first; row < rows; row++) {
    joined[row] = data[at] as CellValue & number;
    if (++at === data.length) at = 0;
  }
  return joined;
}

function fill<Joined extends Int32Array | Float64Array | CellValue[]>(
  joined: Joined,
  parts: readonly ColumnPart[],
): Joined {
  let at = 0;
  for (const { data, from, to } of parts) {
    for (let row = from; row < to; row++) joined[at++] = data[row] as CellValue & number;
  }
  return joined;
}
