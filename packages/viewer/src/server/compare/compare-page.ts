// The pages of a static copy use this module too: it must not import what needs Node.
import type { ComparePage } from '../../api/compare.ts';
import type { RequestOf } from '../../api/requests.ts';
import { type CutLimits, cutCell } from '../cut-cell.ts';
import type { ComparedDataset, RowPair, StoredRow } from './compared-dataset.ts';
import { ComparedDatasets } from './compared-datasets.ts';
import { directionOf, type RowMeasure } from './row-measures.ts';

type ComparedRow = ComparePage['rows'][number];
type Request = Omit<RequestOf<'compare'>, 'left' | 'right'>;

/** The rows that one request compares at most. */
const MAX_ROWS = 20_000;

const LIMITS: CutLimits = { characters: 4000, items: 50, values: 500 };

/** The rows of two datasets at the same positions, from a position on or before it. */
export async function comparePage(
  left: ComparedDataset,
  right: ComparedDataset,
  { from, count, rows: wanted = { of: 'all' }, isBackwards = false }: Request,
): Promise<ComparePage> {
  const datasets = new ComparedDatasets(left, right);
  const { total, columns } = datasets;
  const measure = measureOf(wanted, datasets);
  const read = measure ? [measure] : [];
  const most = wanted.of === 'all' ? count : MAX_ROWS;
  const [first, end] = isBackwards
    ? [Math.max(0, from - most), Math.min(from, total)]
    : [from, Math.min(total, from + most)];
  const blocks = isBackwards ? datasets.pairsBackwards(end, first, read) : datasets.pairs(first, end, read);
  const rows: ComparedRow[] = [];
  let reached = isBackwards ? end : first;
  for await (const block of blocks) {
    for (const pair of isBackwards ? block.toReversed() : block) {
      if (rows.length >= count) break;
      reached = isBackwards ? pair.index : pair.index + 1;
      const changed = datasets.changed(pair);
      if (isWanted(pair, { wanted, changed, measure })) rows.push(comparedRow(pair, datasets, changed));
    }
    if (rows.length >= count) break;
  }
  const next = isBackwards ? end : reached;
  return {
    arePlanned: datasets.arePlanned,
    columns,
    total,
    from: isBackwards ? reached : from,
    next: next < total ? next : null,
    rows: isBackwards ? rows.toReversed() : rows,
  };
}

interface Choice {
  readonly wanted: NonNullable<Request['rows']>;
  readonly changed: readonly string[];
  readonly measure: RowMeasure | undefined;
}

function isWanted(pair: RowPair, { wanted, changed, measure }: Choice): boolean {
  if (!pair.left && !pair.right) return false;
  switch (wanted.of) {
    case 'all':
      return true;
    case 'changed':
      return !pair.left || !pair.right || changed.length > 0;
    case 'column':
      return changed.includes(wanted.name);
    case 'measure':
      return measure !== undefined && directionOf(measure.of(pair)) === wanted.direction;
  }
}

function measureOf(wanted: Choice['wanted'], { measures }: ComparedDatasets): RowMeasure | undefined {
  if (wanted.of !== 'measure') return undefined;
  return measures.find(({ kind, name }) => kind === wanted.kind && name === wanted.name);
}

function comparedRow(
  { index, left, right }: RowPair,
  datasets: ComparedDatasets,
  changed: readonly string[],
): ComparedRow {
  const { columns } = datasets;
  const positionIn = (dataset: ComparedDataset, row: StoredRow | undefined): number | null =>
    row ? (dataset.positionOf?.(index) ?? index) : null;
  const cellsOf = (row: StoredRow | undefined): ComparedRow['left'] =>
    row === undefined ? null : columns.map(({ name }) => cutCell(row[name], LIMITS));
  return {
    index,
    position: positionIn(datasets.left, left),
    otherPosition: positionIn(datasets.right, right),
    left: cellsOf(left),
    right: cellsOf(right),
    changed,
  };
}
