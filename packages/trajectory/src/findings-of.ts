import type { AnswerFlaw } from '@data-designer/core';
import { CHECKS, type FindingKind } from './checks.ts';
import type { TrajectoryMessage } from './read-messages.ts';
import type { TrajectoryCheck, TrajectoryRules } from './trajectory.ts';

/** A fault of one message. */
export interface TrajectoryFinding {
  /** The index of the message, from 0. */
  readonly message: number;
  readonly kind: FindingKind;
  /** What is wrong, as a clause about the message. */
  readonly reason: string;
}

/** The rules of a list of messages, and the checks that are left out. */
export interface FindingOptions extends Partial<TrajectoryRules> {
  readonly ignore?: readonly FindingKind[] | undefined;
}

/** How often a call with an equal result may occur unless another number is given: once more than needed. */
export const MAX_EQUAL_CALLS = 2;

/** More findings of one list say no more. */
const MOST_FINDINGS = 100;

/** The faults of a list of messages, in the order of messages. */
export function findingsOf(
  messages: readonly TrajectoryMessage[],
  { ignore = [], ...options }: FindingOptions = {},
): readonly TrajectoryFinding[] {
  const trajectory = { messages, first: 0, rules: rulesOf(options) };
  const findings: TrajectoryFinding[] = [];
  for (const check of CHECKS) {
    const { kind } = check;
    if (!ignore.includes(kind)) check.find(trajectory, (message, reason) => findings.push({ message, kind, reason }));
  }
  return findings.toSorted((a, b) => a.message - b.message).slice(0, MOST_FINDINGS);
}

function rulesOf({
  tools,
  maxEqualCalls = MAX_EQUAL_CALLS,
  language,
  identity = [],
}: Partial<TrajectoryRules>): TrajectoryRules {
  return { tools, maxEqualCalls, language, identity };
}

const COUNTED: readonly TrajectoryCheck[] = CHECKS.filter((check) => 'flaw' in check);

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
