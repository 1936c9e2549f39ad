import type { Plan } from '@data-designer/core';
import { readDataset, type RunResult, type RunSummary } from '@data-designer/engine';

/** A dataset that was made: where it is, what it holds, what it took. */
export class DatasetCreationResults {
  /** The dataset's folder. */
  readonly path: string;
  readonly datasetName: string;
  /** Rows in the dataset. */
  readonly count: number;
  /** Rows that were asked for. */
  readonly requested: number;
  readonly #summary: RunSummary;

  constructor({ path, datasetName, summary }: RunResult, plan: Plan) {
    this.path = path;
    this.datasetName = datasetName;
    this.count = summary.rows;
    this.requested = plan.segments.reduce((sum, { rows }) => sum + rows, 0);
    this.#summary = summary;
  }

  /** Requests, tokens and tool calls by model alias. */
  get usage(): RunSummary['usage'] {
    return this.#summary.usage;
  }

  /** Why rows were lost, the most frequent reason first. */
  get lost(): RunSummary['lost'] {
    return this.#summary.lost;
  }

  /** The rows in order, read from the files a row group at a time. */
  records(): AsyncIterable<Record<string, unknown>> {
    return readDataset(this.path);
  }
}
