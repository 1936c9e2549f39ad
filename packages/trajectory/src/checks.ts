import { badArguments } from './checks/bad-arguments.ts';
import { cutOff } from './checks/cut-off.ts';
import { emptyTurn } from './checks/empty-turn.ts';
import { failedCall } from './checks/failed-call.ts';
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
import { FINDING_KINDS, type FindingKind } from './names.ts';
import type { TrajectoryCheck } from './trajectory.ts';

/** The check for each fault. A new check is a file, a name in `names.ts` and a line here. */
const BY_KIND: { readonly [Kind in FindingKind]: TrajectoryCheck & { readonly kind: Kind } } = {
  unknown_tool: unknownTool,
  bad_arguments: badArguments,
  missing_result: missingResult,
  stray_result: strayResult,
  failed_call: failedCall,
  repeated_call: repeatedCall,
  repeats: repeats,
  no_answer: noAnswer,
  empty_turn: emptyTurn,
  cut_off: cutOff,
  raw_markup: rawMarkup,
  speaks_for_user: speaksForUser,
  other_identity: otherIdentity,
  other_language: otherLanguage,
};

/** All checks of a conversation. */
export const CHECKS = FINDING_KINDS.map((kind) => BY_KIND[kind]);
