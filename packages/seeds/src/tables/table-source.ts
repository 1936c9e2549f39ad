import type { ArrowField, ChatColumn, CollectionFilter } from '@data-designer/core';
import type { SeedConfig } from '@data-designer/config';
import type { FileStamp } from '@data-designer/dataset';
import type { PlainTable } from './read-plain-csv.ts';

/** A file that rows come from: its path, and its name in messages and records. */
export interface SourceFile {
  readonly path: string;
  readonly name: string;
  /** Its size and time at the inspection, which found that DuckDB can read it. */
  readonly stamp?: FileStamp;
}

/** The scratch folder and signal of a table's preparation. */
export interface PrepareContext {
  /** A private folder, removed afterwards. */
  readonly scratch: string;
  readonly signal: AbortSignal;
}

/** The run that a table is made for, which gives its order. */
export interface TableRun {
  /** The number of rows. */
  readonly rows: number;
  readonly seed: number;
}

/** A table as DuckDB reads it. */
export interface OpenTable {
  /** SQL to follow FROM. */
  readonly sql: string;
  /** The names of the columns that hold the first fields, in the order of the fields. */
  readonly columns: readonly string[];
}

/** Rows whose length is taken for that of all rows of a source. */
export const SAMPLED_ROWS = 64;

/** What a run materialises the rows of a table from. */
export interface RowSource {
  /** The source's name in messages. */
  readonly name: string;
  /** The files that must be unchanged when the run is continued; none for rows in memory. */
  readonly files: readonly SourceFile[];
  /** About how many bytes a row holds; absent if unknown. */
  readonly rowBytes?: number | undefined;
  /** The conversations of a dataset whose files these are; absent without any. */
  readonly chats?: readonly ChatColumn[];
  /** The version of the source, such as a commit, that a continued run requests again. */
  readonly revision?: string;
  /** The hash of rows that come from no file. */
  readonly hash?: () => Promise<string>;
  /** For rows that hold paths of files: the paths of those whose content the table holds too. */
  readonly contents?: () => ReadonlySet<string>;
  /** Makes the rows readable for DuckDB, in the order of the source. Throws `seed/unreadable`. */
  readonly open: (context: PrepareContext) => Promise<OpenTable>;
  /** Reads the rows into memory where they are few and plain, so that DuckDB is not needed; undefined if they are not. */
  readonly plain?: () => Promise<PlainTable | undefined>;
  /** Adds the remaining columns to rows that are in the order of the run; gives the number of rows. */
  readonly complete?: (ordered: string, destination: string, context: PrepareContext) => Promise<number>;
}

/** A table to be brought into the order of a run. */
export interface TableSource {
  readonly id: string;
  /** Whether the source may begin with the rows of an earlier run's source, which it then only adds rows to. */
  readonly extendsPrior?: boolean;
  /** The columns of the finished table, those that `complete` adds included. */
  readonly fields: readonly ArrowField[];
  readonly rows: RowSource;
  readonly order: SeedConfig['samplingStrategy'];
  readonly selection: SeedConfig['selectionStrategy'];
  readonly filters: readonly CollectionFilter[];
}

/** A materialised table. */
export interface TableFile {
  readonly id: string;
  readonly path: string;
  readonly rows: number;
}
