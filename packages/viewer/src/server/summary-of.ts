import { groupsIn, markedGroups } from '@data-designer/dataset';
import { readSummary, type RunSummary } from '@data-designer/engine';
import type { ShownDataset } from './shown-dataset.ts';

/** The totals of the row groups that have files. */
export async function summaryOf(dataset: ShownDataset): Promise<RunSummary> {
  const { paths, rows } = dataset;
  const { plan } = await dataset.plan();
  const marked = await markedGroups(paths);
  const left = new Map(marked.map((group) => [group, rows.groupAt(group)?.rows ?? 0]));
  const unfinishedRows = [...left.values()].reduce((sum, count) => sum + count, 0);
  return readSummary(paths.folder, plan, {
    finished: groupsIn(rows.files).difference(left),
    damaged: new Set(),
    rows: rows.total - unfinishedRows,
    left,
  });
}
