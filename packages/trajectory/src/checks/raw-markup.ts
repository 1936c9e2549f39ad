import { holdsTemplateTokens, holdsThinkingTags, holdsToolCall, isCallOf } from '@data-designer/core';
import type { TrajectoryCheck } from '../trajectory.ts';

const NONE: ReadonlySet<string> = new Set();

/** Markup of a model's server in the text. A run counts it by the flaws of an answer's text. */
export const rawMarkup = {
  kind: 'raw_markup',
  description:
    'A tool call, tags of reasoning or tokens of a chat template in the text of the assistant, outside code.',
  find({ messages, rules: { tools } }, report) {
    messages.forEach(({ role, text }, index) => {
      if (role !== 'assistant' || text === '') return;
      const found = markupIn(text, tools?.names ?? NONE);
      if (found !== undefined) report(index, `its text holds ${found}`);
    });
  },
} as const satisfies TrajectoryCheck;

function markupIn(text: string, tools: ReadonlySet<string>): string | undefined {
  if (holdsToolCall(text) || isCallOf(text, tools)) return 'a tool call';
  if (holdsThinkingTags(text)) return 'tags of reasoning';
  return holdsTemplateTokens(text) ? 'tokens of a chat template' : undefined;
}
