import { pairResults } from '../pair-results.ts';
import type { TrajectoryCheck } from '../trajectory.ts';

/** Calls without a result. */
export const missingResult = {
  kind: 'missing_result',
  description: 'A call without a result before the next message of another role.',
  find({ messages }, report) {
    for (const { call, message, result } of pairResults(messages).calls) {
      if (result === undefined) report(message, `its call of '${call.name}' has no result`);
    }
  },
} as const satisfies TrajectoryCheck;
