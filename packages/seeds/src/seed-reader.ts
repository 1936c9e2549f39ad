import type { TableFormat } from '@data-designer/config';
import type { ArrowField, Finding } from '@data-designer/core';
import type { PriorSeed } from './prior-seed.ts';
import type { RowSpools } from './rows/row-spools.ts';
import type { RowSource } from './tables/table-source.ts';

/** Reads one kind of seed. `seed-readers.ts` lists the built-in ones; `pluginReader` makes one of a plug-in's type. */
export interface SeedReader<Source> {
  /** Inspects a checked source; faults of its rows are findings, failed downloads and an abort are thrown. */
  readonly inspect: (source: Source, options: InspectOptions) => Promise<SeedInspection>;
}

/** What a reader may use. */
export interface InspectOptions {
  /** Where relative paths start. */
  readonly folder: string;
  readonly signal: AbortSignal;
  /** Whether the number of rows is needed. */
  readonly isCounted: boolean;
  /** Stores the rows of iterators, which can be read only once; without it they are not read. */
  readonly spools?: RowSpools;
  /** Given when a run follows: only then does a reader download files or call a plug-in. */
  readonly run?: SeedRun;
}

/** The run that a seed is inspected for. */
interface SeedRun {
  /** The cache for files of the Hub. */
  readonly cacheFolder: string;
  /** Whether the Hub may be a server of this machine or its network. */
  readonly allowPrivate: boolean;
  /** What the dataset to be continued was begun with. */
  readonly prior?: PriorSeed | undefined;
}

/** What is known of seed rows before a run. */
export interface SeedInspection {
  /** The columns with their types; undefined if unknown before a run. */
  readonly columns: readonly ArrowField[] | undefined;
  /** Names of columns that the declaration gives, where `columns` is undefined. */
  readonly names?: readonly string[] | undefined;
  /** The number of rows, or of files where each file makes rows; undefined unless counted. */
  readonly rows: number | undefined;
  /** Faults of the rows; `field` is a path within `seed_config`. */
  readonly findings: readonly Finding[];
  /** How the files of a table are read. */
  readonly reading?: TableReading;
  /** What a run materialises the rows from; undefined if they cannot be read. */
  readonly source?: RowSource | undefined;
}

/** How the files of a table are read, as declared or found. */
export interface TableReading {
  /** The format of the files. */
  readonly format: TableFormat;
  /** The number of files. */
  readonly files: number;
  /** The encoding of the first text file. */
  readonly encoding?: string;
  /** The sign between the cells of the first CSV file. */
  readonly delimiter?: string;
  /** The sign around cells of the first CSV file; absent if it quotes none. */
  readonly quote?: string;
  /** Whether the first line of the first CSV file holds names. */
  readonly header?: boolean;
}

/** The inspection of rows that a reader cannot read, with the reasons if there are any. */
export function unreadRows(findings: readonly Finding[] = []): SeedInspection {
  return { columns: undefined, rows: undefined, findings };
}

/** An error about the rows of a seed, at `source.path` unless `field` is replaced. */
export function seedError(type: string, message: string, remedy: string): Finding {
  return { stage: 'run', type, level: 'ERROR', field: ['source', 'path'], message, remedy };
}

/** The same as a warning. */
export function seedWarning(type: string, message: string, remedy: string): Finding {
  return { ...seedError(type, message, remedy), level: 'WARNING' };
}

/** The warning about a column whose bytes are text in some rows and not in others. */
export function mixedBytes(name: string): Finding {
  const message = `the bytes of column '${name}' are text in some rows and not in others; all of them are read as Base64.`;
  const remedy = 'If the column is text, write it in UTF-8 and without NUL in every row.';
  return seedWarning('seed_bytes_mixed', message, remedy);
}
