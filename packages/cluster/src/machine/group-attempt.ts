import { join } from 'node:path';
import { DataDesignerError, type Plan, type RowGroup } from '@data-designer/core';
import {
  batchFiles,
  type BatchFormat,
  type ClusterPaths,
  type CommitRecord,
  type DatasetPaths,
  digits,
  discard,
  type Epoch,
  placeFiles,
  publishCommit,
  readCommit,
  returnEpoch,
  stageOfRun,
  takeEpoch,
  nameWithin,
} from '@data-designer/dataset';
import { files } from '@data-designer/dataset/journal';
import type { RunGateway } from '@data-designer/gateway';
import {
  type Executor,
  filesIn,
  groupFiles,
  type GroupChannels,
  mayPass,
  resumedGroup,
  rowlessFailure,
  type RowGroupResult,
} from '@data-designer/engine/parts';

/** After this many lost machines a row group is abandoned: it may be what ends them. */
const MAX_LOSSES = 20;

/** The record of a group that a machine of the cluster has made. */
type GroupRecord = CommitRecord<RowGroupResult>;

/** What the attempts of a machine at row groups use. */
export interface AttemptParts {
  readonly machine: string;
  readonly plan: Plan;
  readonly format: BatchFormat;
  readonly paths: DatasetPaths;
  readonly cluster: ClusterPaths;
  readonly local: Pick<Executor, 'run'>;
  readonly gateway: RunGateway;
  /** The channels of groups; their destination is this machine's. */
  readonly channels: GroupChannels;
}

/** How an attempt ended: the group is committed, or another attempt must make it. */
export type Outcome =
  | { readonly kind: 'committed'; readonly rows: number }
  | { readonly kind: 'returned'; readonly fatal?: DataDesignerError };

/** This machine has added no rows. */
const ELSEWHERE = { kind: 'committed', rows: 0 } as const;

/** Makes one row group in the next epoch, and commits it unless another machine was first. */
export async function attemptGroup(
  group: RowGroup,
  parts: AttemptParts,
  onEpoch: (epoch: Epoch) => void,
): Promise<Outcome> {
  const { cluster, paths, plan, machine } = parts;
  if (await isCommitted(group.index, parts)) return ELSEWHERE;
  const epoch = await takeEpoch(cluster.epochsOf(group.index), machine);
  // The run is over.
  if (!epoch) return ELSEWHERE;
  if (epoch.losses >= MAX_LOSSES) return commitGroup(abandonedGroup(group, epoch.losses), epoch, parts);
  onEpoch(epoch);
  try {
    const resumed = await resumedGroup(plan, group, paths);
    for await (const result of parts.local.run([resumed], channelsOf(parts, epoch))) {
      const rowless = await rowlessAmong(result, parts);
      if (!rowless && (result.unfinished === 0 || result.abandoned)) return await commitGroup(result, epoch, parts);
      await discardFiles(group.index, epoch, parts);
      const fatal = rowless ?? (result.fatal && DataDesignerError.fromWire(result.fatal));
      await returnEpoch(cluster.epochsOf(group.index), epoch);
      return { kind: 'returned', ...(fatal && { fatal }) };
    }
    throw new DataDesignerError('run/aborted', { reason: 'the executor has ended' });
  } catch (failure) {
    await discardLate(group.index, epoch, parts).catch(() => {});
    throw failure;
  } finally {
    await parts.gateway.closeGroup(group.index, { keepJournal: true });
  }
}

/** The failure of a group without rows because of a processor, where no machine has committed rows. */
async function rowlessAmong(result: RowGroupResult, { paths }: AttemptParts): Promise<DataDesignerError | undefined> {
  const failure = rowlessFailure(result);
  return failure && (await batchFiles(paths)).length === 0 ? failure : undefined;
}

/** Whether a group is committed; gives its files their names where its machine was lost before that. */
async function isCommitted(group: number, { cluster, paths }: AttemptParts): Promise<boolean> {
  const record = await readCommit(cluster.commit(group));
  if (record) await placeFiles(paths.folder, record);
  return record !== undefined;
}

function channelsOf({ channels, plan, paths, format }: AttemptParts, epoch: Epoch): GroupChannels {
  return { ...channels, destination: (group) => groupFiles({ plan, paths, format }, group, suffixOf(epoch)) };
}

/** Each attempt has its own files until one of them is committed. */
function suffixOf({ number }: Epoch): string {
  return `.${digits(number)}`;
}

/** Commits a group by its record, which exists once; the files of a later attempt are discarded. */
async function commitGroup(result: RowGroupResult, epoch: Epoch, parts: AttemptParts): Promise<Outcome> {
  const { machine, paths, cluster } = parts;
  const isMade = result.unfinished === 0 && !mayPass(result);
  const inFolder = (path: string): string => nameWithin(paths.folder, path);
  const written = filesIn(result.output).map(({ temporary, path, sum }) => {
    return { temporary: inFolder(temporary), path: inFolder(path), sum };
  });
  const record: GroupRecord = {
    machine,
    epoch: epoch.number,
    files: isMade ? written : null,
    result: { ...result, output: undefined },
  };
  const isFirst = await publishCommit(cluster.commit(result.group), record);
  if (!isFirst || !isMade) await discardFiles(result.group, epoch, parts);
  if (!isFirst || !isMade) return ELSEWHERE;
  await placeFiles(paths.folder, record);
  await Promise.all(result.orphanedImages.map((path) => files().unlink(join(paths.folder, path))));
  return { kind: 'committed', rows: result.rows };
}

async function discardFiles(group: number, epoch: Epoch, { plan, paths, format }: AttemptParts): Promise<void> {
  const { sideTables = [], temporary } = groupFiles({ plan, paths, format }, group, suffixOf(epoch));
  for (const file of [...sideTables, { temporary }]) await discard(file);
}

/** Discards the files of an attempt that outlived its run; while the run lasts, a record may name them. */
async function discardLate(group: number, epoch: Epoch, parts: AttemptParts): Promise<void> {
  const stage = await stageOfRun(parts.paths, parts.cluster);
  if (stage === 'made' || stage === 'over') await discardFiles(group, epoch, parts);
}

/** The result of a row group that lost too many machines. */
function abandonedGroup({ index: group, rows }: RowGroup, losses: number): RowGroupResult {
  const abandoned = new DataDesignerError('cluster/machines-lost', { group, rows, losses }).toWire();
  const nothing = { rows: 0, lost: [], cells: {}, failures: [], usage: {}, tools: {}, orphanedImages: [] };
  return { ...nothing, group, unfinished: rows, abandoned, output: undefined };
}
