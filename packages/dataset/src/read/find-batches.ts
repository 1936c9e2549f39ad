import { batchFiles } from './batch-files.ts';
import { countFileRows } from './file-rows.ts';
import type { DatasetPaths } from '../dataset-paths.ts';
import { markedGroups } from '../logs/partial-groups.ts';
import { isFromFileSystem } from '../files/storage-failure.ts';
import type { FoundGroups } from '../logs/usage-log.ts';

/** The row groups of a dataset whose files are there, by what can be read of them. */
export interface FoundBatches extends FoundGroups {
  /** Rows in the files of finished groups. */
  readonly rows: number;
  /** Rows by row group that is marked as not finished; 0 where there is no file that can be read. */
  readonly left: ReadonlyMap<number, number>;
  /** Row groups whose files cannot be read, marked ones included. */
  readonly unreadable: ReadonlySet<number>;
  /** Why the first of these cannot be read: `dataset/damaged`; undefined where there is none. */
  readonly damage: unknown;
}

/**
 * Looks at the files of a dataset by their ends, or only at those of row groups that are marked as not finished. One that
 * could not be read for another reason than its content, such as its rights, ends the resume: `dataset/damaged`.
 */
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
  // The answers of groups that are left stand in their journals.
  const damaged = unreadable.difference(left);
  return { finished: finished.difference(left), damaged, rows, left, unreadable, damage };
}
