import type { Violation } from '@data-designer/core';
import type { BatchFormat } from '@data-designer/dataset';
import type { RunMachines } from './machines/run-machines.ts';
import type { PreviewOptions } from './preview-options.ts';
import type { RunEvent } from './run-event.ts';

/** The options of a run. */
export interface RunOptions extends PreviewOptions {
  readonly artifactPath: string;
  readonly datasetName: string;
  readonly resume: 'never' | 'always';
  /** Whether answers to changed requests are requested again; else they end the run before its first request. */
  readonly reRequest?: boolean;
  /** With a resume: whether lost rows are made again; false if absent. */
  readonly retryLost?: boolean;
  readonly format: BatchFormat;
  /** Whether small files are merged at the end; null, the default, for more than 1,000 files. */
  readonly compact?: boolean | null;
  /** The requested seed; null for any. */
  readonly seed: number | null;
  /** The declaration in file form, stored with the data. */
  readonly document: unknown;
  /** Names the changes of the declaration since one in file form; for the message of a resume that is refused. */
  readonly changesSince?: (document: unknown) => Promise<readonly Violation[]>;
  /** Whether to write `scheduler_events.jsonl`; false if absent. */
  readonly writeSchedulerEvents?: boolean;
  /** The machines that make the row groups; this one alone if absent. */
  readonly machines?: RunMachines | undefined;
  /** The number of rows that the seed tables are for, if later runs need more than this one. */
  readonly tableRows?: number;
  /** Whether the seed tables are those of the run before: this machine may have no access to their sources. */
  readonly keepsTables?: boolean;
  /** Must not throw. */
  readonly onEvent: (event: RunEvent) => void;
}

/** The options of a run whose format may be left open: that of the dataset it continues, else the default. */
export interface RequestedRunOptions extends Omit<RunOptions, 'format'> {
  readonly format: BatchFormat | undefined;
}
