import { isBlank } from '@data-designer/core';
import type { TrajectoryCheck } from '../trajectory.ts';

/** Turns without content. A run counts them by the flaw `empty` where it reads the answer. */
export const emptyTurn = {
  kind: 'empty_turn',
  description: 'A message of user or assistant without text, media and tool calls.',
  find({ messages }, report) {
    messages.forEach(({ role, text, calls, hasMedia }, index) => {
      if ((role !== 'user' && role !== 'assistant') || calls.length > 0 || hasMedia) return;
      if (isBlank(text)) report(index, `the message of the ${role} is empty`);
    });
  },
} as const satisfies TrajectoryCheck;
