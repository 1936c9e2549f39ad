import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { SEED_TABLE } from '@data-designer/core';

/** Where everything of a dataset stands, in the names of NeMo Data Designer. */
export interface DatasetPaths {
  readonly folder: string;
  readonly builderConfig: string;
  readonly metadata: string;
  readonly run: string;
  readonly lock: string;
  readonly parquetFiles: string;
  readonly partialFiles: string;
  readonly droppedColumns: string;
  readonly processorsFiles: string;
  readonly images: string;
  readonly journals: string;
  /** The cells that could not be made. */
  readonly failures: string;
  /** Those of an earlier run that made no row, whose folder this run uses again. */
  readonly failuresBefore: string;
  /** What is known of the dataset as a whole, as of when it was last looked at. */
  readonly profile: string;
  /** What the row groups have taken. */
  readonly usage: string;
  /** The checksums of the data files. */
  readonly checksums: string;
  /** The folder of a row group's journal: a segment for each attempt at the group. */
  readonly journal: (group: number) => string;
  /** Says that a row group is not finished, whatever file of it is there. */
  readonly partialMark: (group: number) => string;
  /** The file of a table beside the run. */
  readonly table: (table: string) => string;
  /** Where tables are worked on. */
  readonly scratch: string;
}

/** Consecutive row groups of a dataset. */
export interface GroupSpan {
  readonly first: number;
  readonly last: number;
}

/** Lays out the paths below a dataset folder; creates nothing. */
export function datasetPaths(folder: string): DatasetPaths {
  const parquetFiles = join(folder, 'parquet-files');
  const partialFiles = join(folder, 'tmp-partial-parquet-files');
  const journals = join(folder, 'journal');
  const seed = join(folder, 'seed');
  return {
    folder,
    builderConfig: join(folder, 'builder_config.json'),
    metadata: join(folder, 'metadata.json'),
    run: join(folder, 'run.json'),
    lock: join(folder, '.lock'),
    parquetFiles,
    partialFiles,
    droppedColumns: join(folder, 'dropped-columns-parquet-files'),
    processorsFiles: join(folder, 'processors-files'),
    images: join(folder, 'images'),
    journals,
    failures: join(folder, 'failures.jsonl'),
    failuresBefore: join(folder, 'failures.previous.jsonl'),
    profile: join(folder, 'profile.json'),
    usage: join(folder, 'usage.jsonl'),
    checksums: join(folder, 'checksums.jsonl'),
    journal: (group) => join(journals, `group_${groupDigits(group)}`),
    partialMark: (group) => join(journals, `group_${groupDigits(group)}.partial`),
    table: (table) => join(seed, table === SEED_TABLE ? '' : folderOf(table), 'part-00000.parquet'),
    scratch: join(seed, 'tmp'),
  };
}

/** The row group of a journal, by the name of its folder or of its file in version 0.1; undefined for other names. */
export function journalGroupOf(fileName: string): number | undefined {
  const digitsOfName = /^group_(\d+)(?:\.journal)?$/.exec(fileName)?.[1];
  return digitsOfName === undefined ? undefined : Number(digitsOfName);
}

/** The row group that a file name marks as not finished; undefined if it is not the name of a mark. */
export function markedGroupOf(fileName: string): number | undefined {
  const digitsOfName = /^group_(\d+)\.partial$/.exec(fileName)?.[1];
  return digitsOfName === undefined ? undefined : Number(digitsOfName);
}

/** A folder's name for a table: of its own whatever signs, and letters large or small, are in the table's. */
function folderOf(table: string): string {
  const word = table.replace(/[^A-Za-z0-9]+/g, '-').slice(0, 40);
  return `${word}-${createHash('sha256').update(table).digest('hex').slice(0, 12)}`;
}

/** The number of a row group as file names have it. */
export function groupDigits(group: number): string {
  return String(group).padStart(5, '0');
}
