import { readdir } from 'node:fs/promises';
import type { ClusterMachines, LostWorkflow } from '@data-designer/cluster';
import { DataDesignerError, isFailure, NEVER, type Plan, refuseStopped } from '@data-designer/core';
import { datasetPaths, type FolderLock, removeClusterRun, takeFolderLock } from '@data-designer/dataset';
import type { WorkflowParts } from './check-workflow.ts';
import { successorOf } from './flow-record.ts';
import type { WorkflowRunOptions } from './stage.ts';

/** The folders of a workflow, and what stops it. */
interface LedWorkflow {
  readonly folder: string;
  /** The folders of its stages, in order. */
  readonly runs: readonly string[];
  readonly signal: AbortSignal | undefined;
}

/** The machines that make the stages of a workflow, coordinated by this one. */
export interface WorkflowCluster extends AsyncDisposable {
  readonly machines: ClusterMachines;
  /** Ends the workflow although only this machine is to leave it, as no other one can continue it. */
  readonly drain: AbortSignal | undefined;
  /** Throws once this machine is to leave the workflow, between two stages. */
  readonly refuseLeft: () => void;
  /** Does the work of the coordinator while this machine has the lease; the signal is aborted once another one has it. */
  readonly lead: <Result>(led: LedWorkflow, work: (signal: AbortSignal) => Promise<Result>) => Promise<Result>;
}

/** Connects to the cluster of a workflow; undefined for one on this machine alone. Throws `cluster/*`. */
export async function openWorkflowCluster(
  parts: WorkflowParts,
  options: WorkflowRunOptions,
  { plans, lost }: { readonly plans: readonly Plan[]; readonly lost: LostWorkflow | undefined },
): Promise<WorkflowCluster | undefined> {
  const { cluster, onEvent = () => {} } = options;
  if (!cluster) return undefined;
  const { leave = NEVER, ...others } = cluster;
  const successor = successorOf(parts, options, plans);
  const canLeave = 'flow' in successor;
  const machines = await parts.maker.openCluster(canLeave ? cluster : others, { plans, lost, onEvent });
  return {
    machines,
    drain: canLeave ? undefined : leave,
    refuseLeft: () => refuseStopped({ signal: NEVER, drain: leave }),
    lead: ({ signal = NEVER, ...led }, work) => machines.lead({ kind: 'workflow', ...led, signal, successor }, work),
    [Symbol.asyncDispose]: () => machines[Symbol.asyncDispose](),
  };
}

/** Locks the folder of a workflow, also after a run on a cluster that has lost all its machines; throws `dataset/locked`. */
export async function lockWorkflow(folder: string, cluster: WorkflowCluster | undefined): Promise<FolderLock> {
  const paths = datasetPaths(folder);
  const { run, isLost } = cluster?.machines ?? {};
  const lock = await takeFolderLock(paths.lock, {
    cluster: run,
    isLost: isLost && ((other) => isLost(other, folder)),
  });
  for (const other of await readdir(paths.clusters).catch(() => [])) {
    if (other !== run) await removeClusterRun(paths, other);
  }
  return lock;
}

/** Failures of a machine that lacks the files or the keys of a workflow; others may have them. */
const UNFIT = [
  'config/invalid',
  'config/unreadable',
  'secret/missing',
  'workflow/changed',
  'workflow/invalid',
] as const;

/** Throws `cluster/cannot-lead` for what this machine lacks to continue a workflow. */
export async function orCannotLead<Result>({ path }: LostWorkflow, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (thrown) {
    if (!UNFIT.some((code) => isFailure(thrown, code))) throw thrown;
    const { message: reason } = DataDesignerError.fromUnknown(thrown);
    throw new DataDesignerError('cluster/cannot-lead', { path, reason }, { cause: thrown });
  }
}

/** Whether a failure means that another machine coordinates the workflow. */
export function isLeft(failure: unknown): boolean {
  return isFailure(failure, 'cluster/handed-over') || isFailure(failure, 'cluster/taken-over');
}
