import { pairResults } from '../pair-results.ts';
import type { TrajectoryCheck } from '../trajectory.ts';

/** Results without a call. */
export const strayResult = {
  kind: 'stray_result',
  description: 'A result whose call does not stand directly before it.',
  find({ messages }, report) {
    for (const index of pairResults(messages).strays) report(index, 'it is the result of no call before it');
  },
} as const satisfies TrajectoryCheck;
