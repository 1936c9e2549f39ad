import type { Plan } from '@data-designer/core';
import type { Executor } from './executor.ts';
import { fitsMainThread, MainThreadExecutor } from './main-thread-executor.ts';
import { ThreadExecutor, type ThreadExecutorOptions } from './thread-executor.ts';
import { isMainThreadOffered } from './thread-sizing.ts';

/** Opens the executor of a run or preview: the one place that chooses an implementation. */
export function openExecutor(plan: Plan, options: ThreadExecutorOptions): Executor {
  const isHere = isMainThreadOffered() && fitsMainThread(plan, options);
  return isHere ? new MainThreadExecutor(plan, options) : new ThreadExecutor(plan, options);
}
