import type { ClusterMachines } from '@data-designer/cluster';
import type { Plan } from '@data-designer/core';
import type { RunResult } from '@data-designer/engine';
import type { CreateOptions } from '@data-designer/declaration';
import type { StagePlace } from '@data-designer/workflow';
import type { RunParts } from './open-for-cluster.ts';
import type { RejoinParts } from './rejoin-run.ts';

/** The options of a dataset, which may be the stage of a workflow. */
export type PlacedOptions = CreateOptions & { readonly place?: StagePlace };

/** The machines that make a dataset; undefined if this one does alone. Throws `cluster/*` before anything is made. */
export async function openMachines(
  { cluster, place, onEvent = () => {} }: Pick<PlacedOptions, 'cluster' | 'place' | 'onEvent'>,
  code: RunParts,
  plan: Plan,
): Promise<ClusterMachines | undefined> {
  if (!cluster && !place?.cluster) return undefined;
  const { openForCluster, openForStage } = await import('./open-for-cluster.ts');
  return place?.cluster
    ? openForStage(place.cluster, code, place.mediaRoots)
    : cluster && openForCluster(cluster, code, { plans: [plan], onEvent });
}

/** The run of this machine on its cluster; undefined for a run on this machine alone. */
interface RunOnMachines {
  readonly run: string | undefined;
  readonly cluster: CreateOptions['cluster'];
}

/** The result of a run; where another machine has taken it over, this one works on as an ordinary machine. */
export async function orRejoin(
  made: Promise<RunResult>,
  { run, cluster, ...parts }: Omit<RejoinParts, 'run' | 'cluster'> & RunOnMachines,
): Promise<RunResult> {
  if (run === undefined || !cluster) return made;
  return made.catch(async (failure: unknown) => {
    const { rejoinRun } = await import('./rejoin-run.ts');
    return rejoinRun(failure, { ...parts, run, cluster });
  });
}
