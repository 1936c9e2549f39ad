import { type AnalyseOptions, analysePreview } from '@data-designer/profile';
import {
  type ArrowTable,
  type ExportFormat,
  exportFormatOf,
  exportRows,
  readStreams,
  streamRowsAt,
  streamsTable,
} from '@data-designer/dataset';
import type { PreviewResult } from '@data-designer/engine';
import { DatasetAnalysis } from '../report/dataset-analysis.ts';
import { MadeRecords } from './made-records.ts';
import { RecordDisplay, type SampleRecordOptions, type ShownRecords } from './sample-record/record-display.ts';
import { recordLayout } from './sample-record/record-layout.ts';
import { recordWindow } from './sample-record/record-window.ts';

/** In which form rows are exported: as the file's name says unless given. */
export interface PreviewExportOptions {
  readonly format?: ExportFormat;
}

/** A few rows that were made in memory. */
export class PreviewResults<Row = Record<string, unknown>> extends MadeRecords {
  readonly #result: PreviewResult;
  readonly #looking: AnalyseOptions;
  #analysis: Promise<DatasetAnalysis> | undefined;
  #display: RecordDisplay | undefined;

  constructor(result: PreviewResult, looking: AnalyseOptions) {
    super(result);
    this.#result = result;
    this.#looking = looking;
  }

  /** The rows in order. */
  records(): AsyncIterable<Row> {
    return readStreams(this.#result.batches) as AsyncIterable<Row>;
  }

  /** What each processor with a table of its own has made of the rows, by its name. */
  async processorArtifacts(): Promise<Readonly<Record<string, readonly Record<string, unknown>[]>>> {
    const artifacts: Record<string, readonly Record<string, unknown>[]> = {};
    for (const [name, streams] of Object.entries(this.#result.sideTables)) {
      artifacts[name] = await Array.fromAsync(readStreams(streams));
    }
    return artifacts;
  }

  /** The rows as an Arrow table. */
  toArrow(): ArrowTable {
    return streamsTable(this.#result.batches);
  }

  /** Writes the rows to a `.jsonl`, `.csv`, `.parquet` or `.arrow` file, which is there in full or not at all. */
  async export(path: string, { format = exportFormatOf(path) }: PreviewExportOptions = {}): Promise<void> {
    const records = readStreams(this.#result.batches);
    await exportRows({ records, fields: this.#result.plan.fields }, path, format);
  }

  /** Shows a record on the terminal, or writes it as a page; throws `report/invalid-option`. */
  displaySampleRecord(options?: SampleRecordOptions): Promise<void> {
    return this.recordDisplay().show(options);
  }

  /** The records as texts for a terminal, and as pages. */
  recordDisplay(): RecordDisplay {
    return (this.#display ??= new RecordDisplay(this.#shown()));
  }

  /** Statistics of the columns and of the rows as a whole, calculated when first asked for. */
  analysis(): Promise<DatasetAnalysis> {
    const analysing = (this.#analysis ??= analyse(this.#result, this.#looking));
    analysing.catch(() => (this.#analysis = undefined));
    return analysing;
  }

  #shown(): ShownRecords {
    const { batches, sideTables, plan } = this.#result;
    return {
      title: 'Preview',
      layout: recordLayout(plan, this.#looking.registry),
      count: this.count,
      recordAt: recordWindow((position) => streamRowsAt(batches, position)),
      processed: Object.entries(sideTables).map(([processor, streams]) => ({
        processor,
        recordAt: recordWindow((position) => streamRowsAt(streams, position)),
      })),
      // A preview's pictures are in its rows.
      pictureAt: () => Promise.resolve(undefined),
    };
  }
}

async function analyse(result: PreviewResult, looking: AnalyseOptions): Promise<DatasetAnalysis> {
  return new DatasetAnalysis(await analysePreview(result, looking));
}
