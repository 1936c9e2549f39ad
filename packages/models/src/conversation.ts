import { type AnswerFields, type ChatMessage, toChatMessage } from '@data-designer/core';
import type { Attempt } from './usage.ts';

/** Why an answer of a conversation was cut off. */
export type Truncation = 'max-tokens' | 'context-window';

/** What the finish reasons of endpoints mean. */
const TRUNCATIONS: Readonly<Record<string, Truncation>> = {
  length: 'max-tokens',
  max_tokens: 'max-tokens',
  model_context_window_exceeded: 'context-window',
};

/**
 * The state of one conversation. Its checkpoint moves forward after every tool turn, so that a restart keeps what the
 * tools said and throws away only answers and corrections.
 */
export class Conversation {
  #messages: ChatMessage[];
  #checkpoint: readonly ChatMessage[];
  #checkpointTurns = 0;
  #checkpointRefusals = 0;
  /** Answers that must go back as their provider wrote them. */
  readonly asWritten = new Map<ChatMessage, unknown>();
  /** The fields of answers that traces store. */
  readonly answers = new Map<ChatMessage, AnswerFields>();
  /** What the next request is made for. */
  attempt: Attempt = 'first';
  /** Model answers that asked for tools. */
  turns = 0;
  /** Turns answered with a refusal because the budget was used up. */
  refusals = 0;
  /** Answers given to the parser since the last restart. */
  parseAttempts = 0;
  restarts = 0;
  /** Whether an answer since the last restart was cut off; a full context is told before a token limit. */
  truncation: Truncation | null = null;
  /** The endpoint does not take the schema of the answer. */
  isShapeRefused = false;

  constructor(start: readonly ChatMessage[]) {
    this.#messages = start.map(toChatMessage);
    this.#checkpoint = [...this.#messages];
  }

  get messages(): readonly ChatMessage[] {
    return this.#messages;
  }

  /** Adds an answer with the fields that traces store; `asWritten` where its provider wants it back unchanged. */
  addAnswer(answer: ChatMessage, { asWritten, stored }: { asWritten?: unknown; stored: AnswerFields }): void {
    const message = toChatMessage(answer);
    this.#messages.push(message);
    this.answers.set(message, stored);
    if (asWritten !== undefined) this.asWritten.set(message, asWritten);
  }

  /** Adds what tools gave, and moves the checkpoint behind it. */
  addToolResults(results: readonly ChatMessage[]): void {
    this.#messages.push(...results.map(toChatMessage));
    this.#checkpoint = [...this.#messages];
    this.#checkpointTurns = this.turns;
    this.#checkpointRefusals = this.refusals;
    this.attempt = 'toolTurn';
  }

  /** Tells the model what is wrong with its answer. */
  correct(reason: string): void {
    this.#messages.push({ role: 'user', content: reason });
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

  /** Notes how an answer that is not valid ended. */
  noteFinish(finishReason: string | null): void {
    const found = finishReason !== null && Object.hasOwn(TRUNCATIONS, finishReason) ? TRUNCATIONS[finishReason] : null;
    if (found && this.truncation !== 'context-window') this.truncation = found;
  }
}
