import type { ArrowField } from '@data-designer/core';
import { datasetPaths } from '../dataset-paths.ts';
import type { Append, MergeSource } from '../formats/dataset-format.ts';
import { batchFormatOf, type ExportFormat, isBatchFormat, storageOf } from '../formats/formats.ts';
import { batchFiles } from '../formats/batch-files.ts';
import { readDataset, readProcessorRows } from '../read-dataset.ts';
import { checkFile } from '../repair/check-file.ts';
import { ChecksumLog, rejectChanged } from '../logs/checksums.ts';
import { orDamaged } from '../files/damaged-file.ts';
import { sideFiles } from '../side-tables.ts';
import { appendRows, type ExportTarget, writeExport } from './export-rows.ts';

/** The main table of a dataset, or the side table of a processor. */
interface ExportedTable {
  readonly folder: string;
  readonly fields: readonly ArrowField[];
  readonly processor?: string | undefined;
}

/** Exports a table to one file, atomically; copies data files of the same format as they are. Throws `dataset/*`. */
export async function exportDataset(
  table: ExportedTable,
  path: string,
  target: ExportFormat | ExportTarget,
): Promise<void> {
  const { folder, fields, processor } = table;
  const format = typeof target === 'string' ? target : target.format;
  const sources = await filesToCopy(table, format);
  await writeExport(path, async (append) => {
    if (await copyFiles(sources, append, format)) return;
    const records = processor === undefined ? readDataset(folder) : readProcessorRows(folder, processor);
    await appendRows({ records, fields }, append, target);
  });
}

/** The data files of a dataset in a format: its own files, or one that is exported to `path`. Throws `dataset/*`. */
export async function filesInFormat(
  table: Omit<ExportedTable, 'processor'>,
  path: string,
  format: ExportFormat,
): Promise<readonly string[]> {
  const paths = datasetPaths(table.folder);
  const files = (await batchFiles(paths)).map((file) => file.path);
  if (files.length === 0 || !files.every((file) => batchFormatOf(file) === format)) {
    await exportDataset(table, path, format);
    return [path];
  }
  const checksums = await new ChecksumLog(paths).read();
  for (const file of files) await rejectChanged(file, checksums);
  return files;
}

/** The files to copy: all of them if all have the format, else none. */
async function filesToCopy(
  { folder, processor }: ExportedTable,
  format: ExportFormat,
): Promise<readonly MergeSource[]> {
  const paths = datasetPaths(folder);
  const files = await (processor === undefined ? batchFiles(paths) : sideFiles(paths, { processor }));
  if (!files.every((file) => batchFormatOf(file.path) === format)) return [];
  const checksums = await new ChecksumLog(paths).read();
  const sources: MergeSource[] = [];
  for (const file of files) {
    const sum = await orDamaged(file.path, () => checksums.of(file.path));
    // Copied pages are not decoded: check files without a checksum.
    const reason = sum ? undefined : (await checkFile(file, checksums)).reason;
    if (reason !== undefined) throw reason;
    sources.push({ path: file.path, sum });
  }
  return sources;
}

/** Returns false and appends nothing if there are no files or their schemas differ. */
async function copyFiles(sources: readonly MergeSource[], append: Append, format: ExportFormat): Promise<boolean> {
  if (sources.length === 0 || !isBatchFormat(format)) return false;
  const merge = await storageOf(format).loadMerge();
  return (await merge(sources, append)) !== undefined;
}
