import { type ArrowTable, type PreviewResult, readStreams, type RunSummary, streamsTable } from '@data-designer/engine';

/** A few rows that were made in memory. */
export class PreviewResults<Row = Record<string, unknown>> {
  readonly count: number;
  readonly requested: number;
  readonly #result: PreviewResult;

  constructor(result: PreviewResult) {
    this.count = result.summary.rows;
    this.requested = result.plan.segments.reduce((sum, { rows }) => sum + rows, 0);
    this.#result = result;
  }

  /** Requests, tokens and tool calls by model alias. */
  get usage(): RunSummary['usage'] {
    return this.#result.summary.usage;
  }

  /** Calls, errors and timeouts by tool. */
  get tools(): RunSummary['tools'] {
    return this.#result.summary.tools;
  }

  /** Why rows were lost, the most frequent reason first. */
  get lost(): RunSummary['lost'] {
    return this.#result.summary.lost;
  }

  /** The rows in order. */
  records(): AsyncIterable<Row> {
    return readStreams(this.#result.batches) as AsyncIterable<Row>;
  }

  /** The rows as an Arrow table. */
  toArrow(): ArrowTable {
    return streamsTable(this.#result.batches);
  }
}
