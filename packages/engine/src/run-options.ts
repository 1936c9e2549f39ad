import type { StopSignals, UserFunction, Violation } from '@data-designer/core';
import type { BatchFormat } from '@data-designer/dataset';
import type { TableSource } from '@data-designer/seeds';
import type { ConnectOptions } from './connect/connect.ts';
import type { EndSettings } from './endings/run-ending.ts';
import type { WorkerPool } from './executor/worker-pool.ts';
import type { RunEvent } from './run-event.ts';

/** The options of a preview. */
export interface PreviewOptions extends ConnectOptions, StopSignals {
  /** The sources of the plan's seed tables. */
  readonly tables: readonly TableSource[];
  readonly maxConcurrentRowGroups: number;
  /** Further folders whose files cells may name. */
  readonly mediaRoots?: readonly string[];
  /** Models that are not probed, by alias, with the reason. */
  readonly skippedProbes: ReadonlyMap<string, string>;
  /** The worker threads; the next run uses them again. */
  readonly pool: WorkerPool;
  readonly ends: EndSettings;
  /** The calling program's functions by their handles in the plan; none unless given. */
  readonly functions?: ReadonlyMap<string, UserFunction>;
}

/** The options of a run. */
export interface RunOptions extends PreviewOptions {
  readonly artifactPath: string;
  readonly datasetName: string;
  readonly resume: 'never' | 'always';
  /** Whether answers to changed requests are requested again; else they end the run before its first request. */
  readonly rebuy?: boolean;
  readonly format: BatchFormat;
  /** Whether small files are merged at the end; null, the default, for more than 1,000 files. */
  readonly compact?: boolean | null;
  /** The requested seed; null for any. */
  readonly seed: number | null;
  /** The declaration in file form, stored with the data. */
  readonly document: unknown;
  /** Names the changes of the declaration since one in file form; for the message of a resume that is refused. */
  readonly changesSince?: (document: unknown) => readonly Violation[];
  /** Whether to write `scheduler_events.jsonl`; false if absent. */
  readonly writeSchedulerEvents?: boolean;
  /** Must not throw. */
  readonly onEvent: (event: RunEvent) => void;
}

/** The options of a run whose format may be left open: that of the dataset it continues, else the default. */
export interface RequestedRunOptions extends Omit<RunOptions, 'format'> {
  readonly format: BatchFormat | undefined;
}
