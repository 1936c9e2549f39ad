import type { StopSignals, UserFunction } from '@data-designer/core';
import type { BatchFormat } from '@data-designer/dataset';
import type { TableSource } from '@data-designer/seeds';
import type { ConnectOptions } from './connect/connect.ts';
import type { EndSettings } from './endings/run-ending.ts';
import type { WorkerPool } from './executor/worker-pool.ts';
import type { RunEvent } from './run-event.ts';

/** What a preview is given beside its plan. */
export interface PreviewOptions extends ConnectOptions, StopSignals {
  /** Where the rows of the plan's tables come from. */
  readonly tables: readonly TableSource[];
  readonly maxConcurrentRowGroups: number;
  /** Folders whose files cells may name, beside the dataset's. */
  readonly mediaRoots?: readonly string[];
  /** Models that are not asked what they can do, by alias, each with the reason. */
  readonly skippedProbes: ReadonlyMap<string, string>;
  /** Threads to work with; they are left to the next run. */
  readonly pool: WorkerPool;
  readonly ends: EndSettings;
  /** The functions of the calling program that the plan's columns call, by their handles; none unless given. */
  readonly functions?: ReadonlyMap<string, UserFunction>;
}

/** What a run is given beside its plan. */
export interface RunOptions extends PreviewOptions {
  readonly artifactPath: string;
  readonly datasetName: string;
  readonly resume: 'never' | 'always';
  /** Whether answers that no longer fit what is asked are bought again; else they end the run before it asks anything. */
  readonly rebuy?: boolean;
  readonly format: BatchFormat;
  /** Whether small files are merged at the end; true unless given. */
  readonly compact?: boolean;
  /** The seed that was asked for; null where any will do. */
  readonly seed: number | null;
  /** The declaration in file form, kept beside the data. */
  readonly document: unknown;
  /** Must not throw. */
  readonly onEvent: (event: RunEvent) => void;
}
