import { isFailure, type Plan } from '@data-designer/core';
import { run, type RunResult } from '../run.ts';
import type { RunOptions } from '../run-options.ts';

/**
 * Goes on with the dataset of the given name, or begins one: in its folder where there is none, and under a name with
 * the time where the one that is there cannot be continued, which an event tells. A dataset that is in use or damaged is
 * a failure as in any resume (`dataset/locked`, `dataset/damaged`): what is wrong there would be made and paid for twice.
 */
export async function resumeIfPossible(plan: Plan, options: Omit<RunOptions, 'resume'>): Promise<RunResult> {
  try {
    return await run(plan, { ...options, resume: 'always' });
  } catch (failure) {
    // All of these are found before the first request.
    if (isFailure(failure, 'dataset/incompatible')) options.onEvent({ type: 'resume-fail', ...failure.data });
    else if (isFailure(failure, 'dataset/terminal')) {
      options.onEvent({ type: 'resume-fail', path: failure.data.path, reason: failure.message });
    } else if (!isFailure(failure, 'dataset/missing')) throw failure;
    return await run(plan, { ...options, resume: 'never' });
  }
}
