export { CHECKS } from './checks.ts';
export { type FindingOptions, findingsOf, type TrajectoryFinding } from './findings-of.ts';
export { flawsOfAnswer } from './flaws-of-answer.ts';
export { FINDING_KINDS, type FindingKind, type Language, LANGUAGE_CODES, MAX_EQUAL_CALLS } from './names.ts';
export { namedTools, type OfferedTools, readTools } from './offered-tools.ts';
export { readMessages, type TrajectoryMessage } from './read-messages.ts';
