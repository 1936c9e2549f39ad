import type { CallRecord, ModelState } from '@data-designer/gateway';
import type { RowGroupResult } from './row-group/row-group-result.ts';
import type { TaskStep } from './row-group/task-steps.ts';

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
  return {
    ...(has('onCalls') && { onCalls: (calls) => each.forEach(({ onCalls }) => onCalls?.(calls)) }),
    ...(has('onSteps') && { onSteps: (steps) => each.forEach(({ onSteps }) => onSteps?.(steps)) }),
    onModels: (models) => each.forEach(({ onModels }) => onModels?.(models)),
    onGroupStart: (group) => each.forEach(({ onGroupStart }) => onGroupStart?.(group)),
    onGroupEnd: (group) => each.forEach(({ onGroupEnd }) => onGroupEnd?.(group)),
  };
}
