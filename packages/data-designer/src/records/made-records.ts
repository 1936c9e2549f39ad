import { endOf, type RunEnd, type RunSummary } from '@data-designer/engine';
import { type DataDesignerError, type Plan, rowsIn } from '@data-designer/core';
import { finalAnswerOf, toolCallsOf, type TracedToolCall } from './read-trace.ts';

interface Made {
  readonly plan: Plan;
  readonly summary: RunSummary;
  readonly ended: DataDesignerError | undefined;
}

/** What a run or a preview made, and what it took. */
export class MadeRecords {
  /** Rows that were made. */
  readonly count: number;
  /** Rows that were asked for. */
  readonly requested: number;
  /** Why the run ended before all rows were made, in one sentence; null where it came to its end. */
  readonly ended: RunEnd | null;
  readonly #summary: RunSummary;
  readonly #plan: Plan;

  constructor({ plan, summary, ended }: Made) {
    this.count = summary.rows;
    this.requested = rowsIn(plan.segments);
    this.ended = endOf(ended);
    this.#summary = summary;
    this.#plan = plan;
  }

  /** Requests, tokens, tool calls and costs by model alias, also by column; a resumed dataset counts as a whole. */
  get usage(): ReturnType<RunSummary['pricedUsage']> {
    return this.#summary.pricedUsage(this.#plan);
  }

  /** What all answers cost, in the currency of the prices; null where some have none. */
  get cost(): number | null {
    return this.#summary.costOf(this.#plan);
  }

  /** Calls, errors, timeouts, bytes and times in milliseconds by tool; a resumed dataset counts as a whole. */
  get tools(): RunSummary['tools'] {
    return this.#summary.tools;
  }

  /** Answers that were paid for and bought again, as what was asked had changed; a resumed dataset counts as a whole. */
  get rebought(): number {
    return this.#summary.rebought;
  }

  /** Why this run lost rows, the most frequent reason first. */
  get lost(): RunSummary['lost'] {
    return this.#summary.lost;
  }

  /** Answers that were taken though something is wrong with them, by column. */
  get flaws(): RunSummary['flaws'] {
    return this.#summary.flaws;
  }

  /** Why cells could not be made of rows that this run has made without them, the most frequent reason first. */
  get failedCells(): RunSummary['failedCells'] {
    return this.#summary.failedCells;
  }

  /** The tool calls of a row's conversation; `column` where several keep theirs. Throws `dataset/no-chats`. */
  toolCalls(row: object, column?: string): readonly TracedToolCall[] {
    return toolCallsOf(row, column);
  }

  /** What the model said at the end of a row's conversation; `column` where several keep theirs. Throws `dataset/no-chats`. */
  finalAnswer(row: object, column?: string): string | null {
    return finalAnswerOf(row, column);
  }
}
