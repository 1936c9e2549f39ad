import { stoppable, type StopSignals } from '@data-designer/core';
import {
  batchFiles,
  type CheckedBatch,
  checkFile,
  ChecksumLog,
  type DatasetPaths,
  findBatches,
  type FoundBatches,
  type GroupSpan,
  sideFiles,
  type SideTable,
} from '@data-designer/dataset';

/** The row groups of a dataset whose files were read completely. */
export interface CheckedGroups extends FoundBatches {
  /** Its files, side tables included, without those of row groups marked as unfinished. */
  readonly files: readonly CheckedBatch[];
}

/**
 * Reads all files of a dataset once. A row group is finished if its rows can be read in all tables. Throws
 * `dataset/damaged` where a file cannot be read for another reason than its content.
 */
export function checkGroups(
  paths: DatasetPaths,
  tables: readonly SideTable[],
  signals: StopSignals,
): Promise<CheckedGroups> {
  return stoppable(async (signal) => {
    const checksums = await new ChecksumLog(paths).read();
    const marked = await findBatches(paths, { isMarkedOnly: true });
    const { left } = marked;
    const main: CheckedBatch[] = [];
    const side: CheckedBatch[] = [];
    for (const file of await batchFiles(paths)) {
      if (!left.has(file.first)) main.push(await checkFile(file, checksums, signal));
    }
    for (const table of tables) {
      for (const file of await sideFiles(paths, table)) {
        if (!left.has(file.first)) side.push(await checkFile(file, checksums, signal));
      }
    }
    const files = [...main, ...side];
    const damaged = lostGroups(files);
    const finished = groupsIn(main).difference(damaged);
    const rows = main
      .flatMap(({ groups }) => groups)
      .reduce((sum, one) => sum + (damaged.has(one.group) ? 0 : one.rows), 0);
    const unreadable = new Set([...damaged, ...marked.unreadable]);
    const damage = files.find(({ reason }) => reason !== undefined)?.reason ?? marked.damage;
    return { finished, damaged, rows, left, unreadable, damage, files };
  }, signals);
}

/** The row groups that any table lost; row groups that a file cannot tell apart are lost together. */
function lostGroups(files: readonly CheckedBatch[]): ReadonlySet<number> {
  const lost = new Set(files.flatMap(({ damaged }) => [...damaged].flatMap(numbersOf)));
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
