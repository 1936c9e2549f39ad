import type { TrajectoryCheck } from '../trajectory.ts';

/** Conversations that do not end with an answer. */
export const noAnswer = {
  kind: 'no_answer',
  description: 'The last message is not an answer of the assistant.',
  find({ messages }, report) {
    const last = messages.at(-1);
    if (!last) return report(0, 'there is no message');
    const index = messages.length - 1;
    if (last.role !== 'assistant') report(index, `the last message is of the role '${last.role}'`);
    else if (last.calls.length > 0) report(index, 'the last message is a tool call');
  },
} as const satisfies TrajectoryCheck;
