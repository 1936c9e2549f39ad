import { type DatasetProfile, percentOf } from '@data-designer/profile';
import { formatCount } from '@data-designer/printing';
import { type ColumnFacts, printPercent } from './column-facts.ts';

/** The headings of tables of a selection whose text wraps. */
export const SELECTION_TEXTS: readonly string[] = ['reason', 'value', 'shares of candidates'];

/** The tables of a dataset whose rows were selected: counts, reasons, and the shares of values before and after. */
export function selectionTables({ selection }: DatasetProfile): readonly (readonly ColumnFacts[])[] {
  if (!selection) return [];
  const { candidates, accepted, refused, left = 0, shares, damage } = selection;
  const counts = {
    candidates: formatCount(candidates),
    accepted: formatCount(accepted),
    ...(left > 0 && { 'not needed': formatCount(left) }),
    share: printPercent(percentOf(accepted, candidates)),
  };
  const reasons = refused.map(({ rows, message }) => ({ refused: formatCount(rows), reason: message }));
  const changes = shares.flatMap(({ column, values }) =>
    values.map(({ value, before, after }) => ({
      column,
      value,
      'of candidates': printPercent(100 * before),
      'of accepted rows': printPercent(100 * after),
    })),
  );
  const missing = damage === undefined ? [] : [{ 'shares of candidates': `They cannot be counted: ${damage}` }];
  return [[counts], reasons, changes, missing].filter((rows) => rows.length > 0);
}
