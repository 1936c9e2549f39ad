import { DataDesignerError } from '@data-designer/core';
import type { RowGroupResult } from '../row-group/row-group-result.ts';

/**
 * The failure of a run whose first finished group has no row because a processor refuses every row; undefined for any other
 * result. The answers must stay in the journal for a corrected processor.
 */
export function rowlessFailure({ rows, failures }: Pick<RowGroupResult, 'rows' | 'failures'>) {
  if (rows > 0) return undefined;
  const refused = failures.filter(({ code }) => code === 'processor/lost-row');
  const [first] = refused;
  if (!first) return undefined;
  return new DataDesignerError('processor/no-rows', { rows: refused.length, reason: first.message });
}
