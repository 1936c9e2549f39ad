import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { DatasetPaths } from '../dataset-paths.ts';
import { files } from '../files/files.ts';
import { namesOf } from '../journal/folder-journal.ts';
import { FailureLog } from '../logs/failure-log.ts';
import { markedGroups, unmarkPartial } from '../logs/partial-groups.ts';
import { UsageLog } from '../logs/usage-log.ts';
import { ChecksumLog } from '../logs/checksums.ts';
import { keepLostAnswers } from '../repair/lost-rows.ts';
import { clusterPaths } from './cluster-paths.ts';
import { type CommitRecord, placeFiles, readCommit } from './commit-record.ts';

/** How many records are in memory at a time: they hold the conversations of failed cells. */
const RECORDS_AT_ONCE = 1000;

/**
 * Moves the records of runs on a cluster into the logs of the dataset, once no machine makes rows: usage, failures and
 * checksums. May be repeated after a crash. Of the folder of a run remains what another machine needs to complete the
 * dataset. `reRequested` has the journaled answers that were requested again, by group; `kept` is the id of a run that goes on.
 */
export async function mergeCommits(
  paths: DatasetPaths,
  {
    reRequested = new Map(),
    kept,
  }: { readonly reRequested?: ReadonlyMap<number, number>; readonly kept?: string | undefined } = {},
): Promise<void> {
  const runs = (await namesOf(paths.clusters)).filter((run) => run !== kept);
  for (const run of runs) {
    const { folder, commits, epochs, start, finishing } = clusterPaths(paths, run);
    if (!(await namesOf(folder)).includes(basename(start))) continue;
    const names = (await namesOf(commits)).filter((name) => /^group_\d+\.json$/.test(name)).toSorted();
    for (let from = 0; from < names.length; from += RECORDS_AT_ONCE) {
      const reading = names.slice(from, from + RECORDS_AT_ONCE).map((name) => readCommit(join(commits, name)));
      await mergeRecords(
        paths,
        (await Promise.all(reading)).filter((record) => record !== undefined),
        reRequested,
      );
    }
    await removeAttempts(paths);
    // From here on the records are of no use, and may go one by one.
    await files().rename(start, finishing);
    await files().syncFolder(folder);
    for (const done of [commits, epochs]) await files().removeTree(done);
  }
}

/** Removes what the machines of a run have shared; they find then that it is over. */
export async function removeClusterRun(paths: Pick<DatasetPaths, 'clusters'>, run: string): Promise<void> {
  await files().removeTree(clusterPaths(paths, run).folder);
  if ((await namesOf(paths.clusters)).length === 0) await files().removeTree(paths.clusters);
}

/** Removes the files of attempts that were not committed. */
async function removeAttempts({ partialFiles }: DatasetPaths): Promise<void> {
  const entries = await readdir(partialFiles, { recursive: true, withFileTypes: true });
  const left = entries.filter((entry) => entry.isFile() && /\.\d{6}$/.test(entry.name));
  await Promise.all(left.map(({ parentPath, name }) => files().unlink(join(parentPath, name))));
}

async function mergeRecords(
  paths: DatasetPaths,
  records: readonly CommitRecord[],
  reRequested: ReadonlyMap<number, number>,
): Promise<void> {
  const made = records.filter(({ files: recorded }) => recorded !== null);
  for (const record of made) await placeFiles(paths.folder, record);
  const groups = new Set(made.map(({ result }) => result.group));
  await new FailureLog(paths.failures).replace(
    groups,
    made.map(({ result }) => result),
  );
  const counts = made.map(({ result }) => ({ ...result, reRequested: reRequested.get(result.group) ?? 0 }));
  await new UsageLog(paths.usage).replace(groups, counts);
  const sums = made.flatMap(({ files: recorded }) => recorded ?? []);
  await new ChecksumLog(paths).add(
    sums.map(({ path, sum }) => ({ path: join(paths.folder, path), sum })),
    made.map(({ result: { group, images = [] } }) => ({ group, images })),
  );
  for (const group of await markedGroups(paths)) if (groups.has(group)) await unmarkPartial(paths, group);
  for (const { result } of made) await keepLostAnswers(paths, result.group, result.failures);
}
