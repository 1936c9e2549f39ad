import type { MessagePort } from 'node:worker_threads';
import { DataDesignerError, type FailedCell, type Plan, type RowGroup, type StopSignals } from '@data-designer/core';
import type { RunGateway } from '@data-designer/gateway';
import type { TableFile } from '@data-designer/seeds';
import type { GroupProgress } from '../row-group/group-progress.ts';
import type { RowGroupResult, WorkerAnswer } from '../row-group/row-group-result.ts';
import type { Destination } from '../row-group/write-batch.ts';
import type { RunEvent } from '../run-event.ts';
import type { PreviewOptions } from '../preview-options.ts';

/** Finds and records the cells that cost a row group its worker. */
export interface GroupRecovery {
  /** The cells that the group's journal records as failed. */
  readonly failedCells: (group: number) => Promise<readonly FailedCell[]>;
  /** The port for a dry replay, which the group's journal alone answers. */
  readonly replay: (group: number) => Promise<MessagePort>;
  /** Records a cell that must not be made again; on disk when this resolves. */
  readonly failCell: (group: number, cell: FailedCell) => Promise<void>;
}

/** What an executor needs to open a row group. */
export interface GroupChannels {
  /** The plan where the run learned something since it opened the executor. */
  readonly plan?: Plan;
  /** Opens the group's channel at the gateway and returns the worker's port. */
  readonly open: (group: number) => MessagePort;
  readonly destination: (group: number) => Destination;
  /** Absent where nothing is journaled: a lost group is then made again from its start. */
  readonly recovery?: GroupRecovery;
  /** Redacts secrets in failures that workers report. */
  readonly redact: RunGateway['redact'];
  /** The run's seed tables. */
  readonly tables?: readonly TableFile[];
  /** The dataset's folder; absent in a preview. */
  readonly folder?: string;
}

/** Where finished row groups go: to files, or to memory. */
export interface GroupSink {
  readonly channels: GroupChannels;
  /** Receives all results as they arrive. */
  readonly take: (results: AsyncIterable<RowGroupResult>) => Promise<void>;
  /** After a failure: receives paid answers that are on their way, and counts what was taken. */
  readonly settle: (signals: StopSignals) => Promise<void>;
}

/** What a run gives an executor when it opens it. */
export interface ExecutorOptions extends Pick<
  PreviewOptions,
  'maxConcurrentRowGroups' | 'mediaRoots' | 'functions' | 'localTools' | 'observer'
> {
  /** How many row groups there are at most. */
  readonly groups: number;
  readonly onEvent: (event: RunEvent) => void;
  /** Receives the progress of open row groups; must not throw. */
  readonly onProgress?: (groups: readonly GroupProgress[]) => void;
}

/** Runs row groups: on threads of this machine, or elsewhere. Disposing it stops the groups that are still open. */
export interface Executor extends AsyncDisposable {
  /** How many groups it makes at a time. */
  readonly slots: number;
  /**
   * Makes the groups, several at a time, opened in order; yields each result when it is ready. A group that keeps losing
   * its worker yields a result that is `abandoned`; any other failure ends the iteration.
   */
  run(groups: Iterable<RowGroup>, channels: GroupChannels): AsyncIterable<RowGroupResult>;
}

/** The result in an answer, with redacted failures: a failure may quote a model, and the model a key. Throws the failure of the group. */
export async function resultOf(
  answer: WorkerAnswer,
  { redact }: Pick<GroupChannels, 'redact'>,
): Promise<RowGroupResult> {
  if ('failure' in answer) throw DataDesignerError.fromWire((await redact(answer)).failure);
  const { lost, fatal, failures } = answer.result;
  if (lost.length === 0 && failures.length === 0 && !fatal) return answer.result;
  return { ...answer.result, ...(await redact({ lost, fatal, failures })) };
}

/** Passes on the progress of groups, with redacted failures. */
export function redactedProgress(
  groups: readonly GroupProgress[],
  redact: GroupChannels['redact'] | undefined,
  onProgress: (groups: readonly GroupProgress[]) => void,
): void {
  const told = groups.map(({ reasons, fatal }) => ({ reasons, fatal }));
  const hasFailures = told.some(({ reasons, fatal }) => reasons.length > 0 || fatal);
  if (!hasFailures || !redact) return onProgress(groups);
  // Redaction fails only if the gateway is lost, which ends the run.
  redact(told).then(
    (redacted) => onProgress(groups.map((group, index) => ({ ...group, ...redacted[index] }))),
    () => {},
  );
}
