import { setMaxListeners } from 'node:events';
import type { MessagePort } from 'node:worker_threads';
import { columnTypes } from '@data-designer/columns';
import { ColumnRegistry } from '@data-designer/config';
import { DataDesignerError, parseJson, type Plan, type RowGroup } from '@data-designer/core';
import { workerData } from 'piscina';
import { beat, type HeartbeatMemory } from '../executor/heartbeat.ts';
import { PortGateway } from '../gateway/port-gateway.ts';
import { type PreparedPlan, preparePlan } from './prepare-plan.ts';
import type { WorkerAnswer } from './row-group-result.ts';
import { runRowGroup } from './run-row-group.ts';
import { type Destination, writeBatch } from './write-batch.ts';

/** One row group as a worker is given it; the port leads to the group's desk in the I/O thread. */
export interface RowGroupTask {
  /** The plan as JSON text, the same for all groups of a run. */
  readonly plan: string;
  readonly group: RowGroup;
  readonly port: MessagePort;
  readonly destination: Destination;
}

/** What all workers of a pool are given: where they show that they live. */
export interface WorkerData {
  readonly heartbeat: HeartbeatMemory;
}

beat((workerData as WorkerData).heartbeat);

let latest: { readonly text: string; readonly prepared: PreparedPlan } | undefined;

/** The plan with everything compiled, once for all groups of a run that come here. */
function prepare(text: string): PreparedPlan {
  if (latest?.text !== text) {
    latest = { text, prepared: preparePlan(parseJson(text) as unknown as Plan, new ColumnRegistry(columnTypes)) };
  }
  return latest.prepared;
}

/** Makes one row group in this thread. Failures are given back as data, since their class does not survive a throw. */
export default async function makeRowGroup({ plan, group, port, destination }: RowGroupTask): Promise<WorkerAnswer> {
  const abort = new AbortController();
  // Every call of every cell listens to it.
  setMaxListeners(0, abort.signal);
  using gateway = new PortGateway(port);
  try {
    const write = (batch: Parameters<typeof writeBatch>[1]) => writeBatch(destination, batch);
    return { result: await runRowGroup(prepare(plan), group, { gateway, signal: abort.signal, write }) };
  } catch (thrown) {
    return { failure: DataDesignerError.fromUnknown(thrown).toWire() };
  } finally {
    abort.abort();
  }
}
