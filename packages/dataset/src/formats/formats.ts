import { DataDesignerError } from '@data-designer/core';
import { arrow } from './arrow/arrow.ts';
import { csv } from './csv/csv.ts';
import type { DatasetFormat, ExportPart, StoragePart } from './dataset-format.ts';
import { jsonl } from './jsonl/jsonl.ts';
import { parquet } from './parquet/parquet.ts';

/** All formats by name, which is also the file extension. A new format is a folder and a line here. */
const FORMATS = { parquet, arrow, jsonl, csv } as const satisfies Readonly<Record<string, DatasetFormat>>;

type Formats = typeof FORMATS;
type FormatWith<Part> = { [Name in keyof Formats]: Formats[Name] extends Part ? Name : never }[keyof Formats];

/** A format that datasets are stored in. */
export type BatchFormat = FormatWith<{ readonly storage: StoragePart }>;

/** A format that rows are exported to. */
export type ExportFormat = FormatWith<{ readonly export: ExportPart }>;

/** The default format of datasets. */
export const DEFAULT_FORMAT: BatchFormat = 'parquet';

const BY_NAME: ReadonlyMap<string, DatasetFormat> = new Map(Object.entries(FORMATS));

/** Whether datasets are stored in a format. */
export function isBatchFormat(name: string): name is BatchFormat {
  return BY_NAME.get(name)?.storage !== undefined;
}

/** Whether rows are exported to a format. */
export function isExportFormat(name: string): name is ExportFormat {
  return BY_NAME.get(name)?.export !== undefined;
}

export const BATCH_FORMATS: readonly BatchFormat[] = Object.keys(FORMATS).filter(isBatchFormat);
export const EXPORT_FORMATS: readonly ExportFormat[] = Object.keys(FORMATS).filter(isExportFormat);

export function storageOf(format: BatchFormat): StoragePart {
  return FORMATS[format].storage;
}

export function exportOf(format: ExportFormat): ExportPart {
  return FORMATS[format].export;
}

/** The extension of a file name in lower case; undefined if it has none. */
function extensionOf(path: string): string | undefined {
  return /\.([a-z\d]+)$/i.exec(path)?.[1]?.toLowerCase();
}

/** The storage format of a data file; undefined for other files. */
export function batchFormatOf(path: string): BatchFormat | undefined {
  const extension = extensionOf(path);
  return extension !== undefined && isBatchFormat(extension) ? extension : undefined;
}

/** The export format of a file name; throws `dataset/no-format` if its extension is not one. */
export function exportFormatOf(path: string): ExportFormat {
  const extension = extensionOf(path);
  if (extension !== undefined && isExportFormat(extension)) return extension;
  throw new DataDesignerError('dataset/no-format', { path, known: EXPORT_FORMATS });
}
