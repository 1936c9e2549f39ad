import { type ArrowField, compareText } from '@data-designer/core';
import type { Filter } from '../../api/filter.ts';
import { memberText, textOf } from '../../cell-texts.ts';
import { compareNumbers, readNumber } from './compare-values.ts';
import type { CopiedRows } from './copied-rows.ts';
import { memberOf } from '../../server/cut-cell.ts';

type Sort = NonNullable<Filter['sort']>;

/** A value as it is ordered; nested values by their text. */
type Key = string | number | bigint | null;

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
  const parts = sort.flatMap((one) => keyParts(one, rows.fields));
  const keys: Key[][] = parts.map(() => []);
  for await (const { rows: scanned } of rows.scan(columns, signal)) {
    for (const [at, { column, keyOf }] of parts.entries())
      for (const row of scanned) keys[at]?.push(keyOf(row[column]));
  }
  const orders = parts.map(({ descending }, at) => orderOf(keys[at] ?? [], descending));
  return positions.toSorted((a, b) => {
    for (const order of orders) {
      const difference = order(a, b);
      if (difference !== 0) return difference;
    }
    return a - b;
  });
}

interface KeyPart {
  readonly column: string;
  readonly descending: boolean;
  readonly keyOf: (value: unknown) => Key;
}

/** Members are read as text: those that are numbers are ordered as such, and come before the others. */
function keyParts({ column, path = [], descending }: Sort[number], fields: CopiedRows['fields']): readonly KeyPart[] {
  const field = fields.find(({ name }) => name === column) ?? { name: column, type: 'utf8', nullable: true };
  if (path.length === 0) return [{ column, descending, keyOf: columnKey(field) }];
  const text = memberText(field.type, path);
  const textAt = (value: unknown): string | null => {
    const member = memberOf(value, path);
    return isNull(member) ? null : text(member);
  };
  return [
    { column, descending, keyOf: (value) => readNumber(textAt(value) ?? '') ?? null },
    { column, descending, keyOf: textAt },
  ];
}

function columnKey(field: ArrowField): KeyPart['keyOf'] {
  const { type, json } = field;
  const isNested = json === true || (typeof type === 'object' && !('logical' in type));
  const text = textOf(field);
  return (value) => {
    if (isNull(value)) return null;
    if (isNested) return text(value);
    if (typeof value === 'number' || typeof value === 'bigint') return value;
    return type === 'bool' ? Number(value) : text(value);
  };
}

function isNull(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

/** The order of two positions. Nulls come last in both directions. */
function orderOf(keys: readonly Key[], descending: boolean): (a: number, b: number) => number {
  const sign = descending ? -1 : 1;
  return (a, b) => {
    const [one = null, other = null] = [keys[a], keys[b]];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    if (typeof one === 'string' || typeof other === 'string') return sign * compareText(String(one), String(other));
    return sign * compareNumbers(one, other);
  };
}
