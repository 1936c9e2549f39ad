import type { CompareCounts } from '../../../api/compare.ts';

/** The changes of some rows with those of the rows after them. */
export function addCounts(first: CompareCounts, more: CompareCounts): CompareCounts {
  return {
    ...more,
    from: first.from,
    rows: first.rows + more.rows,
    changed: first.changed + more.changed,
    columns: more.columns.map(({ name, changed }) => {
      const before = first.columns.find((column) => column.name === name);
      return { name, changed: changed + (before?.changed ?? 0) };
    }),
    measures: more.measures.map((measure) => {
      const before = first.measures.find(({ kind, name }) => kind === measure.kind && name === measure.name);
      if (!before) return measure;
      const { rose, fell, same, risen, sum } = before;
      return {
        ...measure,
        rose: rose + measure.rose,
        fell: fell + measure.fell,
        same: same + measure.same,
        risen: risen + measure.risen,
        sum: sum + measure.sum,
      };
    }),
  };
}
