import type { RecordBatch } from 'apache-arrow';
import type { ArrowField, Batch, CellValue } from '@data-designer/core';
import type { GroupSpan } from '../dataset-paths.ts';
import type { PlainRow } from '../encode/decode-row.ts';
import type { FileSum, GroupBytes } from '../files/file-sum.ts';

/** A file format for stored datasets, for exports, or for both. Its modules are loaded on first use. */
export interface DatasetFormat {
  readonly storage?: StoragePart;
  readonly export?: ExportPart;
}

/** Stores datasets in a format; a thread that only writes loads no reader. */
export interface StoragePart {
  readonly loadWriter: () => Promise<WriteTable>;
  readonly loadReader: () => Promise<TableReader>;
  readonly loadMerge: () => Promise<MergeFiles>;
}

/** Exports rows to one file: as bytes, or as text, which can also go to standard output. */
export type ExportPart =
  | { readonly isText: false; readonly loadWriter: () => Promise<WriteTable> }
  | { readonly isText: true; readonly loadLines: () => Promise<WriteLines>; readonly canEscape?: true };

/** Writes rows as pieces of text. */
type WriteLines = (records: Records, options?: TextOptions) => AsyncIterable<string>;

/** How rows are written as text. */
export interface TextOptions {
  /**
   * Whether texts that a spreadsheet would run as a formula begin with an apostrophe, in a format that spreadsheets open.
   * Default true.
   */
  readonly escape?: boolean | undefined;
  /** Called for each text that gets an apostrophe. */
  readonly onEscape?: (() => void) | undefined;
}

/** Appends bytes to a file; the caller may reuse the buffer afterwards. */
export type Append = (bytes: Uint8Array) => void;

/** Rows without their types. */
export type Records = AsyncIterable<Readonly<Record<string, CellValue>>>;

/** Batches of the same fields. */
export interface BatchedTable {
  readonly fields: readonly ArrowField[];
  readonly batches: Iterable<Batch> | AsyncIterable<Batch>;
  /** Writes small pages with a codec that every reader has, browsers included; default: compresses as well as this Node can. */
  readonly isForBrowsers?: boolean;
  /** The name of the zone of timestamps, where it is not UTC. */
  readonly timeZone?: string;
}

/** Appends batches as one file with a row group per batch; throws `dataset/misfit` for a value that its field cannot hold. */
type WriteTable = (table: BatchedTable, append: Append) => Promise<void>;

/** Reads files with one row group in memory at a time. Throws `dataset/damaged` for an unreadable file. */
export interface TableReader {
  /** The rows after the first `skip`, a row group at a time; skipped row groups are not decoded. */
  readonly readBlocks: (path: string, skip: number) => AsyncGenerator<readonly PlainRow[]>;
  /** The row group with the row at a position; undefined if there is no such row. */
  readonly rowsAt: (path: string, position: number) => Promise<RowBlock | undefined>;
  readonly countRows: (path: string) => Promise<number>;
  /** Opens a file whose rows are read at any position, without the rows around them where the format allows it. */
  readonly openRows: (path: string) => Promise<RowAccess>;
  /** The rows as Arrow record batches of the given fields. */
  readonly recordBatches: (path: string, fields: readonly ArrowField[]) => AsyncGenerator<RecordBatch>;
  /** Decodes all rows to find the readable row groups and their positions. */
  readonly checkGroups: (path: string, span: GroupSpan) => Promise<DecodedGroups>;
}

/** Consecutive rows, such as a row group, and the position of the first one. */
export interface RowBlock {
  readonly first: number;
  readonly rows: readonly PlainRow[];
}

/** Random access to the rows of a file; its footer stays in memory. */
export interface RowAccess {
  readonly rows: number;
  /** The column chunks of its footer, each of which takes about a kilobyte of memory. */
  readonly chunks: number;
  /** The rows at ascending positions of the file, with all columns or only these. Throws `dataset/damaged`. */
  readonly at: (positions: readonly number[], columns?: readonly string[]) => Promise<readonly PlainRow[]>;
}

/** Row groups of a dataset and their byte range in a file. */
export type LocatedGroup = Omit<GroupBytes, 'crc32'>;

/** The row groups of a file, and for each stored one the error of decoding it, or undefined. */
export interface DecodedGroups {
  /** A single entry for all row groups if the file does not have one per group. */
  readonly groups: readonly LocatedGroup[];
  readonly failures: readonly unknown[];
}

/** Appends the row groups of files as one file, or nothing if schemas differ (undefined); throws `dataset/damaged`. */
type MergeFiles = (sources: readonly MergeSource[], append: Append) => Promise<FindGroups | undefined>;

/** A file to copy row groups from. */
export interface MergeSource {
  readonly path: string;
  /** The row groups in the file; absent if their positions are not needed. */
  readonly span?: GroupSpan;
  /** Its checksum, if it has one. */
  readonly sum?: FileSum | undefined;
  /** Copies only these consecutive row groups, without comparing the checksum. */
  readonly only?: readonly GroupBytes[];
}

/** Finds the row groups in a merged file, with the checksums of copied pages. */
export type FindGroups = (path: string) => Promise<readonly (LocatedGroup & Partial<Pick<GroupBytes, 'crc32'>>)[]>;
