export { CHECKS, FINDING_KINDS, type FindingKind } from './checks.ts';
export {
  type FindingOptions,
  findingsOf,
  flawsOfAnswer,
  MAX_EQUAL_CALLS,
  type TrajectoryFinding,
} from './findings-of.ts';
export { type Language, LANGUAGE_CODES } from './languages.ts';
export { namedTools, type OfferedTools, readTools } from './offered-tools.ts';
export { readMessages, type TrajectoryMessage } from './read-messages.ts';
