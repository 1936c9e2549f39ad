import {
  batchFiles,
  type DatasetPaths,
  groupsIn,
  type LoggedUsage,
  readPartialGroups,
  UsageLog,
} from '@data-designer/dataset';
import type { FailedRequestGroup, FailedRequests } from '../api/failures.ts';
import type { ShownDataset } from './shown-dataset.ts';

/** Row groups in an answer. */
const MAX_GROUPS = 200;

/** The failed requests of finished and of left row groups, by row group and model alias, the most first. */
export async function failedRequests(dataset: ShownDataset): Promise<FailedRequests> {
  const rows = await dataset.currentRows();
  const paths = await dataset.askedPaths();
  // The row groups of candidates have no place in the dataset.
  const havePlaces = paths === dataset.paths;
  const found = new Map<string, FailedRequestGroup>();
  for (const { group, usage } of await usageOf(paths)) {
    const stored = group !== null && havePlaces ? rows.groupAt(group) : undefined;
    for (const [alias, { requests, failedRequests: failed, refusedRequests: refused }] of Object.entries(usage)) {
      if (failed === 0) continue;
      const key = JSON.stringify([group, alias]);
      const before = found.get(key);
      found.set(key, {
        group,
        alias,
        requests: requests + (before?.requests ?? 0),
        failed: failed + (before?.failed ?? 0),
        refused: refused + (before?.refused ?? 0),
        rows: stored ? { first: stored.start, count: stored.rows } : null,
      });
    }
  }
  const groups = [...found.values()].toSorted((a, b) => b.failed - a.failed || (a.group ?? -1) - (b.group ?? -1));
  return { groups: groups.slice(0, MAX_GROUPS), total: groups.length };
}

async function usageOf(paths: DatasetPaths): Promise<readonly Pick<LoggedUsage, 'group' | 'usage'>[]> {
  const left = await readPartialGroups(paths);
  const finished = groupsIn(await batchFiles(paths));
  const logged = await new UsageLog(paths.usage).read({
    finished: finished.difference(new Set(left.keys())),
    damaged: new Set(),
  });
  return [...logged, ...Array.from(left, ([group, { usage }]) => ({ group, usage }))];
}
