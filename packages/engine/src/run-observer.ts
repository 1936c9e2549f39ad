import type { CallRecord, ModelState } from '@data-designer/gateway';
import type { AwaitedGroup, FinishedRows } from './row-group/awaited-group.ts';
import type { RowGroupResult } from './row-group/row-group-result.ts';
import type { TaskStep } from './row-group/task-steps.ts';

/** The readers of a run's rows, who may come and go. No method may throw. */
export interface ObservingReaders {
  /** The row group whose finished rows are wanted before its end. */
  readonly awaited: AwaitedGroup;
  readonly onRows: (rows: FinishedRows) => void;
  /** A row group has ended, and its rows have these indexes in the run; undefined where no reader can have any of them. */
  readonly onGroupEnd: (group: number, rowIndexes: readonly number[] | undefined) => void;
}

/** Watches a run in detail. What a run has no watcher for is not collected. No method may throw. */
export interface RunObserver {
  /** Takes the calls to models and tools that have ended, in batches. */
  readonly onCalls?: ((calls: readonly CallRecord[]) => void) | undefined;
  /** Takes the steps of tasks in worker threads, in batches. */
  readonly onSteps?: ((steps: readonly TaskStep[]) => void) | undefined;
  /** Takes the changed states of models, at most ten times a second. */
  readonly onModels?: ((models: readonly ModelState[]) => void) | undefined;
  /** A row group is given to a worker thread; again after its thread was lost. */
  readonly onGroupStart?: ((group: number) => void) | undefined;
  /** A row group has ended; its calls were reported before. */
  readonly onGroupEnd?: ((group: EndedGroup) => void) | undefined;
  /** Those who read rows during the run. */
  readonly readers?: ObservingReaders | undefined;
}

/** A row group as it ended. */
export interface EndedGroup extends Pick<RowGroupResult, 'group' | 'rows' | 'lost' | 'failures' | 'fatal'> {
  /** Rows that the end of the run left for a later run. */
  readonly unfinished: number;
}

/** One observer for several; it has only the methods that one of them has. */
export function joinObservers(observers: readonly (RunObserver | undefined)[]): RunObserver {
  const each = observers.filter((observer) => observer !== undefined);
  const has = (name: keyof RunObserver): boolean => each.some((observer) => observer[name] !== undefined);
  const readers = each.find((observer) => observer.readers)?.readers;
  return {
    ...(readers && { readers }),
    ...(has('onCalls') && { onCalls: (calls) => each.forEach(({ onCalls }) => onCalls?.(calls)) }),
    ...(has('onSteps') && { onSteps: (steps) => each.forEach(({ onSteps }) => onSteps?.(steps)) }),
    onModels: (models) => each.forEach(({ onModels }) => onModels?.(models)),
    onGroupStart: (group) => each.forEach(({ onGroupStart }) => onGroupStart?.(group)),
    onGroupEnd: (group) => each.forEach(({ onGroupEnd }) => onGroupEnd?.(group)),
  };
}
