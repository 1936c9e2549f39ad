import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type ArrowField, DataDesignerError, type Plan } from '@data-designer/core';
import { type BatchFile, batchFiles, type BatchFolders, spanOf } from './formats/batch-files.ts';
import { type DatasetPaths, datasetPaths } from './dataset-paths.ts';
import { files } from './files/files.ts';
import { makeFolder } from './files/make-folder.ts';

/** A side table has a file for each file of the main table: the dropped columns, or the output of a processor. */
export interface SideTable {
  /** The processor that makes it; null for the dropped columns. */
  readonly processor: string | null;
  readonly fields: readonly ArrowField[];
}

/** The side tables of a run in the order of their commits. */
export function sideTables({ dropped, processors }: Pick<Plan, 'dropped' | 'processors'>): readonly SideTable[] {
  const droppedColumns = dropped && dropped.length > 0 ? [{ processor: null, fields: dropped }] : [];
  const outputs = processors.flatMap(({ config, sideTable }) =>
    sideTable ? { processor: config.name, fields: sideTable.fields } : [],
  );
  return [...droppedColumns, ...outputs];
}

/** The folder and fields of a processor's side table; throws `dataset/no-processor`. */
export function processorTable(
  folder: string,
  plan: Plan,
  processor: string,
): { readonly path: string; readonly fields: readonly ArrowField[] } {
  const tables = sideTables({ dropped: null, processors: plan.processors ?? [] });
  const table = tables.find((one) => one.processor === processor);
  if (!table) {
    const known = tables.flatMap((one) => one.processor ?? []);
    throw new DataDesignerError('dataset/no-processor', { path: folder, processor, known });
  }
  return { path: sideFolders(datasetPaths(folder), table).parquetFiles, fields: table.fields };
}

/** The folders of a side table's committed and unfinished files. */
export function sideFolders(
  { droppedColumns, processorsFiles, partialFiles }: DatasetPaths,
  { processor }: Pick<SideTable, 'processor'>,
): BatchFolders {
  return processor === null
    ? { parquetFiles: droppedColumns, partialFiles: join(partialFiles, 'dropped-columns') }
    : { parquetFiles: join(processorsFiles, processor), partialFiles: join(partialFiles, 'processors', processor) };
}

/** Creates the folders of side tables. Merged files wait in the second one while their sources go, so both survive a power cut. */
export async function makeSideFolders(paths: DatasetPaths, tables: readonly SideTable[]): Promise<void> {
  for (const table of tables) {
    const { parquetFiles, partialFiles } = sideFolders(paths, table);
    await makeFolder(parquetFiles);
    await makeFolder(partialFiles);
  }
}

/** The files of a side table that belong to rows of the main table, in order; empty if there are none. */
export async function sideFiles(
  paths: DatasetPaths,
  table: Pick<SideTable, 'processor'>,
): Promise<readonly BatchFile[]> {
  const folders = sideFolders(paths, table);
  if (!(await readdir(folders.parquetFiles).catch(() => undefined))) return [];
  const main = await batchFiles(paths);
  return (await batchFiles(folders)).filter((file) => main.some((one) => overlaps(one, file)));
}

/** Removes side-table files of row groups that the main table lacks: their commit was interrupted. */
export async function clearSideOrphans(paths: DatasetPaths, tables: readonly SideTable[]): Promise<void> {
  for (const table of tables) {
    const folders = sideFolders(paths, table);
    const kept = new Set((await sideFiles(paths, table)).map(({ path }) => path));
    const names = (await readdir(folders.parquetFiles).catch(() => [])).filter((name) => spanOf(name) !== undefined);
    const orphans = names.map((name) => join(folders.parquetFiles, name)).filter((path) => !kept.has(path));
    await Promise.all(orphans.map((path) => files().unlink(path)));
  }
}

function overlaps(one: BatchFile, other: BatchFile): boolean {
  return one.first <= other.last && other.first <= one.last;
}
