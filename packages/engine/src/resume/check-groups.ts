import { DataDesignerError, type Plan, stoppable, type StopSignals } from '@data-designer/core';
import {
  batchFiles,
  type CheckedBatch,
  checkFile,
  checkImages,
  ChecksumLog,
  Checksums,
  type DatasetPaths,
  findBatches,
  type FoundBatches,
  type GroupSpan,
  missingSides,
  sideFiles,
  type SideTable,
  nameWithin,
} from '@data-designer/dataset';
import type { LostSideFile } from './restore-side-tables.ts';

/** The row groups of a dataset whose files were read completely. */
export interface CheckedGroups extends FoundBatches {
  /** Its files, side tables included, without those of row groups marked as unfinished. */
  readonly files: readonly CheckedBatch[];
  /** The side-table files of finished groups that are missing or damaged. */
  readonly lostSides: readonly LostSideFile[];
  /** The missing or damaged files, relative to the folder with `/`: data files, side tables and images. */
  readonly lostFiles: readonly string[];
}

/** How the files of a dataset are checked. */
interface CheckOptions extends StopSignals {
  /** Whose types the files have: NeMo Data Designer may have written no file of a side table. */
  readonly layout?: Plan['layout'];
}

/**
 * Reads all files of a dataset once. A row group is finished if its rows can be read in all tables, and if all images of
 * its rows are there. Throws `dataset/damaged` where a file cannot be read for another reason than its content.
 */
export function checkGroups(
  paths: DatasetPaths,
  tables: readonly SideTable[],
  { layout, ...signals }: CheckOptions,
): Promise<CheckedGroups> {
  return stoppable(async (signal) => {
    const checksums = await new ChecksumLog(paths).read();
    const marked = await findBatches(paths, { isMarkedOnly: true });
    const { left } = marked;
    const main: CheckedBatch[] = [];
    const side: CheckedBatch[] = [];
    const lostSides: LostSideFile[] = [];
    for (const file of await batchFiles(paths)) {
      if (!left.has(file.first)) main.push(await checkFile(file, checksums, signal));
    }
    await refuseForeignChecksums(paths, main, signal);
    for (const table of tables) {
      const own: CheckedBatch[] = [];
      for (const file of await sideFiles(paths, table)) {
        if (!left.has(file.first)) own.push(await checkFile(file, checksums, signal));
      }
      side.push(...own);
      for (const { path, first, last, damaged } of own) {
        if (damaged.size > 0) lostSides.push({ table, path, first, last });
      }
      const isKnown = (path: string) => checksums.isKnown(path);
      for (const missing of missingSides(main, own, { table, paths, layout, isKnown }))
        lostSides.push({ table, ...missing });
    }
    const files = [...main, ...side];
    const images = await checkImages(paths.folder, checksums, { groups: groupsIn(main), signal });
    const withoutSide = groupsIn(lostSides.filter(({ path }) => !side.some((one) => one.path === path)));
    const damaged = lostGroups(files, withoutSide.union(new Set(images.keys())));
    const finished = groupsIn(main).difference(damaged);
    const rows = main
      .flatMap(({ groups }) => groups)
      .reduce((sum, one) => sum + (damaged.has(one.group) ? 0 : one.rows), 0);
    const unreadable = new Set([...damaged, ...marked.unreadable]);
    const damage = files.find(({ reason }) => reason !== undefined)?.reason ?? marked.damage;
    const lost = [...files.filter((file) => file.damaged.size > 0), ...lostSides].map(({ path }) => path);
    const named = lost.map((path) => nameWithin(paths.folder, path));
    const lostFiles = [...new Set([...named, ...[...images.values()].flat()])];
    return { finished, damaged, rows, left, unreadable, damage, files, lostSides, lostFiles };
  }, signals);
}

/** Throws `dataset/damaged` for checksums that no file matches although each can be read: they belong to other files. */
async function refuseForeignChecksums(
  { checksums: path, folder }: DatasetPaths,
  main: readonly CheckedBatch[],
  signal: AbortSignal,
): Promise<void> {
  if (main.length < 2 || main.some(({ damaged, groups }) => damaged.size < groups.length)) return;
  const none = new Checksums([], { nameOf: (file) => file, reload: () => Promise.resolve(none) });
  for (const file of main) if ((await checkFile(file, none, signal)).damaged.size > 0) return;
  const reason = `no data file in ${folder} matches it, although all ${main.length} can be read: it belongs to other files`;
  const remedy = 'Restore it from a copy, or delete it: a resume then makes it again from the files as they are.';
  throw new DataDesignerError('dataset/damaged', { path, reason, remedy });
}

/** The row groups that any table lost; row groups that a file cannot tell apart are lost together. */
function lostGroups(files: readonly CheckedBatch[], others: ReadonlySet<number>): ReadonlySet<number> {
  const lost = new Set([...others, ...files.flatMap(({ damaged }) => [...damaged].flatMap(numbersOf))]);
  const joined = files.flatMap(({ groups }) => groups.filter(({ last }) => last !== undefined).map(numbersOf));
  for (let size = -1; size !== lost.size;) {
    size = lost.size;
    for (const numbers of joined) if (numbers.some((one) => lost.has(one))) for (const one of numbers) lost.add(one);
  }
  return lost;
}

function groupsIn(files: readonly GroupSpan[]): Set<number> {
  return new Set(files.flatMap(({ first, last }) => numbersOf({ group: first, last })));
}

function numbersOf({ group, last = group }: { readonly group: number; readonly last?: number }): readonly number[] {
  return Array.from({ length: last - group + 1 }, (_, index) => group + index);
}
