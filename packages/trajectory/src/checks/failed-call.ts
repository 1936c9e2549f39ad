import { isToolFailure } from '@data-designer/core';
import { pairResults } from '../pair-results.ts';
import type { TrajectoryCheck } from '../trajectory.ts';

/** Tools whose last call failed. */
export const failedCall = {
  kind: 'failed_call',
  description: 'A failed call of a tool that was not called with success afterwards.',
  find({ messages }, report) {
    const last = new Map<string, number>();
    for (const { call, result } of pairResults(messages).calls) if (result !== undefined) last.set(call.name, result);
    for (const [name, result] of last) {
      if (isToolFailure(messages[result]?.text ?? ''))
        report(result, `the call of '${name}' failed, and no later one succeeded`);
    }
  },
} as const satisfies TrajectoryCheck;
