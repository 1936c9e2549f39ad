import type { MessagePort } from 'node:worker_threads';
import type { Plan, RowGroup } from '@data-designer/core';
import type { RunGateway } from '../gateway/run-gateway.ts';
import type { RowGroupResult } from '../row-group/row-group-result.ts';
import type { Destination } from '../row-group/write-batch.ts';
import type { TableFile } from '../tables/table-source.ts';

/** What each row group is made with, asked for when it is opened. */
export interface GroupDesks {
  /** The plan as it is carried out, where something was learned since the threads were started. */
  readonly plan?: Plan;
  /** Opens the group's desk at the gateway and gives the maker's port. */
  readonly open: (group: number) => MessagePort;
  readonly destination: (group: number) => Destination;
  /** Redacts the secrets of the run in what a worker says of failures. */
  readonly redact: RunGateway['redact'];
  /** The tables beside the run, where it has some. */
  readonly tables?: readonly TableFile[];
  /** The dataset's folder; absent in a preview. */
  readonly folder?: string;
}

/** Where row groups are made: on threads here, elsewhere later. */
export interface Executor extends AsyncDisposable {
  /**
   * Makes the groups, several at a time, opened in order; results come as they are ready. A group that could not be made
   * where it was tried is a result without rows; any other failure ends it.
   */
  run(groups: Iterable<RowGroup>, desks: GroupDesks): AsyncIterable<RowGroupResult>;
}
