import type { CellValue } from '@data-designer/core';
import {
  type ArrowTable,
  exportChats,
  type ExportChatsOptions,
  type ExportFormat,
  exportFormatOf,
  exportRecords,
  readDataset,
  readTable,
  type RunResult,
} from '@data-designer/engine';
import { MadeRecords } from './made-records.ts';

/** In which form rows are exported: as the file's name says unless given. */
export interface ExportOptions extends ExportChatsOptions {
  readonly format?: ExportFormat | 'chat-jsonl';
}

/** A dataset that was made: where it is, what it holds, what it took. `count` includes rows of earlier runs. */
export class DatasetCreationResults<Row = Record<string, unknown>> extends MadeRecords {
  /** The dataset's folder. */
  readonly path: string;
  readonly datasetName: string;
  /** Whether the answers were made up by the built-in simulator. */
  readonly simulated: boolean;
  readonly #result: RunResult;

  constructor(result: RunResult, { simulated }: { readonly simulated: boolean }) {
    super(result);
    this.path = result.path;
    this.datasetName = result.datasetName;
    this.simulated = simulated;
    this.#result = result;
  }

  /** The rows in order, read from the files a row group at a time. */
  records(): AsyncIterable<Row> {
    return readDataset(this.path) as AsyncIterable<Row>;
  }

  /** The whole dataset as one Arrow table in memory. */
  toArrow(): Promise<ArrowTable> {
    return readTable(this.path, this.#result.plan.fields);
  }

  /**
   * Writes the rows to a `.jsonl` or `.csv` file; with the format `chat-jsonl` the conversations, one a line, as OpenAI's
   * fine-tuning takes them.
   */
  async export(path: string, options: ExportOptions = {}): Promise<void> {
    const format = options.format ?? exportFormatOf(path);
    if (format === 'chat-jsonl') await exportChats(this.path, path, options);
    else await exportRecords(readDataset(this.path) as AsyncIterable<Record<string, CellValue>>, path, format);
  }
}
