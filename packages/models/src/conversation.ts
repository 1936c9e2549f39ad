import type { ChatMessage } from '@data-designer/core';

/**
 * The state of one conversation. Its checkpoint moves forward after every tool turn, so that a restart keeps what the
 * tools said and throws away only answers and corrections.
 */
export class Conversation {
  #messages: ChatMessage[];
  #checkpoint: readonly ChatMessage[];
  #checkpointTurns = 0;
  #checkpointRefusals = 0;
  /** Model answers that asked for tools. */
  turns = 0;
  /** Turns answered with a refusal because the budget was used up. */
  refusals = 0;
  /** Answers given to the parser since the last restart. */
  parseAttempts = 0;
  restarts = 0;

  constructor(start: readonly ChatMessage[]) {
    this.#messages = [...start];
    this.#checkpoint = start;
  }

  get messages(): readonly ChatMessage[] {
    return this.#messages;
  }

  add(...messages: readonly ChatMessage[]): void {
    this.#messages.push(...messages);
  }

  keep(): void {
    this.#checkpoint = [...this.#messages];
    this.#checkpointTurns = this.turns;
    this.#checkpointRefusals = this.refusals;
  }

  restart(): void {
    this.#messages = [...this.#checkpoint];
    this.turns = this.#checkpointTurns;
    this.refusals = this.#checkpointRefusals;
    this.parseAttempts = 0;
    this.restarts++;
  }
}
