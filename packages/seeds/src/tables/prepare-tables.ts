import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { orStorageFailure } from '@data-designer/dataset/journal';
import type { TableRecord } from '@data-designer/dataset';
import { isThere, refuseChangedSource, sourceState } from './table-record.ts';
import type { TableFile, TableRun, TableSource } from './table-source.ts';

/** The paths of a run's tables, and the records of earlier ones. */
export interface TablePaths {
  readonly file: (table: string) => string;
  /** A folder for temporary files. */
  readonly scratch: string;
  /** Given when the run can be continued. */
  readonly resumable?: {
    /** The dataset's folder, for messages. */
    readonly path: string;
    /** The tables that the run had before it was continued. */
    readonly prior: readonly TableRecord[];
  };
}

/** The files of the tables, and their records for `run.json`. */
export interface PreparedTables {
  readonly files: readonly TableFile[];
  readonly records: readonly TableRecord[];
}

/** Orders a run's tables, or reuses earlier ones with enough rows; throws `dataset/incompatible` for a changed source. */
export async function prepareTables(
  sources: readonly TableSource[],
  paths: TablePaths,
  { run, signal }: { readonly run: TableRun; readonly signal: AbortSignal },
): Promise<PreparedTables> {
  if (sources.length === 0) return { files: [], records: [] };
  // A killed run may have left the folder.
  await rm(paths.scratch, { recursive: true, force: true });
  const files: TableFile[] = [];
  const records: TableRecord[] = [];
  for (const source of sources) {
    const path = paths.file(source.id);
    const prior = paths.resumable?.prior.find(({ id }) => id === source.id);
    if (prior && !source.extendsPrior)
      await refuseChangedSource(source, prior, { path: paths.resumable?.path ?? '', signal });
    const isReady = prior && !source.extendsPrior && reaches(source, prior, run.rows) && (await isThere(path, prior));
    const made = isReady ? prior : await makeTable(source, paths, { run, signal });
    files.push({ id: source.id, path, rows: made.rows });
    if (isReady) records.push(prior);
    else if (paths.resumable) records.push(await recordOf(source, { path, ...made, covers: run.rows, signal }));
  }
  return { files, records };
}

/** Whether a table has enough rows for a run; ordered rows start again after the last. */
function reaches({ order }: TableSource, { rows, covers }: TableRecord, wanted: number): boolean {
  return covers >= wanted || (order === 'ordered' && rows < covers);
}

/** What a table was made of. */
type Made = Pick<TableRecord, 'rows' | 'taken'>;

async function makeTable(
  source: TableSource,
  { file, scratch }: TablePaths,
  { run, signal }: { readonly run: TableRun; readonly signal: AbortSignal },
): Promise<Made> {
  const path = file(source.id);
  try {
    await makeFolders(scratch, join(path, '..'));
    const { materialiseTable } = await import('./materialise-table.ts');
    return await materialiseTable(source, path, { run, context: { scratch, signal } });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function recordOf(
  { id, rows: source }: TableSource,
  made: Made & { readonly path: string; readonly covers: number; readonly signal: AbortSignal },
): Promise<TableRecord> {
  const { path, rows, taken, covers, signal } = made;
  const { bytesOf } = await import('./materialise-table.ts');
  const record = { id, rows, covers, bytes: await bytesOf(path), source: await sourceState(source, signal) };
  return taken ? { ...record, taken } : record;
}

async function makeFolders(scratch: string, folder: string): Promise<void> {
  await orStorageFailure(folder, async () => {
    await rm(scratch, { recursive: true, force: true });
    for (const needed of [folder, scratch]) await mkdir(needed, { recursive: true, mode: 0o700 });
  });
}
