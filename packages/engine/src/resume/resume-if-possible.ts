import { incompatibleReason, isFailure, type Plan } from '@data-designer/core';
import type { RunResult } from '../run-result.ts';
import { run } from '../run.ts';
import type { RequestedRunOptions } from '../run-options.ts';

/**
 * Continues the dataset of the given name, or begins one where there is none. Where the existing one cannot be continued,
 * reports that and begins another under a name with the time. A locked or damaged dataset fails as in any resume, since a
 * new one would be paid for twice.
 */
export async function resumeIfPossible(plan: Plan, options: Omit<RequestedRunOptions, 'resume'>): Promise<RunResult> {
  try {
    return await run(plan, { ...options, resume: 'always' });
  } catch (failure) {
    // All of these are found before the first request.
    if (isFailure(failure, 'dataset/incompatible'))
      options.onEvent({ type: 'resume-fail', path: failure.data.path, reason: incompatibleReason(failure.data) });
    else if (isFailure(failure, 'dataset/terminal')) {
      options.onEvent({ type: 'resume-fail', path: failure.data.path, reason: failure.message });
    } else if (!isFailure(failure, 'dataset/missing')) throw failure;
    return await run(plan, { ...options, resume: 'never' });
  }
}
