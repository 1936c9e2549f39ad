import { DataDesignerError, type WireFailure } from '@data-designer/core';
import { plainValue } from './plain-value.ts';

/** What a function gives for many rows, as it crosses: the failures of rows whose result is no plain data stand beside. */
interface SplitRows {
  /** The rows, null for those that failed; whatever else it gave where that is no list. */
  readonly value: unknown;
  readonly refused: readonly (readonly [index: number, failure: WireFailure])[];
}

/** Judges each row of a result by itself, so that a bad one loses no other; throws `function/bad-value` for no list. */
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

/** The result with failures in the places of rows that are none. */
export function joinRows(split: unknown): unknown {
  const { value, refused } = split as SplitRows;
  for (const [index, failure] of refused) (value as unknown[])[index] = DataDesignerError.fromWire(failure);
  return value;
}
