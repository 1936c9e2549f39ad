import { createHash } from 'node:crypto';
import { join, relative, sep } from 'node:path';
import { SEED_TABLE } from '@data-designer/core';

/** The record of a workflow, in the folder that contains the datasets of its stages. */
export const WORKFLOW_FILE = 'workflow-metadata.json';

/** The paths of a dataset's files and folders, named as in NeMo Data Designer. */
export interface DatasetPaths {
  readonly folder: string;
  readonly builderConfig: string;
  readonly metadata: string;
  /** How loaders of Hugging Face read the folder. */
  readonly readme: string;
  readonly run: string;
  /** A copy of `run.json`, which a resume restores the file from. */
  readonly runCopy: string;
  readonly lock: string;
  readonly parquetFiles: string;
  readonly partialFiles: string;
  readonly droppedColumns: string;
  readonly processorsFiles: string;
  /** The files of refused rows, which a selection stores on request. */
  readonly refusedFiles: string;
  readonly images: string;
  readonly journals: string;
  /** The failed cells. */
  readonly failures: string;
  /** The failed cells of an earlier run that made no row and whose folder this run reuses. */
  readonly failuresBefore: string;
  /** The stored profile. */
  readonly profile: string;
  /** The usage of models and tools by row group. */
  readonly usage: string;
  /** The reviews of rows. */
  readonly reviews: string;
  /** A copy of the reviews: a person's work cannot be made again. */
  readonly reviewsCopy: string;
  /** The number of lines in the reviews: lines that both files have lost at their ends would not be missed. */
  readonly reviewsCount: string;
  /** The checksums of the data files. */
  readonly checksums: string;
  /** The progress of the run that is making the dataset; the end of the run removes it. */
  readonly progress: string;
  /** The rates of the last run that ended, over its time. */
  readonly rates: string;
  /** The decisions of a selection by row group. */
  readonly selection: string;
  /** The events of a run's scheduling, if they are written. */
  readonly schedulerEvents: string;
  /** The folder of a row group's journal, with one segment per attempt at the group. */
  readonly journal: (group: number) => string;
  /** The mark of an unfinished row group; it counts even if the group has a batch file. */
  readonly partialMark: (group: number) => string;
  /** The journals of lost rows. */
  readonly lostJournals: string;
  /** The journal of a committed row group's lost rows. */
  readonly lostJournal: (group: number) => string;
  /** The files that a row group had before its lost rows are made again. */
  readonly keptFiles: (group: number) => string;
  /** The file of a seed table or collection. */
  readonly table: (table: string) => string;
  /** The state of a run on a cluster, which its machines share; the end of the run removes it. */
  readonly clusters: string;
  /** Temporary files of table preparation. */
  readonly scratch: string;
}

/** Consecutive row groups of a dataset. */
export interface GroupSpan {
  readonly first: number;
  readonly last: number;
}

/** The row groups in spans. */
export function groupsIn(spans: Iterable<GroupSpan>): Set<number> {
  const groups = new Set<number>();
  for (const { first, last } of spans) for (let group = first; group <= last; group++) groups.add(group);
  return groups;
}

/** The paths below a dataset folder; creates nothing. */
export function datasetPaths(folder: string): DatasetPaths {
  const parquetFiles = join(folder, 'parquet-files');
  const partialFiles = join(folder, 'tmp-partial-parquet-files');
  const journals = join(folder, 'journal');
  const lostJournals = join(journals, 'lost');
  const seed = join(folder, 'seed');
  return {
    folder,
    builderConfig: join(folder, 'builder_config.json'),
    metadata: join(folder, 'metadata.json'),
    readme: join(folder, 'README.md'),
    run: join(folder, 'run.json'),
    runCopy: join(folder, 'run.copy.json'),
    lock: join(folder, '.lock'),
    parquetFiles,
    partialFiles,
    droppedColumns: join(folder, 'dropped-columns-parquet-files'),
    processorsFiles: join(folder, 'processors-files'),
    refusedFiles: join(folder, 'rejected'),
    images: join(folder, 'images'),
    journals,
    failures: join(folder, 'failures.jsonl'),
    failuresBefore: join(folder, 'failures.previous.jsonl'),
    profile: join(folder, 'profile.json'),
    usage: join(folder, 'usage.jsonl'),
    reviews: join(folder, 'reviews.jsonl'),
    reviewsCopy: join(folder, 'reviews.copy.jsonl'),
    reviewsCount: join(folder, 'reviews.count.json'),
    checksums: join(folder, 'checksums.jsonl'),
    progress: join(folder, 'progress.json'),
    rates: join(folder, 'rates.json'),
    selection: join(folder, 'selection.jsonl'),
    schedulerEvents: join(folder, 'scheduler_events.jsonl'),
    journal: (group) => join(journals, `group_${groupDigits(group)}`),
    partialMark: (group) => join(journals, `group_${groupDigits(group)}.partial`),
    lostJournals,
    lostJournal: (group) => join(lostJournals, `group_${groupDigits(group)}`),
    keptFiles: (group) => join(journals, 'kept', `group_${groupDigits(group)}`),
    table: (table) => join(seed, table === SEED_TABLE ? '' : folderOf(table), 'part-00000.parquet'),
    clusters: join(folder, 'cluster'),
    scratch: join(seed, 'tmp'),
  };
}

/** The folder of new data files while they are written, and its name once all of them are complete. */
export function stagingFolders(
  { folder, partialFiles }: DatasetPaths,
  name: 'mended' | 'parted' | 'rewritten',
): { readonly unfinished: string; readonly complete: string } {
  return { unfinished: join(partialFiles, name), complete: join(folder, `${name}-files`) };
}

/** The row group of a journal, by the name of its folder. Undefined for other names. */
export function journalGroupOf(fileName: string): number | undefined {
  const digitsOfName = /^group_(\d+)$/.exec(fileName)?.[1];
  return digitsOfName === undefined ? undefined : Number(digitsOfName);
}

/** The row group that a mark's file name stands for; undefined for other names. */
export function markedGroupOf(fileName: string): number | undefined {
  const digitsOfName = /^group_(\d+)\.partial$/.exec(fileName)?.[1];
  return digitsOfName === undefined ? undefined : Number(digitsOfName);
}

/** A folder name for a table, unique even if table names differ only in case or punctuation. */
function folderOf(table: string): string {
  const word = table.replace(/[^A-Za-z0-9]+/g, '-').slice(0, 40);
  return `${word}-${createHash('sha256').update(table).digest('hex').slice(0, 12)}`;
}

/** The name of a file within a folder, with `/` between its parts. */
export function nameWithin(folder: string, path: string): string {
  return relative(folder, path).split(sep).join('/');
}

/** The number of a row group as written in file names. */
export function groupDigits(group: number): string {
  return String(group).padStart(5, '0');
}
