import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { storageFailure } from '@data-designer/dataset/journal';
import type { TableRecord } from '@data-designer/dataset';
import type { TableRun } from './copy-ordered.ts';
import { bytesOf, materialiseTable } from './materialise-table.ts';
import { isThere, refuseChangedSource, sourceState } from './table-record.ts';
import type { TableFile, TableSource } from './table-source.ts';

/** Where the tables of a run stand, and what is known of them from before. */
export interface TablePaths {
  readonly file: (table: string) => string;
  /** A folder for what is only needed while tables are made. */
  readonly scratch: string;
  /** Where a later part of the run will find what is recorded; undefined where there is none. */
  readonly kept?: {
    /** The dataset's folder, for messages. */
    readonly path: string;
    /** Tables of an earlier part of the run. */
    readonly prior: readonly TableRecord[];
  };
}

/** Tables that stand ready, and what is to be recorded of them. */
export interface PreparedTables {
  readonly files: readonly TableFile[];
  readonly records: readonly TableRecord[];
}

/**
 * Brings the tables of a run into its order, once: those that an earlier part made are used again if they reach far
 * enough, and made anew if not. Throws `dataset/incompatible` if a source is not what it was, else what making them
 * throws; earlier tables are then as they were.
 */
export async function prepareTables(
  sources: readonly TableSource[],
  paths: TablePaths,
  { run, signal }: { readonly run: TableRun; readonly signal: AbortSignal },
): Promise<PreparedTables> {
  // A run that was killed may have left it.
  if (sources.length > 0) await rm(paths.scratch, { recursive: true, force: true });
  const files: TableFile[] = [];
  const records: TableRecord[] = [];
  for (const source of sources) {
    const path = paths.file(source.id);
    const prior = paths.kept?.prior.find(({ id }) => id === source.id);
    if (prior) await refuseChangedSource(source, prior, { path: paths.kept?.path ?? '', signal });
    const isReady = prior && reaches(source, prior, run.rows) && (await isThere(path, prior));
    const rows = isReady ? prior.rows : await makeTable(source, paths, { run, signal });
    files.push({ id: source.id, path, rows });
    if (isReady) records.push(prior);
    else if (paths.kept) records.push(await recordOf(source, { path, rows, covers: run.rows, signal }));
  }
  return { files, records };
}

/** Whether a table has all rows that so many rows of a run need: rows in order go on from the first after the last. */
function reaches({ order }: TableSource, { rows, covers }: TableRecord, wanted: number): boolean {
  return covers >= wanted || (order === 'ordered' && rows < covers);
}

async function makeTable(
  source: TableSource,
  { file, scratch }: TablePaths,
  { run, signal }: { readonly run: TableRun; readonly signal: AbortSignal },
): Promise<number> {
  const path = file(source.id);
  try {
    await withScratch(scratch, join(path, '..'));
    return await materialiseTable(source, path, { run, place: { scratch, signal } });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function recordOf(
  { id, rows: source }: TableSource,
  made: { readonly path: string; readonly rows: number; readonly covers: number; readonly signal: AbortSignal },
): Promise<TableRecord> {
  const { path, rows, covers, signal } = made;
  return { id, rows, covers, bytes: await bytesOf(path), source: await sourceState(source, signal) };
}

async function withScratch(scratch: string, folder: string): Promise<void> {
  try {
    await rm(scratch, { recursive: true, force: true });
    for (const needed of [folder, scratch]) await mkdir(needed, { recursive: true, mode: 0o700 });
  } catch (thrown) {
    throw storageFailure(thrown, folder);
  }
}
