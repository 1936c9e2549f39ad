import type { RowBlock } from '@data-designer/dataset';

/** Reads a stretch of rows that contains a position; undefined if there is no such row. */
type ReadAround = (position: number) => Promise<RowBlock | undefined> | RowBlock | undefined;

/** Returns records by position and keeps the last stretch read: sequential access reads each row group once. */
export function recordWindow(
  readAround: ReadAround,
): (position: number) => Promise<RowBlock['rows'][number] | undefined> {
  let last: RowBlock | undefined;
  const recordIn = (position: number) =>
    last && position >= last.first ? last.rows[position - last.first] : undefined;
  return async (position) => {
    const known = recordIn(position);
    if (known) return known;
    last = await readAround(position);
    return recordIn(position);
  };
}
