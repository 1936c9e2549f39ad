import type { ArrowField, CollectionFilter } from '@data-designer/core';
import type { SeedConfig } from '@data-designer/config';
import type { FileStamp } from '@data-designer/dataset';

/** A file that rows are made of: where it stands, and what it is called in messages and records. */
export interface SourceFile {
  readonly path: string;
  readonly name: string;
  /** What it was when it was found safe to read; DuckDB does not survive every file. */
  readonly stamp?: FileStamp;
}

/** Where the rows of a table are worked on, and how that is stopped. */
export interface Workplace {
  /** A folder of one's own, which is removed afterwards. */
  readonly scratch: string;
  readonly signal: AbortSignal;
}

/** A table as DuckDB reads it. */
export interface OpenTable {
  /** What stands after FROM. */
  readonly sql: string;
  /** The names there of the columns that stand for the first fields, in the order of the fields. */
  readonly columns: readonly string[];
}

/** Where the rows of a table come from. */
export interface RowSource {
  /** What it is called in messages. */
  readonly name: string;
  /** The files that a later run must find the same; none for rows of the calling program. */
  readonly files: readonly SourceFile[];
  /** The state of its origin that the files are of, by which the same files can be had again. */
  readonly revision?: string;
  /** The hash of rows that are in no file. */
  readonly hash?: () => Promise<string>;
  /** Files that rows tell the names of; the paths of those whose content stands in the table by now. */
  readonly contents?: () => ReadonlySet<string>;
  /** Brings the rows, in the order of the source, to files that DuckDB reads. Throws `seed/unreadable`. */
  readonly open: (place: Workplace) => Promise<OpenTable>;
  /** Makes the table's rows of those in a Parquet file that are in their order; gives how many there are. */
  readonly complete?: (ordered: string, destination: string, place: Workplace) => Promise<number>;
}

/** A table as it can be brought into the order of a run. */
export interface TableSource {
  readonly id: string;
  /** The columns of the finished table; `complete` may add some to those that the source opens with. */
  readonly fields: readonly ArrowField[];
  readonly rows: RowSource;
  readonly order: SeedConfig['samplingStrategy'];
  readonly selection: SeedConfig['selectionStrategy'];
  readonly filters: readonly CollectionFilter[];
}

/** A table as workers find it. */
export interface TableFile {
  readonly id: string;
  readonly path: string;
  readonly rows: number;
}
