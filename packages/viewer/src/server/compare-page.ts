// The pages of a static copy use this module too: it must not import what needs Node.
import type { RequestOf } from '../api/requests.ts';
import type { ColumnInfo } from '../api/columns.ts';
import type { ComparePage } from '../api/compare.ts';
import { type CutLimits, cutCell } from './cut-cell.ts';

type ComparedRow = ComparePage['rows'][number];
type StoredRow = Readonly<Record<string, unknown>>;

/** The rows that one request compares at most, and at once. */
const MAX_ROWS = 20_000;
const BLOCK_ROWS = 200;

const LIMITS: CutLimits = { characters: 4000, items: 50, values: 500 };

/** One of two datasets. */
export interface ComparedDataset {
  readonly columns: readonly ColumnInfo[];
  readonly total: number;
  /** The rows at ascending positions, with these columns. */
  readonly at: (
    positions: readonly number[],
    columns: readonly string[],
  ) => Promise<readonly (StoredRow | undefined)[]>;
}

/** The rows of two datasets at the same positions. Conversations are not compared: they differ in their usage alone. */
export async function comparePage(
  left: ComparedDataset,
  right: ComparedDataset,
  { from, count, changedOnly = false }: Omit<RequestOf<'compare'>, 'left' | 'right'>,
): Promise<ComparePage> {
  const [ours, theirs] = [columnNames(left), columnNames(right)];
  const columns = comparedColumns(ours, theirs);
  const total = Math.max(left.total, right.total);
  const rows: ComparedRow[] = [];
  const end = Math.min(total, from + (changedOnly ? MAX_ROWS : count));
  let next = from;
  while (next < end && rows.length < count) {
    const positions = Array.from({ length: Math.min(BLOCK_ROWS, end - next) }, (_, at) => next + at);
    const [one, other] = await Promise.all([left.at(positions, ours), right.at(positions, theirs)]);
    for (const [at, index] of positions.entries()) {
      next = index + 1;
      const row = comparedRow({ index, left: one[at], right: other[at] }, columns);
      if (!changedOnly || isDifferent(row)) rows.push(row);
      if (rows.length >= count) break;
    }
  }
  return { columns, total, from, next: next < total ? next : null, rows };
}

function comparedColumns(ours: readonly string[], theirs: readonly string[]): ComparePage['columns'] {
  return [...new Set([...ours, ...theirs])].map((name) => {
    return { name, in: !theirs.includes(name) ? 'left' : ours.includes(name) ? 'both' : 'right' };
  });
}

function columnNames({ columns }: ComparedDataset): readonly string[] {
  return columns.filter(({ kind }) => kind !== 'trace').map(({ name }) => name);
}

interface RowPair {
  readonly index: number;
  readonly left: StoredRow | undefined;
  readonly right: StoredRow | undefined;
}

function comparedRow({ index, left, right }: RowPair, columns: ComparePage['columns']): ComparedRow {
  const cellsOf = (row: StoredRow | undefined): ComparedRow['left'] =>
    row === undefined ? null : columns.map(({ name }) => cutCell(row[name], LIMITS));
  const both = columns.filter((column) => column.in === 'both').map(({ name }) => name);
  const changed = left && right ? both.filter((name) => !isEqual(left[name], right[name])) : [];
  return { index, left: cellsOf(left), right: cellsOf(right), changed };
}

function isDifferent({ left, right, changed }: ComparedRow): boolean {
  return left === null || right === null || changed.length > 0;
}

function isEqual(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object') return Object.is(one ?? null, other ?? null);
  return exactJson(one) === exactJson(other);
}

/** JSON text that also tells integers beyond 2^53, NaN and infinities apart. */
function exactJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    const isPlain = typeof part !== 'bigint' && (typeof part !== 'number' || Number.isFinite(part));
    return isPlain ? part : { number: String(part) };
  });
}
