import type { CallRecord, ModelState } from '@data-designer/gateway';
import type { RowGroupResult } from './row-group/row-group-result.ts';

/** Watches a run in detail. What a run has no watcher for is not collected. No method may throw. */
export interface RunObserver {
  /** Takes the calls to models and tools that have ended, in batches. */
  readonly onCalls?: ((calls: readonly CallRecord[]) => void) | undefined;
  /** Takes the changed states of models, at most ten times a second. */
  readonly onModels?: ((models: readonly ModelState[]) => void) | undefined;
  /** A row group is given to a worker thread; again after its thread was lost. */
  readonly onGroupStart?: ((group: number) => void) | undefined;
  /** A row group has ended; its calls were reported before. */
  readonly onGroupEnd?: ((group: EndedGroup) => void) | undefined;
}

/** A row group as it ended. */
export interface EndedGroup extends Pick<RowGroupResult, 'group' | 'rows' | 'lost' | 'failures'> {
  /** Rows that the end of the run left for a later run. */
  readonly unfinished: number;
}
