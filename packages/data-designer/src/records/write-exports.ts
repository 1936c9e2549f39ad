import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { exportDataset } from '@data-designer/dataset';
import { EXPORT_FORMATS, type ExportFormat, isBatchFormat } from '@data-designer/dataset/formats';
import type { RunResult } from '@data-designer/engine';

/**
 * Exports a dataset to `<folder>/<name>.<format>` if datasets cannot be stored in the format, and rewrites the exports of
 * earlier runs, which may lack rows. Returns the path of the requested export, or null.
 */
export async function writeExports(
  { path: folder, datasetName, plan }: Pick<RunResult, 'path' | 'datasetName' | 'plan'>,
  format: ExportFormat | undefined,
): Promise<string | null> {
  const pathOf = (name: ExportFormat) => join(folder, `${datasetName}.${name}`);
  for (const name of EXPORT_FORMATS) {
    if (isBatchFormat(name) || (name !== format && !existsSync(pathOf(name)))) continue;
    await exportDataset({ folder, fields: plan.fields }, pathOf(name), name);
  }
  return format === undefined || isBatchFormat(format) ? null : pathOf(format);
}
