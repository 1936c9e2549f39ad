import type { StopSignals, UserFunction } from '@data-designer/core';
import type { TableSource } from '@data-designer/seeds';
import type { ConnectOptions } from './connect/connect.ts';
import type { EndSettings } from './endings/run-ending.ts';
import type { WorkerPool } from './executor/worker-pool.ts';

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
