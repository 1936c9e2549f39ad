import { dirname, join } from 'node:path';
import { loadPlugins } from '@data-designer/columns';
import type { CellValue, ColumnData, Plan, RowGroup } from '@data-designer/core';
import {
  type BatchFormat,
  type CheckedBatch,
  ChecksumLog,
  commit,
  type DatasetFolder,
  type DatasetPaths,
  discard,
  makeSideFolders,
  readBatch,
  type SideTable,
  sideFolders,
  sideTables,
  nameWithin,
} from '@data-designer/dataset';
import { type MadeRows, sideTableMakers, sideTableRows } from '../row-group/side-table.ts';

/** A side-table file of a finished row group that is missing or damaged. */
export interface LostSideFile {
  readonly table: SideTable;
  readonly path: string;
  readonly first: number;
  readonly last: number;
}

/** The rows of a plan's groups, and the intact files of the other tables. */
interface Sources {
  readonly plan: Plan;
  readonly format: BatchFormat;
  readonly groups: ReadonlyMap<number, RowGroup>;
  /** All files of the dataset. */
  readonly files: readonly CheckedBatch[];
}

/**
 * Makes the outputs of processors again from the rows of their group, without a request. A file counts only if it equals the
 * one that was lost, by its recorded checksum. Returns the files, relative to the folder.
 */
export async function restoreSideTables(
  folder: DatasetFolder,
  lost: readonly LostSideFile[],
  sources: Sources,
): Promise<readonly string[]> {
  const restored: string[] = [];
  const outputs = lost.filter(({ table, first, last }) => table.processor !== null && first === last);
  if (outputs.length === 0) return restored;
  const { plan, format } = sources;
  const makers = sideTableMakers(plan, await loadPlugins(plan.plugins ?? []));
  const checksums = await new ChecksumLog(folder.paths).read();
  await makeSideFolders(folder.paths, sideTables(plan));
  const { stageBatch } = await import('@data-designer/dataset/write');
  const storage = { format, ...(plan.layout ? { layout: plan.layout } : {}) };
  for (const { table, path, first } of outputs) {
    const processor = plan.processors.find(({ config }) => config.name === table.processor);
    const rows = await rowsOf(first, sources, folder.paths);
    if (!processor || !rows) continue;
    const { batch, refused } = await sideTableRows(makers, rows, processor);
    if (refused.length > 0) continue;
    const { partialFiles } = sideFolders(folder.paths, table);
    const temporary = join(partialFiles, `restored_${first}`);
    const staged = await stageBatch(batch, { path, temporary }, storage);
    if (checksums.has(path, staged.sum)) {
      await commit(staged);
      restored.push(nameWithin(folder.path, path));
    } else await discard(staged);
  }
  return restored;
}

/**
 * The rows of a group, with their dropped columns. A lost row moves the index of those behind it, which only a template
 * that draws sees: its file then differs from the one that was lost.
 */
async function rowsOf(
  group: number,
  { plan, groups, files }: Sources,
  { parquetFiles, droppedColumns }: DatasetPaths,
): Promise<MadeRows | undefined> {
  const columns = new Map<string, CellValue[]>();
  const parts = files.filter(({ path, first, last, damaged }) => {
    return (
      first === group && last === group && damaged.size === 0 && [parquetFiles, droppedColumns].includes(dirname(path))
    );
  });
  for (const { path } of parts) {
    for await (const row of readBatch(path)) {
      for (const [name, value] of Object.entries(row)) {
        const values = columns.get(name);
        if (values) values.push(value);
        else columns.set(name, [value]);
      }
    }
  }
  const [some] = columns.values();
  const firstRow = groups.get(group)?.firstRow;
  if (!some || firstRow === undefined) return undefined;
  const fields = plan.columns.flatMap(({ writes }) => writes);
  const floats = new Set(fields.filter(({ type }) => type === 'float64').map(({ name }) => name));
  const made: ReadonlyMap<string, ColumnData> = columns;
  return { columns: made, rows: some.length, rowIndexOf: (position) => firstRow + position, floats };
}
