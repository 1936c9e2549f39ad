import type { AnswerFlaw } from '@data-designer/core';
import type { Language } from './names.ts';
import type { OfferedTools } from './offered-tools.ts';
import type { TrajectoryMessage } from './read-messages.ts';

/** What findings are compared with. */
export interface TrajectoryRules {
  /** The tools that the assistant may call; undefined if they are not known. */
  readonly tools?: OfferedTools | undefined;
  /** How often a call with equal arguments and an equal result may occur. */
  readonly maxEqualCalls: number;
  /** The language of user and assistant; undefined for any. */
  readonly language?: Language | undefined;
  /** Names that the assistant may call its own, besides those of the system message. */
  readonly identity: readonly string[];
}

/** A list of messages under its rules. */
export interface Trajectory {
  readonly messages: readonly TrajectoryMessage[];
  /** The index of the first message to report on. Those before it are its context. */
  readonly first: number;
  readonly rules: TrajectoryRules;
}

/** Takes the index of a message, from 0, and what is wrong with it. */
export type Report = (message: number, reason: string) => void;

/** One check: it reports the messages with one kind of fault. */
export interface TrajectoryCheck {
  /** The name of the fault in findings. */
  readonly kind: string;
  /** One sentence for people who choose checks. */
  readonly description: string;
  /** The flaw that a run counts for an answer with this fault; absent if it is counted otherwise, or cannot occur. */
  readonly flaw?: AnswerFlaw;
  /** Only a check with a `flaw` gets a `first` other than 0, once for each answer of a run: it reads nothing before in vain. */
  readonly find: (trajectory: Trajectory, report: Report) => void;
}
