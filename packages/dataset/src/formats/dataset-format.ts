import type { RecordBatch } from 'apache-arrow';
import type { ArrowField, Batch, CellValue } from '@data-designer/core';
import type { GroupSpan } from '../dataset-paths.ts';
import type { PlainRow } from '../encode/decode-row.ts';
import type { FileSum, GroupBytes } from '../repair/checksums.ts';

/** A file format: datasets are stored in it, rows are exported to it, or both. Modules are loaded when first needed. */
export interface DatasetFormat {
  readonly storage?: StoragePart;
  readonly export?: ExportPart;
}

/** What a dataset needs to be stored in a format; a thread that only writes loads no reader. */
export interface StoragePart {
  readonly loadWriter: () => Promise<WriteTable>;
  readonly loadReader: () => Promise<TableReader>;
  readonly loadMerge: () => Promise<MergeFiles>;
}

/** Writes rows of any dataset to one file: as bytes, or as text, which is also written to standard output. */
export type ExportPart =
  | { readonly isText: false; readonly loadWriter: () => Promise<WriteTable> }
  | { readonly isText: true; readonly loadLines: () => Promise<(records: Records) => AsyncIterable<string>> };

/** Appends bytes to a file; they may be reused once it returns. */
export type Append = (bytes: Uint8Array) => void;

/** Rows without their types. */
export type Records = AsyncIterable<Readonly<Record<string, CellValue>>>;

/** Batches of the same fields. */
export interface BatchedTable {
  readonly fields: readonly ArrowField[];
  readonly batches: Iterable<Batch> | AsyncIterable<Batch>;
}

/** Appends batches as one file, each as a row group of its own; throws `dataset/misfit` at a value that does not fit. */
type WriteTable = (table: BatchedTable, append: Append) => Promise<void>;

/** Reads files, one row group in memory at a time; `dataset/damaged` names a file that cannot be read. */
export interface TableReader {
  /** The rows without the first `skip`; row groups that are skipped are not decoded. */
  readonly readRows: (path: string, skip: number) => AsyncGenerator<PlainRow>;
  /** The row group that holds the row at a position; undefined if the file has no such row. */
  readonly rowsAt: (path: string, position: number) => Promise<RowStretch | undefined>;
  readonly countRows: (path: string) => Promise<number>;
  /** The rows as Arrow record batches of the given fields. */
  readonly recordBatches: (path: string, fields: readonly ArrowField[]) => AsyncGenerator<RecordBatch>;
  /** Decodes all rows and says which row groups of the dataset can be read, and where they are. */
  readonly checkGroups: (path: string, span: GroupSpan) => Promise<DecodedGroups>;
}

/** Consecutive rows of a file, such as a row group, and the position of the first of them. */
export interface RowStretch {
  readonly first: number;
  readonly rows: readonly PlainRow[];
}

/** Row groups of a dataset and their place in a file. */
export type PlacedGroup = Omit<GroupBytes, 'crc32'>;

/** The row groups of a dataset in a file, and why each one in the file cannot be decoded; undefined if it can. */
export interface DecodedGroups {
  /** One that stands for all, if the file has another number of row groups. */
  readonly groups: readonly PlacedGroup[];
  readonly failures: readonly unknown[];
}

/**
 * Appends the row groups of files of one schema as one file, one of them in memory at a time. A file that differs from its
 * checksum is `dataset/damaged`. Gives undefined, with nothing appended, if the schemas differ.
 */
type MergeFiles = (sources: readonly MergeSource[], append: Append) => Promise<FindGroups | undefined>;

/** A file whose row groups are copied into another. */
export interface MergeSource {
  readonly path: string;
  /** The row groups of a dataset that the file holds; absent if nobody asks where they are. */
  readonly span?: GroupSpan;
  /** Its checksum, if it has one: a file that differs from it is not merged. */
  readonly sum?: FileSum | undefined;
  /** Only these consecutive row groups; the file was compared with its checksum before. */
  readonly only?: readonly GroupBytes[];
}

/** Where a merged file has the row groups of the dataset, with the checksums of pages that were copied. */
export type FindGroups = (path: string) => Promise<readonly (PlacedGroup & Partial<Pick<GroupBytes, 'crc32'>>)[]>;
