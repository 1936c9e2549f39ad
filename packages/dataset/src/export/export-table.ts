import type { ArrowField, CellValue } from '@data-designer/core';
import { readDataset, readProcessorRows } from '../read-dataset.ts';
import { appendArrow } from '../formats/arrow/append-arrow.ts';
import { batchFiles } from '../read/batch-files.ts';
import { checkFile } from '../repair/check-file.ts';
import { ChecksumLog, type FileSum } from '../repair/checksums.ts';
import { writeDurably } from '../files/commit-file.ts';
import { orDamaged } from '../repair/damaged-file.ts';
import { type BatchFormat, datasetPaths } from '../dataset-paths.ts';
import { mergeArrow } from '../formats/arrow/merge-arrow.ts';
import { mergeParquet } from '../formats/parquet/merge-parquet.ts';
import { chunksOf } from '../encode/row-chunks.ts';
import { sideFiles } from '../side-tables.ts';
import { appendParquet } from '../formats/parquet/write-parquet.ts';

/** What is exported. */
interface TableSourceFolder {
  readonly folder: string;
  /** The fields of its rows. */
  readonly fields: readonly ArrowField[];
  /** The rows are what this processor made of those of the dataset. */
  readonly processor?: string | undefined;
}

/**
 * Writes a dataset, or what a processor made of it, to one Parquet or Arrow file, with its types and marks, a row group in memory at a time; the file is
 * there in full or not at all. Throws `dataset/*`.
 */
export async function exportTable(source: TableSourceFolder, path: string, format: BatchFormat): Promise<void> {
  const { folder, fields, processor } = source;
  const paths = datasetPaths(folder);
  const batches = await (processor === undefined ? batchFiles(paths) : sideFiles(paths, { processor }));
  const checksums = await new ChecksumLog(paths).read();
  const isSame = batches.length > 0 && batches.every((file) => file.path.endsWith(`.${format}`));
  const files: { path: string; sum: FileSum | undefined }[] = [];
  for (const file of isSame ? batches : []) {
    const sum = await orDamaged(file.path, () => checksums.of(file.path));
    // What is copied page by page is not looked at.
    const reason = sum ? undefined : (await checkFile(file, checksums)).reason;
    if (reason !== undefined) throw reason;
    files.push({ path: file.path, sum });
  }
  const merge = format === 'arrow' ? mergeArrow : mergeParquet;
  let isCopied = false;
  await writeDurably(path, async (append) => {
    if (isSame) isCopied = (await merge(files, append)) !== undefined;
    if (isCopied) return;
    const records = processor === undefined ? readDataset(folder) : readProcessorRows(folder, processor);
    await rewrite({ records, fields }, append, format);
  });
}

type Records = AsyncIterable<Readonly<Record<string, CellValue>>>;

/** Rows and their fields. */
interface TypedRecords {
  readonly records: Records;
  readonly fields: readonly ArrowField[];
}

/** Writes rows to one Parquet or Arrow file, which is there in full or not at all. Throws `dataset/*`. */
export async function exportRows(rows: TypedRecords, path: string, format: BatchFormat): Promise<void> {
  await writeDurably(path, (append) => rewrite(rows, append, format));
}

async function rewrite(
  { records, fields }: TypedRecords,
  append: (bytes: Uint8Array) => void,
  format: BatchFormat,
): Promise<void> {
  const chunks = chunksOf(records, fields);
  return format === 'parquet' ? appendParquet(fields, chunks, append) : appendArrow(fields, chunks, append);
}

/** Appends rows of the given fields as one Parquet file, some thousands of them in memory at a time. */
export function appendRows(
  records: Records,
  fields: readonly ArrowField[],
  append: (bytes: Uint8Array) => void,
): Promise<void> {
  return appendParquet(fields, chunksOf(records, fields), append);
}
