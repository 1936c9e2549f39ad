import type { ClusterConnection, JoinedRunEvent, LostWorkflow } from '@data-designer/cluster';
import { DataDesignerError, messageOf } from '@data-designer/core';
import type { StopOptions } from '@data-designer/declaration';
import { type FlowRecord, orderStages, readFlowRecord, runWorkflow, type StageMaker } from '@data-designer/workflow';

/** How this machine continues a workflow. */
export interface Successor extends Required<StopOptions> {
  readonly connection: ClusterConnection;
  /** What makes the stages, with the settings of the lost coordinator in the folder of its workflows. */
  readonly makerOf: (record: FlowRecord, path: string) => StageMaker;
  readonly onEvent: (event: JoinedRunEvent) => void;
}

/** Continues a workflow whose coordinator is lost, from its folder; throws `cluster/cannot-lead` if it is not made for this machine. */
export async function continueWorkflow(lost: LostWorkflow, successor: Successor): Promise<void> {
  const { connection, signal, drain, onEvent } = successor;
  const record = readRecord(lost);
  const { name, options } = record;
  const stages = orderStages(name, record.stages);
  /** The folders of the stages whose runs have begun. */
  const folders = new Map<string, string>();
  await runWorkflow(
    { name, stages, maker: successor.makerOf(record, lost.path) },
    {
      ...options,
      signal,
      // This machine leaves the workflow when it is stopped; it does not end it.
      cluster: { connection, leaseSeconds: lost.leaseMs / 1000, leave: drain },
      onEvent: (event) => {
        if (event.type === 'redis-lost' || event.type === 'redis-return' || event.type === 'redis-fail')
          return onEvent({ ...event, folder: lost.path });
        if (event.type !== 'stage-event') return;
        if (event.event.type === 'run-start') folders.set(event.stage, event.event.path);
        onEvent({ ...event.event, folder: folders.get(event.stage) ?? lost.path });
      },
    },
    { lost },
  );
}

function readRecord({ path, successor }: LostWorkflow): FlowRecord {
  if ('reason' in successor) throw new DataDesignerError('cluster/cannot-lead', { path, reason: successor.reason });
  try {
    return readFlowRecord(successor.flow);
  } catch (thrown) {
    throw new DataDesignerError('cluster/cannot-lead', { path, reason: messageOf(thrown) }, { cause: thrown });
  }
}
