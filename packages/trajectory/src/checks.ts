import { badArguments } from './checks/bad-arguments.ts';
import { cutOff } from './checks/cut-off.ts';
import { emptyTurn } from './checks/empty-turn.ts';
import { missingResult } from './checks/missing-result.ts';
import { noAnswer } from './checks/no-answer.ts';
import { otherIdentity } from './checks/other-identity.ts';
import { otherLanguage } from './checks/other-language.ts';
import { rawMarkup } from './checks/raw-markup.ts';
import { repeatedCall } from './checks/repeated-call.ts';
import { repeats } from './checks/repeats.ts';
import { speaksForUser } from './checks/speaks-for-user.ts';
import { strayResult } from './checks/stray-result.ts';
import { unknownTool } from './checks/unknown-tool.ts';
import type { TrajectoryCheck } from './trajectory.ts';

/** All checks of a conversation. A new check is a file and a line here. */
export const CHECKS = [
  unknownTool,
  badArguments,
  missingResult,
  strayResult,
  repeatedCall,
  repeats,
  noAnswer,
  emptyTurn,
  cutOff,
  rawMarkup,
  speaksForUser,
  otherIdentity,
  otherLanguage,
] as const satisfies readonly TrajectoryCheck[];

/** The name of a fault. */
export type FindingKind = (typeof CHECKS)[number]['kind'];

/** The names of all faults. */
export const FINDING_KINDS = CHECKS.map(({ kind }) => kind) as [FindingKind, ...FindingKind[]];
