import { DataDesignerError, type Plan, rowsIn } from '@data-designer/core';
import type { RunSummary } from '../run-summary.ts';

/** The failure of a run without a row. */
export function noRows(plan: Plan, { lost, removedRows: removed }: RunSummary): DataDesignerError {
  const [most] = lost;
  const rows = rowsIn(plan.segments);
  if (removed > 0) return new DataDesignerError('run/no-rows', { rows, removed, isWholeColumn: false });
  if (!most) return new DataDesignerError('run/no-rows', { rows, isWholeColumn: false });
  const ofColumn = lost.filter(({ column }) => column === most.column);
  const isWholeColumn = most.column !== '' && ofColumn.reduce((sum, one) => sum + one.rows, 0) === rows;
  return new DataDesignerError('run/no-rows', { rows, most, isWholeColumn });
}
