import { PlanRows } from '@data-designer/dataset';
import type { ShownDataset } from '../shown-dataset.ts';

/** The rows of the plan at positions of the dataset, by the failures that are logged now. */
export async function planRowsOf(dataset: ShownDataset): Promise<PlanRows> {
  const { plan } = await dataset.plan();
  const rows = await dataset.currentRows();
  await dataset.failures.refresh();
  return new PlanRows(plan, rows, dataset.failures.lostRows);
}
