import type { ProgressSnapshot } from '@data-designer/engine';

/** The cells of a run that models, tools and services make; of a selection those of its candidates. */
export interface CellCounts {
  readonly done: number;
  readonly wanted: number;
}

/** The cells that are made and wanted; null for a run without such columns. */
export function cellsOf({ columns, rows, selection }: ProgressSnapshot): CellCounts | null {
  const wanted = columns.length * (selection?.planned ?? rows.wanted);
  return wanted === 0 ? null : { done: columns.reduce((sum, { done }) => sum + done, 0), wanted };
}
