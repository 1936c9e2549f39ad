import { type CellValue, isList, unboxed } from '@data-designer/core';

/**
 * The direction of a vector, at length 1. The cell holds a list of numbers, or what an embedding column writes; of
 * several vectors it is the direction of their mean. Undefined for other values, and for vectors without a direction.
 */
export function unitVector(cell: CellValue | undefined): Float32Array | undefined {
  if (cell === undefined || cell === null) return undefined;
  const vectors = vectorsIn(unboxed(cell));
  const [first] = vectors;
  if (!first || vectors.some(({ length }) => length !== first.length)) return undefined;
  const sum = new Float64Array(first.length);
  for (const vector of vectors) {
    const length = lengthOf(vector);
    vector.forEach((number, at) => (sum[at] = (sum[at] ?? 0) + number / length));
  }
  const length = lengthOf(sum);
  return length > 0 && Number.isFinite(length) ? Float32Array.from(sum, (number) => number / length) : undefined;
}

function lengthOf(vector: Iterable<number>): number {
  let squares = 0;
  for (const number of vector) squares += number * number;
  return Math.sqrt(squares);
}

function vectorsIn(value: CellValue): readonly (readonly number[])[] {
  if (value === null || typeof value !== 'object') return [];
  if (isList(value)) return isVector(value) ? [value] : value.filter((one) => isVector(one));
  return 'embeddings' in value && isList(value['embeddings'] ?? null) ? vectorsIn(value['embeddings'] ?? null) : [];
}

function isVector(value: CellValue): value is readonly number[] {
  return isList(value) && value.length > 0 && value.every((one) => typeof one === 'number');
}
