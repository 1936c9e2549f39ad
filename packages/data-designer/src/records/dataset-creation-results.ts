import { analyseDataset, type AnalyseOptions } from '@data-designer/profile';
import {
  type ArrowTable,
  datasetRowsAt,
  exportChats,
  type ExportChatsOptions,
  exportDataset,
  type ExportFormat,
  exportFormatOf,
  type LoggedFailure,
  processorRowsAt,
  processorTable,
  readDataset,
  readFailures,
  readProcessorRows,
  readTable,
} from '@data-designer/dataset';
import { readMedia, type RunResult } from '@data-designer/engine';
import { DatasetAnalysis } from '../report/dataset-analysis.ts';
import { MadeRecords } from './made-records.ts';
import { RecordDisplay, type SampleRecordOptions, type ShownRecords } from './sample-record/record-display.ts';
import { recordLayout } from './sample-record/record-layout.ts';
import { recordWindow } from './sample-record/record-window.ts';

/** In which form rows are exported: as the file's name says unless given. */
export interface ExportOptions extends ExportChatsOptions {
  readonly format?: ExportFormat | 'chat-jsonl';
  /** Not the rows of the dataset, but what this processor made of them; not with `chat-jsonl`. */
  readonly processor?: string;
}

/** What results are given beside what a run has made. */
interface ResultsParts {
  readonly exported: string | null;
  readonly simulated: boolean;
  /** How the dataset is profiled. */
  readonly looking: AnalyseOptions;
}

/** A dataset that was made: where it is, what it holds, what it took. `count` includes rows of earlier runs. */
export class DatasetCreationResults<Row = Record<string, unknown>> extends MadeRecords {
  /** The dataset's folder. */
  readonly path: string;
  readonly datasetName: string;
  /** The folder that was asked for, where another dataset stands there; null where `path` is it. */
  readonly divertedFrom: string | null;
  /** Whether the answers were made up by the built-in simulator. */
  readonly simulated: boolean;
  /** The file that this run has exported the dataset to, with `format: 'jsonl'` or `'csv'`; null without. */
  readonly exported: string | null;
  readonly #result: RunResult;
  readonly #looking: AnalyseOptions;
  #analysis: Promise<DatasetAnalysis> | undefined;
  #display: RecordDisplay | undefined;

  constructor(result: RunResult, { exported, simulated, looking }: ResultsParts) {
    super(result);
    this.path = result.path;
    this.datasetName = result.datasetName;
    this.divertedFrom = result.divertedFrom ?? null;
    this.simulated = simulated;
    this.exported = exported;
    this.#result = result;
    this.#looking = looking;
  }

  /** The rows in order, read from the files a row group at a time. */
  records(): AsyncIterable<Row> {
    return readDataset(this.path) as AsyncIterable<Row>;
  }

  /** The whole dataset as one Arrow table in memory. */
  toArrow(): Promise<ArrowTable> {
    return readTable(this.path, this.#result.plan.fields);
  }

  /** The folder of what a processor has written; throws `dataset/no-processor`. */
  getPathToProcessorArtifacts(processor: string): string {
    return processorTable(this.path, this.#result.plan, processor).path;
  }

  /** What a processor has made of the rows, in their order, read a row group at a time; throws `dataset/no-processor`. */
  loadProcessorDataset(processor: string): AsyncIterable<Record<string, unknown>> {
    this.getPathToProcessorArtifacts(processor);
    return readProcessorRows(this.path, processor);
  }

  /**
   * Statistics of the columns and of the dataset as a whole, calculated when first asked for and kept in its folder until
   * its files are others. Where the declaration has profilers, a model sums up what judges found, and is paid for that.
   * Throws `dataset/damaged`.
   */
  loadAnalysis(): Promise<DatasetAnalysis> {
    const analysing = (this.#analysis ??= analyse(this.#result, this.#looking));
    // What failed may succeed another time.
    analysing.catch(() => (this.#analysis = undefined));
    return analysing;
  }

  /** Shows a record on the terminal, or writes it as a page; throws `report/invalid-option`. */
  displaySampleRecord(options?: SampleRecordOptions): Promise<void> {
    return this.recordDisplay().show(options);
  }

  /** The records as texts for a terminal, and as pages. */
  recordDisplay(): RecordDisplay {
    return (this.#display ??= new RecordDisplay(this.#shown()));
  }

  /** The cells that could not be made, with their conversations, as they were logged; read one at a time. */
  failures(): AsyncIterable<LoggedFailure> {
    return readFailures(this.path);
  }

  /**
   * Writes the rows to a `.jsonl`, `.csv`, `.parquet` or `.arrow` file; with the format `chat-jsonl` the conversations, one
   * a line, as OpenAI's fine-tuning takes them. The file is there in full or not at all; memory does not grow with it.
   * Throws `dataset/no-processor`.
   */
  async export(path: string, options: ExportOptions = {}): Promise<void> {
    const format = options.format ?? exportFormatOf(path);
    const { processor } = options;
    if (format === 'chat-jsonl') {
      await exportChats(this.path, path, options);
      return;
    }
    const { plan } = this.#result;
    const { fields } = processor === undefined ? plan : processorTable(this.path, plan, processor);
    await exportDataset({ folder: this.path, fields, processor }, path, format);
  }

  #shown(): ShownRecords {
    const { plan } = this.#result;
    return {
      title: this.datasetName,
      layout: recordLayout(plan, this.#looking.registry),
      count: this.count,
      recordAt: recordWindow((position) => datasetRowsAt(this.path, position)),
      processed: (plan.processors ?? []).flatMap(({ config: { name: processor }, beside }) => {
        if (!beside) return [];
        return { processor, recordAt: recordWindow((position) => processorRowsAt(this.path, processor, position)) };
      }),
      pictureAt: (path) => readMedia(path, [this.path]),
    };
  }
}

async function analyse(result: RunResult, looking: AnalyseOptions): Promise<DatasetAnalysis> {
  return new DatasetAnalysis(await analyseDataset(result, looking));
}
