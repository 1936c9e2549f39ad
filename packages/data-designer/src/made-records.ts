import type { RunSummary } from '@data-designer/engine';
import type { Plan } from '@data-designer/core';

/** What a run or a preview made, and what it took. */
export class MadeRecords {
  /** Rows that were made. */
  readonly count: number;
  /** Rows that were asked for. */
  readonly requested: number;
  readonly #summary: RunSummary;

  constructor({ plan, summary }: { readonly plan: Plan; readonly summary: RunSummary }) {
    this.count = summary.rows;
    this.requested = plan.segments.reduce((sum, { rows }) => sum + rows, 0);
    this.#summary = summary;
  }

  /** Requests, tokens and tool calls of this run by model alias. */
  get usage(): RunSummary['usage'] {
    return this.#summary.usage;
  }

  /** Calls, errors and timeouts of this run by tool. */
  get tools(): RunSummary['tools'] {
    return this.#summary.tools;
  }

  /** Why this run lost rows, the most frequent reason first. */
  get lost(): RunSummary['lost'] {
    return this.#summary.lost;
  }
}
