import type { Plan, RowGroup } from '@data-designer/core';
import { type BatchFormat, type ClusterPaths, clusterPaths, type DatasetPaths } from '@data-designer/dataset';
import type { RunGateway } from '@data-designer/gateway';
import type { Executor } from '@data-designer/engine/parts';
import { GroupQueue } from '../redis/group-queue.ts';
import type { RedisLink } from '../redis/open-redis.ts';
import { RunState } from '../redis/run-state.ts';
import { type Timing, timingOf } from '../timing.ts';
import { Machine } from './machine.ts';

/** The state that the machines of a run share, as this machine reaches it. */
export interface OpenedCluster extends AsyncDisposable {
  readonly link: RedisLink;
  readonly state: RunState;
  readonly queue: GroupQueue;
  readonly timing: Timing;
  readonly cluster: ClusterPaths;
}

/** Opens the shared state of a run. */
export async function openShared(
  link: RedisLink,
  { paths, run, leaseMs }: { readonly paths: DatasetPaths; readonly run: string; readonly leaseMs: number },
): Promise<OpenedCluster> {
  const timing = timingOf(leaseMs);
  const queue = await GroupQueue.open(link);
  return {
    link,
    timing,
    queue,
    state: new RunState(link, timing),
    cluster: clusterPaths(paths, run),
    [Symbol.asyncDispose]: () => queue[Symbol.asyncDispose](),
  };
}

/** What a machine makes row groups with. */
export interface MadeWith {
  /** The id of the machine. */
  readonly machine: string;
  readonly plan: Plan;
  readonly format: BatchFormat;
  readonly paths: DatasetPaths;
  readonly groups: readonly RowGroup[];
  readonly local: Executor;
  readonly gateway: RunGateway;
}

/** A machine of a run that has begun; it reports and works when its caller starts it. */
export function openMachine(opened: OpenedCluster, madeWith: MadeWith): Machine {
  return new Machine({ ...opened, ...madeWith });
}
