import type { ColumnData } from '@data-designer/core';

type Positions = Int32Array | readonly number[];

/** The values at some positions, in a column of the same kind. */
export function valuesAt(values: ColumnData, positions: Positions): ColumnData {
  const { length } = positions;
  if (values instanceof Float64Array) return copyAt(values, new Float64Array(length), positions);
  if (values instanceof Int32Array) return copyAt(values, new Int32Array(length), positions);
  if (values instanceof BigInt64Array) return copyAt(values, new BigInt64Array(length), positions);
  return Array.from(positions, (position) => values[position] ?? null);
}

function copyAt<Values extends Float64Array | Int32Array | BigInt64Array>(
  from: Values,
  to: Values,
  positions: Positions,
): Values {
  positions.forEach((position, index) => void (to[index] = from[position] as Values[number]));
  return to;
}
