import type { AnswerFlaw, EndedToolCall } from '@data-designer/core';

/** The tools of a conversation whose last turn failed, and whether others recovered. */
export class FailedTools {
  readonly #failed = new Set<string | null>();
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
  }

  /** The flaw of an answer after these calls. */
  get flaw(): AnswerFlaw | undefined {
    return this.#failed.size > 0 ? 'failedTool' : undefined;
  }

  /** Whether calls failed, and every tool succeeded later. */
  get hasRecovered(): boolean {
    return this.#hasFailed && this.#failed.size === 0;
  }
}
