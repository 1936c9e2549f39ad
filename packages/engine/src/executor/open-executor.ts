import type { Plan } from '@data-designer/core';
import type { Executor } from './executor.ts';
import { ThreadExecutor, type ThreadExecutorOptions } from './thread-executor.ts';

/** Opens the executor of a run or preview: the one place that chooses an implementation, by now the threads of this machine. */
export function openExecutor(plan: Plan, options: ThreadExecutorOptions): Executor {
  return new ThreadExecutor(plan, options);
}
