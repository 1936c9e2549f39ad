import { CHECKS } from './checks.ts';
import { rulesOf } from './flaws-of-answer.ts';
import type { FindingKind } from './names.ts';
import type { TrajectoryMessage } from './read-messages.ts';
import type { TrajectoryRules } from './trajectory.ts';

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
