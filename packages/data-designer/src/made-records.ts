import type { RunSummary } from '@data-designer/engine';
import { type Plan, rowsIn } from '@data-designer/core';

/** What a run or a preview made, and what it took. */
export class MadeRecords {
  /** Rows that were made. */
  readonly count: number;
  /** Rows that were asked for. */
  readonly requested: number;
  readonly #summary: RunSummary;

  constructor({ plan, summary }: { readonly plan: Plan; readonly summary: RunSummary }) {
    this.count = summary.rows;
    this.requested = rowsIn(plan.segments);
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
