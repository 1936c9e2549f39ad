import type { Plan, RowGroup } from '@data-designer/core';
import type { BatchFormat, DatasetFolder, DatasetPaths } from '@data-designer/dataset';
import type { ClusterLimits, RunGateway } from '@data-designer/gateway';
import type { TableFile } from '@data-designer/seeds';
import type { RunEnding } from '../endings/run-ending.ts';
import type { Executor } from '../executor/executor.ts';
import type { RunProgress } from '../progress/run-progress.ts';
import type { PreviewOptions } from '../preview-options.ts';
import type { RunSummary } from '../run-summary.ts';

/** The options that machines must have in common. */
interface SharedOptions extends Pick<PreviewOptions, 'ends' | 'admission' | 'maxConcurrentRowGroups'> {
  readonly format: BatchFormat;
  readonly compact?: boolean | null;
}

/** A run that is about to make its row groups, for the machines of a cluster. */
export interface SharedRun {
  /** With what the run learned of its endpoints. */
  readonly plan: Plan;
  /** The groups to make. */
  readonly groups: readonly RowGroup[];
  readonly folder: DatasetFolder;
  readonly tables: readonly TableFile[];
  /** The totals before the run. */
  readonly summary: RunSummary;
  /** The number of journaled answers to changed requests, by row group. */
  readonly voided: ReadonlyMap<number, number>;
  /** The cost of all answers before the run, journaled ones included. */
  readonly spentBefore: number;
  readonly progress: RunProgress;
  readonly ending: RunEnding;
  /** The gateway and the threads of this machine. */
  readonly gateway: RunGateway;
  readonly local: Executor;
  readonly options: SharedOptions;
}

/** What the limits of a run depend on. */
interface LimitedRun extends Pick<PreviewOptions, 'admission'> {
  readonly plan: Plan;
  /** The cost of all answers before the run. */
  readonly spentBefore: number;
}

/** Several runs that make one thing. */
interface SessionFolders {
  /** The folder of the dataset or workflow. */
  readonly folder: string;
  /** The folders of the runs in it, in their order. */
  readonly runs: readonly string[];
  readonly signal: AbortSignal;
}

/** The steps of a selection. */
export interface SelectionSession extends SessionFolders {
  readonly kind: 'selection';
  /** What another machine needs to go on where this one is lost. */
  readonly options: Omit<SharedOptions, 'format'> & Pick<PreviewOptions, 'skippedProbes' | 'tables'>;
}

/** The stages of a workflow. */
export interface WorkflowSession extends SessionFolders {
  readonly kind: 'workflow';
  /** What another machine needs to go on where this one is lost, as text, or why none can. */
  readonly successor: { readonly flow: string } | { readonly reason: string };
}

/** The machines of a cluster, as the machine that creates the dataset uses them. */
export interface RunMachines {
  /** The id of the run, which the lock of the folder names. */
  readonly run: string;
  /** Whether a run that holds a dataset's folder has lost all its machines; then this run may take its place. */
  readonly isLost: (run: string, folder: string) => Promise<boolean>;
  /** Opens the limits that all machines share. */
  readonly openLimits: (run: LimitedRun) => Promise<ClusterLimits & AsyncDisposable>;
  /** Opens the run for machines that join; the executor has the groups made on all of them. */
  readonly open: (run: SharedRun) => Promise<Executor>;
  /** Removes what the machines share, once the dataset is complete as far as it goes: before, another machine could complete it. */
  readonly end: (paths: DatasetPaths) => Promise<void>;
  /**
   * Coordinates several runs, each with machines of `next`: holds the lease while `work` goes on. The signal of `work` is
   * aborted when another machine has taken over. If this machine is to leave, another one takes its place between two runs.
   */
  readonly lead: <Result>(
    session: SelectionSession | WorkflowSession,
    work: (signal: AbortSignal) => Promise<Result>,
  ) => Promise<Result>;
  /** The machines of one of these runs. Throws `run/aborted` if this machine is to leave. */
  readonly next: () => Promise<RunMachines & AsyncDisposable>;
}
