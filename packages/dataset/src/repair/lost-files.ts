import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { DataDesignerError, type Plan, rowGroups } from '@data-designer/core';
import { type DatasetPaths, groupDigits, groupsIn, type GroupSpan } from '../dataset-paths.ts';
import { orDamaged } from '../files/damaged-file.ts';
import { ifThere } from '../files/missing-file.ts';
import { type BatchFile, batchFiles, spanOf } from '../formats/batch-files.ts';
import { type SideTable, sideFiles, sideFolders } from '../side-tables.ts';
import { hasRunRecord } from '../run-record.ts';
import { countFileRows } from '../read/file-rows.ts';
import { checkImages, lostFile } from './check-images.ts';
import { ChecksumLog, type Checksums } from '../logs/checksums.ts';

/** A table of a dataset, and whose types its files have. */
interface CheckedTable {
  readonly paths: DatasetPaths;
  readonly table: SideTable;
  /** NeMo Data Designer may have written no file of a side table. */
  readonly layout?: Plan['layout'] | undefined;
  readonly isKnown: (path: string) => boolean;
}

/** A file of a side table. */
interface SideFile extends GroupSpan {
  readonly path: string;
}

/** The files that a side table lacks for the files of the main table. */
export function missingSides(
  main: readonly BatchFile[],
  side: readonly GroupSpan[],
  { table, paths, layout, isKnown }: CheckedTable,
): readonly SideFile[] {
  const found = groupsIn(side);
  const { parquetFiles } = sideFolders(paths, table);
  return main.flatMap(({ path: own, first, last }) => {
    const path = join(parquetFiles, basename(own));
    const isExpected = layout !== 'python' || isKnown(path);
    return isExpected && !groupsIn([{ first, last }]).isSubsetOf(found) ? [{ path, first, last }] : [];
  });
}

/**
 * Throws `dataset/damaged` for a committed file of rows, a file of a side table or an image that is missing, or whose size differs from its checksum: what a resume would notice, as far as no file is read. The content is
 * compared where a file is read.
 */
export async function refuseLostFiles(
  paths: DatasetPaths,
  tables: readonly SideTable[],
  { layout, ...plan }: Pick<Plan, 'layout'> & Partial<Plan>,
): Promise<void> {
  const checksums = await new ChecksumLog(paths).read();
  const main = await batchFiles(paths);
  const planned = plannedRows(paths, plan);
  if (planned) await refuseForeignFiles(main, planned, { checksums, plan });
  const lostRows = lostRowFile(paths, { checksums, main, planned });
  if (lostRows !== undefined) throw lostFile(lostRows, 'it is not there, although its rows were made');
  await refuseOtherSizes(main, checksums);
  for (const table of tables) {
    const side = await sideFiles(paths, table);
    const isKnown = (path: string) => checksums.isKnown(path);
    const [missing] = missingSides(main, side, { table, paths, layout, isKnown });
    if (missing) throw lostFile(missing.path, 'it is not there, although the dataset has its rows');
    await refuseOtherSizes(side, checksums);
  }
  const lost = await checkImages(paths.folder, checksums, { groups: groupsIn(main), isSizeOnly: true });
  const images = [...lost.values()].flat();
  const [first] = images;
  if (first !== undefined) {
    const others = images.length > 1 ? `, and so are ${images.length - 1} other images` : '';
    throw lostFile(join(paths.folder, first), `it is missing or damaged${others}`);
  }
}

/** Throws `dataset/damaged` for a file whose size differs from its checksum. */
async function refuseOtherSizes(files: readonly { readonly path: string }[], checksums: Checksums): Promise<void> {
  for (const { path } of files) {
    const sum = await orDamaged(path, () => ifThere(checksums.of(path), undefined));
    const facts = await orDamaged(path, () => ifThere(stat(path), undefined));
    if (sum && facts && sum.bytes !== facts.size)
      throw lostFile(path, 'its size differs from its checksum in checksums.jsonl');
  }
}

/** The rows of each row group of a plan; undefined where other groups may have files, as with a selection. */
function plannedRows(paths: DatasetPaths, plan: Partial<Plan>): ReadonlyMap<number, number> | undefined {
  const { segments, select } = plan;
  if (!segments || select || !hasRunRecord(paths)) return undefined;
  return new Map([...rowGroups({ segments })].map(({ index, rows }) => [index, rows]));
}

/** Throws `dataset/damaged` for a file of rows that is not of this dataset: by its row groups, or by the number of its rows. */
async function refuseForeignFiles(
  main: readonly BatchFile[],
  planned: ReadonlyMap<number, number>,
  { checksums, plan }: { readonly checksums: Checksums; readonly plan: Partial<Plan> },
): Promise<void> {
  const remedy = 'Move it elsewhere, and resume the dataset (--resume always), which makes missing rows again.';
  // A function may return any number of rows.
  const isFixed = (plan.processors ?? []).every(({ sideTable }) => sideTable !== null);
  for (const { path, first, last } of main) {
    const groups = [...groupsIn([{ first, last }])];
    const other = groups.find((group) => !planned.has(group));
    if (other !== undefined) {
      const reason = `it is not of this dataset, which has no row group ${other}`;
      throw new DataDesignerError('dataset/damaged', { path, reason, remedy });
    }
    if (!isFixed || checksums.isKnown(path)) continue;
    const found = await countFileRows(path);
    const most = groups.reduce((sum, group) => sum + (planned.get(group) ?? 0), 0);
    const merged = groups.map((group) =>
      checksums.rowsOf(join(dirname(path), `batch_${groupDigits(group)}${extname(path)}`)),
    );
    const least = last > first ? merged.reduce<number>((sum, rows) => sum + (rows ?? 0), 0) : 0;
    if (found > most || found < least) {
      const reason = `it is not of this dataset: it has ${found} rows and no checksum, but its row groups have ${found > most ? `at most ${most}` : `${least}`}`;
      throw new DataDesignerError('dataset/damaged', { path, reason, remedy });
    }
  }
}

/** A file of rows that was committed, where none is there; one without a name yet belongs to a run that was killed. */
function lostRowFile(
  { folder, parquetFiles, partialFiles, journal, clusters }: DatasetPaths,
  {
    checksums,
    main,
    planned,
  }: {
    readonly checksums: Checksums;
    readonly main: readonly BatchFile[];
    readonly planned: ReadonlyMap<number, number> | undefined;
  },
): string | undefined {
  // The machines of a run that was killed have files of their own.
  if (existsSync(clusters)) return undefined;
  const found = groupsIn(main);
  const lost = [...checksums.files].find((file) => {
    const name = basename(file);
    const span = dirname(file) === basename(parquetFiles) ? spanOf(name) : undefined;
    if (!span || groupsIn([span]).isSubsetOf(found)) return false;
    if (planned && !planned.has(span.first)) return false;
    return !existsSync(join(partialFiles, name)) && !existsSync(journal(span.first));
  });
  return lost === undefined ? undefined : join(folder, lost);
}
