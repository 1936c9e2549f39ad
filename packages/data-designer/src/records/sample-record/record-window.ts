import type { RowStretch } from '@data-designer/dataset';

/** Reads the rows that stand together around a position; undefined where there is no such row. */
type ReadAround = (position: number) => Promise<RowStretch | undefined> | RowStretch | undefined;

/**
 * Gives records by their positions, and keeps the rows that were read with the last one: who goes from record to record
 * has each row group read once. Rejects with what reading rejects with.
 */
export function recordWindow(readAround: ReadAround): (position: number) => Promise<object | undefined> {
  let kept: RowStretch | undefined;
  const recordIn = (position: number) =>
    kept && position >= kept.first ? kept.rows[position - kept.first] : undefined;
  return async (position) => {
    const known = recordIn(position);
    if (known) return known;
    kept = await readAround(position);
    return recordIn(position);
  };
}
