import { basename, dirname } from 'node:path';
import {
  type ChecksumLog,
  type DatasetFolder,
  type DatasetPaths,
  groupsIn,
  markPartial,
  spanOf,
  UsageLog,
} from '@data-designer/dataset';
import { folderJournal, journaledGroups } from '@data-designer/dataset/journal';
import type { CheckedGroups } from './check-groups.ts';

type Checksums = Awaited<ReturnType<ChecksumLog['read']>>;

/**
 * Marks the unfinished row groups again whose marks are lost. A finished group has a checksum before its file has a name, and
 * its journal goes after that; an unfinished one has a journal and no checksum.
 */
export async function restoreMarks(folder: DatasetFolder, checksums: Checksums): Promise<void> {
  const { paths } = folder;
  const journaled = await answeredGroups(paths);
  const marked = new Set(await folder.partialGroups());
  for (const { path, first, last } of await folder.batches()) {
    const isUnfinished = first === last && journaled.has(first) && !marked.has(first) && !checksums.isKnown(path);
    if (isUnfinished) await markPartial(paths, first, { cells: {}, usage: {} });
  }
}

/**
 * The checked row groups, with those as damaged that were committed and paid for, and have no file any more. A group that was
 * not committed when its run was killed has its answers in its journal.
 */
export async function withVanished(
  found: CheckedGroups,
  paths: DatasetPaths,
  checksums: Checksums,
): Promise<CheckedGroups> {
  const files = new Map<number, string>();
  for (const file of checksums.files) {
    const span = dirname(file) === basename(paths.parquetFiles) ? spanOf(basename(file)) : undefined;
    for (const group of groupsIn(span ? [span] : [])) files.set(group, file);
  }
  const journaled = await answeredGroups(paths);
  const missing = new Set(files.keys()).difference(found.finished).difference(found.unreadable);
  const lost = new Set([...missing].filter((group) => !journaled.has(group) && !found.left.has(group)));
  if (lost.size === 0) return found;
  const paid = await new UsageLog(paths.usage).read({ finished: lost, damaged: new Set() });
  const vanished = new Set(paid.flatMap(({ group }) => group ?? []));
  const names = [...vanished].map((group) => files.get(group) ?? '');
  return {
    ...found,
    damaged: found.damaged.union(vanished),
    unreadable: found.unreadable.union(vanished),
    lostFiles: [...new Set([...found.lostFiles, ...names])],
  };
}

/** The row groups with an answer in their journal. */
async function answeredGroups({ journals, journal }: DatasetPaths): Promise<ReadonlySet<number>> {
  const answered = new Set<number>();
  for (const group of await journaledGroups(journals)) {
    const { entries, failedCells } = await folderJournal(journal(group)).read();
    if (entries.length + failedCells.length > 0) answered.add(group);
  }
  return answered;
}
