import { stringifyJson } from '@data-designer/core';
import type { ComparePage, CompareRequest } from '../api/compare.ts';
import { type CutLimits, cutCell } from './cut-cell.ts';
import type { ShownDataset } from './shown-dataset.ts';

type ComparedRow = ComparePage['rows'][number];
type StoredRow = Readonly<Record<string, unknown>>;

/** The rows that one request compares at most, and at once. */
const MAX_ROWS = 20_000;
const BLOCK_ROWS = 200;

const LIMITS: CutLimits = { characters: 4000, items: 50, values: 500 };

/** The rows of two datasets at the same positions. Conversations are not compared: they differ in their usage alone. */
export async function comparePage(
  left: ShownDataset,
  right: ShownDataset,
  { from, count, changedOnly = false }: Omit<CompareRequest, 'left' | 'right'>,
): Promise<ComparePage> {
  const [leftRows, rightRows] = await Promise.all([left.currentRows(), right.currentRows()]);
  const columns = await comparedColumns(left, right);
  const total = Math.max(leftRows.total, rightRows.total);
  const rows: ComparedRow[] = [];
  const end = Math.min(total, from + (changedOnly ? MAX_ROWS : count));
  let next = from;
  while (next < end && rows.length < count) {
    const positions = Array.from({ length: Math.min(BLOCK_ROWS, end - next) }, (_, at) => next + at);
    const [ours, theirs] = await Promise.all([leftRows.at(positions), rightRows.at(positions)]);
    for (const [at, index] of positions.entries()) {
      next = index + 1;
      const row = comparedRow({ index, left: ours[at], right: theirs[at] }, columns);
      if (!changedOnly || isDifferent(row)) rows.push(row);
      if (rows.length >= count) break;
    }
  }
  return { columns, total, from, next: next < total ? next : null, rows };
}

async function comparedColumns(left: ShownDataset, right: ShownDataset): Promise<ComparePage['columns']> {
  const [ours, theirs] = await Promise.all([columnNames(left), columnNames(right)]);
  return [...new Set([...ours, ...theirs])].map((name) => {
    return { name, in: !theirs.includes(name) ? 'left' : ours.includes(name) ? 'both' : 'right' };
  });
}

async function columnNames(dataset: ShownDataset): Promise<readonly string[]> {
  const { columns } = await dataset.plan();
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
  return stringifyJson(one) === stringifyJson(other);
}
