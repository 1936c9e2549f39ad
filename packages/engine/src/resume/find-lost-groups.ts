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
import { folderJournal } from '@data-designer/dataset/journal';
import type { CheckedGroups } from './check-groups.ts';

type Checksums = Awaited<ReturnType<ChecksumLog['read']>>;

/**
 * Marks the unfinished row groups again whose marks are lost. A finished group has a checksum before its file has a name, and
 * its journal goes after that; an unfinished one has a journal and no checksum.
 */
export async function restoreMarks(folder: DatasetFolder, checksums: Checksums): Promise<void> {
  const { paths } = folder;
  const marked = new Set(await folder.partialGroups());
  for (const { path, first, last } of await folder.batches()) {
    const mayBeUnfinished = first === last && !marked.has(first) && !checksums.isKnown(path);
    if (mayBeUnfinished && (await isAnswered(paths, first))) await markPartial(paths, first, { cells: {}, usage: {} });
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
  const lost = new Set<number>();
  for (const group of new Set(files.keys()).difference(found.finished).difference(found.unreadable)) {
    if (!found.left.has(group) && !(await isAnswered(paths, group))) lost.add(group);
  }
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

/** Whether the journal of a row group has an answer. */
async function isAnswered({ journal }: DatasetPaths, group: number): Promise<boolean> {
  const { entries, failedCells } = await folderJournal(journal(group)).read();
  return entries.length + failedCells.length > 0;
}
