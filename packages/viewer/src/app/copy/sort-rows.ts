import type { Filter } from '../../api/filter.ts';
import type { CopiedRows } from './copied-rows.ts';
import { memberOf } from '../../server/cut-cell.ts';
import { textOf } from './filter-rows.ts';

type Sort = NonNullable<Filter['sort']>;

/** A value as it is ordered; nested values by their text. */
type Key = string | number | bigint | boolean | null;

/** Keys of more columns than this do not fit into the memory of a page. */
const MAX_KEY_BYTES = 256_000_000;

/** The positions in an order; rows of equal values keep theirs. Throws for columns that are too large, and once aborted. */
export async function sortRows(
  positions: Uint32Array,
  sort: Sort,
  { rows, signal }: { readonly rows: CopiedRows; readonly signal: AbortSignal },
): Promise<Uint32Array> {
  const columns = sort.map(({ column }) => column);
  const bytes = rows.bytesOf(columns);
  if (bytes > MAX_KEY_BYTES) {
    throw new Error(
      `A static copy cannot sort by ${Math.round(bytes / 1e6)} MB of text. Use \`data-designer view\` on the dataset.`,
    );
  }
  const keys: Key[][] = columns.map(() => []);
  for await (const { rows: scanned } of rows.scan(columns, signal)) {
    for (const [at, column] of columns.entries()) {
      for (const row of scanned) keys[at]?.push(keyOf(memberOf(row[column], sort[at]?.path ?? [])));
    }
  }
  const orders = sort.map(({ descending }, at) => orderOf(keys[at] ?? [], descending));
  return positions.toSorted((a, b) => {
    for (const order of orders) {
      const difference = order(a, b);
      if (difference !== 0) return difference;
    }
    return a - b;
  });
}

function keyOf(value: unknown): Key {
  if (value === null || value === undefined) return null;
  if (typeof value === 'object') return textOf(value);
  return value as Key;
}

/** The order of two positions. Nulls come last in both directions, and NaN is the largest number. */
function orderOf(keys: readonly Key[], descending: boolean): (a: number, b: number) => number {
  const sign = descending ? -1 : 1;
  return (a, b) => {
    const [one = null, other = null] = [keys[a], keys[b]];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    if (one < other) return -sign;
    if (one > other) return sign;
    return sign * (Number(Number.isNaN(one)) - Number(Number.isNaN(other)));
  };
}
