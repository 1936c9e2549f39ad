import type { MessagePort } from 'node:worker_threads';
import type { FailedCell, Plan, RowGroup } from '@data-designer/core';
import type { RunGateway } from '@data-designer/gateway';
import type { TableFile } from '@data-designer/seeds';
import type { RowGroupResult } from '../row-group/row-group-result.ts';
import type { Destination } from '../row-group/write-batch.ts';

/** How the cells are found that cost a row group its worker. */
export interface GroupRecovery {
  /** The cells that stand in the group's journal as failed. */
  readonly failedCells: (group: number) => Promise<readonly FailedCell[]>;
  /** The port of a maker that is answered from the group's journal alone. */
  readonly replay: (group: number) => Promise<MessagePort>;
  /** Records a cell that must not be made again: on disk when this resolves. */
  readonly failCell: (group: number, cell: FailedCell) => Promise<void>;
}

/** What each row group is made with, asked for when it is opened. */
export interface GroupChannels {
  /** The plan as it is carried out, where something was learned since the threads were started. */
  readonly plan?: Plan;
  /** Opens the group's desk at the gateway and gives the maker's port. */
  readonly open: (group: number) => MessagePort;
  readonly destination: (group: number) => Destination;
  /** Absent where nothing is journaled: a lost group is then made again as it is. */
  readonly recovery?: GroupRecovery;
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
  run(groups: Iterable<RowGroup>, channels: GroupChannels): AsyncIterable<RowGroupResult>;
}
