import type { JoinedRunEvent, JoinEvent, WorkedRun } from '@data-designer/cluster';
import type { ColumnRegistry } from '@data-designer/config';
import { DataDesignerError, isFailure, type UserFunction } from '@data-designer/core';
import { loadRun, type RunEvent, type RunResult } from '@data-designer/engine';
import type { ClusterSettings } from '@data-designer/declaration';
import { joinCluster } from './join-cluster.ts';

/** The events of a machine that joins: they are for programs that join. */
function isJoinEvent(event: JoinEvent | JoinedRunEvent): event is JoinEvent {
  return event.type.startsWith('join-');
}

/** A run or session that this machine has coordinated, and the settings of the program. */
interface RejoinOptions extends Omit<
  Parameters<typeof joinCluster>[1],
  'connection' | 'functions' | 'onEvent' | 'isOwn'
> {
  readonly run: string;
  readonly cluster: ClusterSettings;
  readonly functions?: ReadonlyMap<string, UserFunction>;
  readonly onEvent: (event: RunEvent) => void;
}

/** A run of one dataset, with what loads its result. */
export interface RejoinParts extends RejoinOptions {
  readonly functions: ReadonlyMap<string, UserFunction>;
  readonly registry: ColumnRegistry;
}

/** Resolves with the dataset that `rejoin` has worked on, once the run is over. */
export async function rejoinRun(failure: unknown, { registry, ...options }: RejoinParts): Promise<RunResult> {
  const { path, ended } = await rejoin(failure, options);
  return { ...(await loadRun(path, registry, { unfinished: true })), ended };
}

/**
 * Works on as an ordinary machine after another one has taken over the coordination, because this one was suspended; rethrows
 * any other failure. Resolves once the run or session is over; throws `cluster/handed-over` if this machine
 * leaves it before.
 */
export async function rejoin(
  failure: unknown,
  { cluster, functions = new Map(), onEvent, ...options }: RejoinOptions,
): Promise<Pick<WorkedRun, 'path' | 'ended'>> {
  if (!isFailure(failure, 'cluster/taken-over')) throw failure;
  const { path } = failure.data;
  onEvent({ type: 'coordinator-change', path });
  const { drain } = options;
  const { isOver, rows, ended } = await joinCluster(path, {
    ...options,
    isOwn: true,
    connection: cluster.connection,
    functions: Object.fromEntries(functions),
    drain: cluster.leave ? AbortSignal.any([drain, cluster.leave]) : drain,
    onEvent: (event) => {
      if (!isJoinEvent(event)) onEvent(event);
    },
  });
  if (!isOver) throw new DataDesignerError('cluster/handed-over', { path, rows });
  return { path, ended };
}
