import type { AnswerFlaw, EndedToolCall } from '@data-designer/core';

const NONE: readonly AnswerFlaw[] = [];

/** The flaws that the tool calls of a conversation leave in its answer: failures without a later success, and cut results. */
export class ToolFlaws {
  readonly #failed = new Set<string | null>();
  readonly #results = new Set<AnswerFlaw>();
  #hasFailed = false;

  /** Takes the calls of one turn. A tool has recovered once all its calls of a later turn succeed. */
  addTurn(calls: readonly EndedToolCall[]): void {
    const failed = new Set(calls.filter((call) => call.failed).map(({ tool }) => tool));
    const succeeded = calls.filter(({ tool }) => !failed.has(tool));
    for (const { tool } of succeeded) this.#failed.delete(tool);
    // A tool that does not exist can only recover under another name.
    if (succeeded.length > 0) this.#failed.delete(null);
    for (const tool of failed) this.#failed.add(tool);
    this.#hasFailed ||= failed.size > 0;
    for (const { isCut, isPart } of calls) {
      if (isCut === true) this.#results.add('cutTool');
      if (isPart === true) this.#results.add('partTool');
    }
  }

  /** The flaws of an answer after these calls. */
  get flaws(): readonly AnswerFlaw[] {
    if (this.#failed.size + this.#results.size === 0) return NONE;
    return this.#failed.size > 0 ? [...this.#results, 'failedTool'] : [...this.#results];
  }

  /** Whether calls failed, and every tool succeeded later. */
  get hasRecovered(): boolean {
    return this.#hasFailed && this.#failed.size === 0;
  }
}
