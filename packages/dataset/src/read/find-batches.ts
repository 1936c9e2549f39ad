import { batchFiles } from '../formats/batch-files.ts';
import { countFileRows } from './file-rows.ts';
import type { DatasetPaths } from '../dataset-paths.ts';
import { markedGroups } from '../logs/partial-groups.ts';
import { isFromFileSystem } from '../files/storage-failure.ts';
import type { FoundGroups } from '../logs/usage-log.ts';

/** The row groups of a dataset that have files, by the state of these files. */
export interface FoundBatches extends FoundGroups {
  /** Rows in the files of finished groups. */
  readonly rows: number;
  /** The rows of each row group marked as unfinished; 0 if it has no readable file. */
  readonly left: ReadonlyMap<number, number>;
  /** Row groups with unreadable files, marked ones included. */
  readonly unreadable: ReadonlySet<number>;
  /** The error of the first unreadable file: `dataset/damaged`; undefined if all are readable. */
  readonly damage: unknown;
}

/** Reads the footers of all or of marked files; throws `dataset/damaged` for faults other than of the content. */
export async function findBatches(
  paths: DatasetPaths,
  { isMarkedOnly = false }: { readonly isMarkedOnly?: boolean } = {},
): Promise<FoundBatches> {
  const finished = new Set<number>();
  const left = new Map((await markedGroups(paths)).map((group) => [group, 0]));
  const unreadable = new Set<number>();
  let rows = 0;
  let damage: unknown;
  for (const { path, first, last } of await batchFiles(paths)) {
    if (isMarkedOnly && !left.has(first)) continue;
    let state = finished;
    try {
      const found = await countFileRows(path);
      if (left.has(first)) left.set(first, found);
      else rows += found;
    } catch (thrown) {
      if (thrown instanceof Error && isFromFileSystem(thrown.cause)) throw thrown;
      state = unreadable;
      damage ??= thrown;
    }
    for (let group = first; group <= last; group++) state.add(group);
  }
  // Unfinished groups have their answers in journals.
  const damaged = unreadable.difference(left);
  return { finished: finished.difference(left), damaged, rows, left, unreadable, damage };
}
