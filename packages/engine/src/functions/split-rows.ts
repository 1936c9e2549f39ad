import { DataDesignerError, type WireFailure } from '@data-designer/core';
import { plainValue } from './plain-value.ts';

/** A function's result for many rows as it crosses threads, with the failures of rows that are not plain data. */
interface SplitRows {
  /** The rows, null where one failed; the result itself where it is no list. */
  readonly value: unknown;
  readonly refused: readonly (readonly [index: number, failure: WireFailure])[];
}

/** Converts each row of a result on its own, so that a bad one loses no other; throws `function/bad-value`. */
export function splitRows(value: unknown, name: string): SplitRows {
  if (!Array.isArray(value)) return { value: plainValue(value, name), refused: [] };
  const refused: [number, WireFailure][] = [];
  const rows = Array.from({ length: value.length }, (_, index): unknown => {
    try {
      return plainValue<unknown>(value[index], name, `its result[${index}]`);
    } catch (thrown) {
      refused.push([index, DataDesignerError.fromUnknown(thrown).toWire()]);
      return null;
    }
  });
  return { value: rows, refused };
}

/** The result with failures in place of the rows that are not plain data. */
export function joinRows(split: unknown): unknown {
  const { value, refused } = split as SplitRows;
  for (const [index, failure] of refused) (value as unknown[])[index] = DataDesignerError.fromWire(failure);
  return value;
}
