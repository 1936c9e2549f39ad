import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { exportDataset } from '@data-designer/dataset';
import { EXPORT_FORMATS, type ExportFormat, isBatchFormat } from '@data-designer/dataset/formats';
import type { RunResult } from '@data-designer/engine';

/**
 * Exports a dataset to `<folder>/<name>.<format>` if it cannot be stored in the format, and writes such exports of earlier
 * runs anew, as the dataset may have more rows now. Gives the path of the export; null if the format is one of storage.
 */
export async function writeExports(
  { path: folder, datasetName, plan }: Pick<RunResult, 'path' | 'datasetName' | 'plan'>,
  format: ExportFormat,
): Promise<string | null> {
  const pathOf = (name: ExportFormat) => join(folder, `${datasetName}.${name}`);
  for (const name of EXPORT_FORMATS) {
    if (isBatchFormat(name) || (name !== format && !existsSync(pathOf(name)))) continue;
    await exportDataset({ folder, fields: plan.fields }, pathOf(name), name);
  }
  return isBatchFormat(format) ? null : pathOf(format);
}
