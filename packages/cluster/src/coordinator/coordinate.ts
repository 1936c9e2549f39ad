import { DataDesignerError, isFields, type RowGroup, type WireFailure } from '@data-designer/core';
import {
  type ClusterPaths,
  clusterPaths,
  type DatasetPaths,
  readJsonFile,
  removeClusterRun,
} from '@data-designer/dataset';
import { type Executor, type RunEnding, type RunProgress } from '@data-designer/engine/parts';
import type { Machine } from '../machine/machine.ts';
import { emptyProgress } from '../machine/open-groups.ts';
import type { OpenedCluster } from '../machine/open-machine.ts';
import type { RunState } from '../redis/run-state.ts';
import { ClusterExecutor } from './cluster-executor.ts';
import type { CoordinatorLease } from './coordinator-lease.ts';

/** The run as its coordinator sees it. */
export interface CoordinatedRun {
  readonly paths: DatasetPaths;
  readonly progress: RunProgress;
  readonly ending: RunEnding;
  readonly local: Executor;
  /** The number of journaled answers to changed requests, by row group. */
  readonly voided: ReadonlyMap<number, number>;
  /** Whether this machine makes groups too. */
  readonly works: boolean;
  readonly lease: CoordinatorLease;
  /** Aborted when this machine is to leave the run. */
  readonly leave: AbortSignal;
}

/** How long the end of the run waits for Redis. */
const GOODBYE_TIMEOUT_MS = 5000;

/** Opens the executor of the machine that coordinates a run; its groups and its threads are those of `machine`. */
export function coordinate(machine: Machine, opened: OpenedCluster, run: CoordinatedRun): Executor {
  const { queue, timing, cluster } = opened;
  const { paths, progress, ending, local, voided, works, lease, leave } = run;
  const observe = ending.observing(() => {});
  const executor: ClusterExecutor = new ClusterExecutor({
    machine,
    queue,
    timing,
    paths,
    cluster,
    voided,
    local,
    works,
    lease,
    leave,
    end: (reason, options) => ending.end(reason, options),
    ending: ending.begun,
    onMachines: (machines) => {
      // A failure that every row of a machine meets ends that machine; the others may go on.
      for (const { open } of machines) observe(open.map(({ fatal: _, ...group }) => group));
      for (const { end } of machines) if (end) ending.end(DataDesignerError.fromWire(end));
      progress.onMachines(machine.self, machines);
    },
    close: async () => opened[Symbol.asyncDispose](),
  });
  machine.hooks = {
    ...machine.hooks,
    onAnswer: (answer) => executor.onAnswer(answer),
    poll: () => executor.pollRequest(),
    // It drains if another machine coordinates the run.
    // The run ends by `lease.lost`, which has the same failure.
    onWake: () => lease.refuseLost().catch(() => {}),
    onCommitted: (group) => executor.onCommitted(group),
    // On the coordinator it ends the run, as on a run without a cluster.
    onFatal: (group, failure) => observe([{ ...emptyProgress(group), fatal: failure.toWire() }]),
  };
  return executor;
}

/** Groups that a machine has open when it begins to coordinate. */
export function continueProgress(progress: RunProgress, machine: Machine, groups: readonly RowGroup[]): void {
  const left = new Set(groups.map(({ index }) => index));
  for (const group of machine.openGroups) if (left.has(group)) progress.open(group);
}

/** Why a run ends before all its rows are made, as its coordinator has written it. */
export async function readEnding({ ending }: ClusterPaths): Promise<DataDesignerError | undefined> {
  const wire = await readJsonFile(ending, { exact: false });
  return isFields(wire) ? DataDesignerError.fromWire(wire as unknown as WireFailure) : undefined;
}

/** Removes what the machines of a run shared, and announces that the run is over, and why if it ended early. */
export async function endRun(
  paths: DatasetPaths,
  { lease, state, run }: { readonly lease: CoordinatorLease; readonly state: RunState; readonly run: string },
): Promise<void> {
  await lease.refuseLost();
  const reason = await readEnding(clusterPaths(paths, run)).catch(() => undefined);
  await removeClusterRun(paths, run);
  // Without Redis the machines see that the run's folder is gone.
  await state.link.within(GOODBYE_TIMEOUT_MS, state.endRun(reason));
}
