import { type AnswerFields, type ChatMessage, toChatMessage } from '@data-designer/core';
import type { Opening } from './conversation-messages.ts';
import { ToolFlaws } from './tool-flaws.ts';
import type { Attempt } from './usage.ts';

/** Why an answer was truncated. */
export type Truncation = 'max-tokens' | 'context-window';

/** The finish reasons of endpoints that mean a truncated answer. */
const TRUNCATIONS: Readonly<Record<string, Truncation>> = {
  length: 'max-tokens',
  max_tokens: 'max-tokens',
  model_context_window_exceeded: 'context-window',
};

/**
 * The state of one conversation. Its checkpoint moves forward after every tool turn, so that a restart keeps the results of
 * tools and discards only answers and corrections. Its messages hold the fields of requests alone.
 */
export class Conversation {
  #messages: ChatMessage[];
  #checkpoint: readonly ChatMessage[];
  #checkpointTurns = 0;
  #checkpointRefusals = 0;
  /** The positions of the history among the messages. */
  readonly #past: readonly [start: number, end: number];
  /** The further fields of answers in the history. */
  readonly returned: ReadonlyMap<ChatMessage, unknown>;
  /** Invalid answers, and the corrections behind them. */
  readonly corrections = new Set<ChatMessage>();
  /** Answers that later requests must repeat as their provider wrote them. */
  readonly asWritten = new Map<ChatMessage, unknown>();
  /** The fields of answers that traces store. */
  readonly answers = new Map<ChatMessage, AnswerFields>();
  /** The purpose of the next request. */
  attempt: Attempt = 'first';
  /** Answers that called tools. */
  turns = 0;
  /** Turns answered with a refusal because the budget was used up. */
  refusals = 0;
  /** The flaws of its tool calls; a restart keeps the results of tools. */
  readonly toolFlaws = new ToolFlaws();
  /** Answers given to the parser since the last restart. */
  parseAttempts = 0;
  restarts = 0;
  /** How an answer since the last restart was truncated; a full context takes precedence over a token limit. */
  truncation: Truncation | null = null;
  /** The endpoint refused the schema of the answer. */
  isShapeRefused = false;
  /** The endpoint refused the pictures of tools. */
  arePicturesRefused = false;
  /** A picture of a tool was left out of a request. */
  isPictureLeftOut = false;
  /** Characters of a request were replaced. */
  isTextMended = false;

  /** `returnedOf` gives the further fields of an answer in the history that go back to its model. */
  constructor({ system, history, user }: Opening, returnedOf: (extra: string) => unknown = () => undefined) {
    const first = system ? [toChatMessage(system)] : [];
    const past = history.map(toChatMessage);
    this.#past = [first.length, first.length + past.length];
    const returned = new Map<ChatMessage, unknown>();
    past.forEach((message, at) => {
      const extra = history[at]?.extra;
      const fields = extra === undefined ? undefined : returnedOf(extra);
      if (fields !== undefined) returned.set(message, fields);
    });
    this.returned = returned;
    this.#messages = [...first, ...past, ...(user ? [toChatMessage(user)] : [])];
    this.#checkpoint = [...this.#messages];
  }

  get messages(): readonly ChatMessage[] {
    return this.#messages;
  }

  /** The messages without those of the history. */
  get ownMessages(): readonly ChatMessage[] {
    const [start, end] = this.#past;
    return start === end ? this.#messages : this.#messages.toSpliced(start, end - start);
  }

  get historyLength(): number {
    const [start, end] = this.#past;
    return end - start;
  }

  /** Adds an answer with the fields that traces store; `asWritten` where its provider wants it back unchanged. */
  addAnswer(answer: ChatMessage, { asWritten, stored }: { asWritten?: unknown; stored: AnswerFields }): void {
    const message = toChatMessage(answer);
    this.#messages.push(message);
    this.answers.set(message, stored);
    if (asWritten !== undefined) this.asWritten.set(message, asWritten);
  }

  /** Adds the results of tools, and moves the checkpoint behind them. */
  addToolResults(results: readonly ChatMessage[]): void {
    this.#messages.push(...results.map(toChatMessage));
    this.#checkpoint = [...this.#messages];
    this.#checkpointTurns = this.turns;
    this.#checkpointRefusals = this.refusals;
    this.attempt = 'toolTurn';
  }

  /** Adds a correction: why the answer is invalid. */
  correct(reason: string): void {
    const invalid = this.#messages.at(-1);
    const correction = { role: 'user', content: reason } as const;
    this.#messages.push(correction);
    if (invalid) this.corrections.add(invalid);
    this.corrections.add(correction);
    this.attempt = 'correction';
  }

  /** Goes back to the checkpoint. */
  restart(): void {
    this.#messages = [...this.#checkpoint];
    this.turns = this.#checkpointTurns;
    this.refusals = this.#checkpointRefusals;
    this.parseAttempts = 0;
    this.restarts++;
    this.truncation = null;
    this.attempt = 'restart';
  }

  /** Records how an invalid answer ended. */
  noteFinish(finishReason: string | null): void {
    const found = finishReason !== null && Object.hasOwn(TRUNCATIONS, finishReason) ? TRUNCATIONS[finishReason] : null;
    if (found && this.truncation !== 'context-window') this.truncation = found;
  }
}

const conversations = new WeakMap<object, readonly ChatMessage[]>();

/** Remembers, within this thread, the conversation that a failure ended; the first one counts. */
export function keepConversation(failure: unknown, messages: readonly ChatMessage[]): void {
  if (typeof failure !== 'object' || failure === null || conversations.has(failure)) return;
  conversations.set(failure, messages);
}

/** The conversation that a failure ended, as it stood then; undefined if it ended none. */
export function conversationOf(failure: unknown): readonly ChatMessage[] | undefined {
  if (typeof failure !== 'object' || failure === null) return undefined;
  return conversations.get(failure) ?? conversationOf(failure instanceof Error ? failure.cause : undefined);
}
