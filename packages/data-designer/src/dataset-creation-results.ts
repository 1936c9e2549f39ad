import type { CellValue } from '@data-designer/core';
import {
  type ArrowTable,
  exportFormatOf,
  exportRecords,
  readDataset,
  readTable,
  type RunResult,
  type RunSummary,
} from '@data-designer/engine';

/** A dataset that was made: where it is, what it holds, what it took. */
export class DatasetCreationResults<Row = Record<string, unknown>> {
  /** The dataset's folder. */
  readonly path: string;
  readonly datasetName: string;
  /** Rows in the dataset. */
  readonly count: number;
  /** Rows that were asked for. */
  readonly requested: number;
  /** Whether the answers were made up by the built-in simulator. */
  readonly simulated: boolean;
  readonly #result: RunResult;

  constructor(result: RunResult, { simulated }: { readonly simulated: boolean }) {
    const { path, datasetName, summary, plan } = result;
    this.path = path;
    this.datasetName = datasetName;
    this.count = summary.rows;
    this.requested = plan.segments.reduce((sum, { rows }) => sum + rows, 0);
    this.simulated = simulated;
    this.#result = result;
  }

  /** Requests, tokens and tool calls of this run by model alias. */
  get usage(): RunSummary['usage'] {
    return this.#result.summary.usage;
  }

  /** Calls, errors and timeouts of this run by tool. */
  get tools(): RunSummary['tools'] {
    return this.#result.summary.tools;
  }

  /** Why this run lost rows, the most frequent reason first. */
  get lost(): RunSummary['lost'] {
    return this.#result.summary.lost;
  }

  /** The rows in order, read from the files a row group at a time. */
  records(): AsyncIterable<Row> {
    return readDataset(this.path) as AsyncIterable<Row>;
  }

  /** The whole dataset as one Arrow table in memory. */
  toArrow(): Promise<ArrowTable> {
    return readTable(this.path, this.#result.plan.fields);
  }

  /** Writes the rows to a `.jsonl` or `.csv` file. */
  async export(path: string): Promise<void> {
    const format = exportFormatOf(path);
    await exportRecords(readDataset(this.path) as AsyncIterable<Record<string, CellValue>>, path, format);
  }
}
