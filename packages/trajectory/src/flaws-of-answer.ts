import type { AnswerFlaw } from '@data-designer/core';
import { repeatedCall } from './checks/repeated-call.ts';
import { repeats } from './checks/repeats.ts';
import { speaksForUser } from './checks/speaks-for-user.ts';
import { unknownTool } from './checks/unknown-tool.ts';
import { MAX_EQUAL_CALLS } from './names.ts';
import type { TrajectoryMessage } from './read-messages.ts';
import type { TrajectoryCheck, TrajectoryRules } from './trajectory.ts';

/** The rules with their defaults. */
export function rulesOf({
  tools,
  maxEqualCalls = MAX_EQUAL_CALLS,
  language,
  identity = [],
}: Partial<TrajectoryRules>): TrajectoryRules {
  return { tools, maxEqualCalls, language, identity };
}

/** The checks with a flaw: `checks.test.ts` compares them with all. */
export const COUNTED: readonly TrajectoryCheck[] = [unknownTool, repeatedCall, repeats, speaksForUser];

/** The flaws that a run counts for the last answer of a conversation: those of the messages from the `first` that is its own. */
export function flawsOfAnswer(
  messages: readonly TrajectoryMessage[],
  { first, ...rules }: Partial<TrajectoryRules> & { readonly first: number },
): ReadonlySet<AnswerFlaw> {
  const trajectory = { messages, first, rules: rulesOf(rules) };
  const flaws = new Set<AnswerFlaw>();
  for (const check of COUNTED) {
    check.find(trajectory, () => {
      if (check.flaw !== undefined) flaws.add(check.flaw);
    });
  }
  return flaws;
}
