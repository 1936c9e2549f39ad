import type { JoinEvent } from '@data-designer/cluster';
import type { ColumnRegistry } from '@data-designer/config';
import { DataDesignerError, isFailure, type UserFunction } from '@data-designer/core';
import { loadRun, type RunEvent, type RunResult } from '@data-designer/engine';
import type { ClusterSettings } from '../data-designer-options.ts';
import { joinCluster } from './join-cluster.ts';

/** The events of a machine that joins: they are for programs that join. */
function isJoinEvent(event: JoinEvent | RunEvent): event is JoinEvent {
  return event.type.startsWith('join-');
}

/** A run that this machine has coordinated, and the settings of the program. */
export interface RejoinParts extends Omit<
  Parameters<typeof joinCluster>[1],
  'connection' | 'functions' | 'onEvent' | 'makerOf'
> {
  readonly run: string;
  readonly cluster: ClusterSettings;
  readonly functions: ReadonlyMap<string, UserFunction>;
  readonly registry: ColumnRegistry;
  readonly onEvent: (event: RunEvent) => void;
}

/**
 * Works on as an ordinary machine after another one has taken over the coordination, because this one was suspended; rethrows
 * any other failure. Resolves with the dataset once the run is over.
 */
export async function rejoinRun(
  failure: unknown,
  { cluster, functions, registry, onEvent, ...parts }: RejoinParts,
): Promise<RunResult> {
  if (!isFailure(failure, 'cluster/taken-over')) throw failure;
  const { path } = failure.data;
  onEvent({ type: 'coordinator-change', path });
  const { drain } = parts;
  const { isOver, rows } = await joinCluster(path, {
    ...parts,
    connection: cluster.connection,
    functions: Object.fromEntries(functions),
    drain: cluster.leave ? AbortSignal.any([drain, cluster.leave]) : drain,
    onEvent: (event) => {
      if (!isJoinEvent(event)) onEvent(event);
    },
  });
  if (!isOver) throw new DataDesignerError('cluster/handed-over', { path, rows });
  return loadRun(path, registry, { unfinished: true });
}
