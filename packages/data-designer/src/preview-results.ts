import {
  type AnalyseOptions,
  analysePreview,
  type ArrowTable,
  type PreviewResult,
  readStreams,
  streamsTable,
} from '@data-designer/engine';
import { DatasetAnalysis } from './report/dataset-analysis.ts';
import { MadeRecords } from './made-records.ts';

/** A few rows that were made in memory. */
export class PreviewResults<Row = Record<string, unknown>> extends MadeRecords {
  readonly #result: PreviewResult;
  readonly #looking: AnalyseOptions;
  #analysis: Promise<DatasetAnalysis> | undefined;

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
    for (const [name, streams] of Object.entries(this.#result.beside)) {
      artifacts[name] = await Array.fromAsync(readStreams(streams));
    }
    return artifacts;
  }

  /** The rows as an Arrow table. */
  toArrow(): ArrowTable {
    return streamsTable(this.#result.batches);
  }

  /** Statistics of the columns and of the rows as a whole, calculated when first asked for. */
  analysis(): Promise<DatasetAnalysis> {
    const analysing = (this.#analysis ??= analyse(this.#result, this.#looking));
    analysing.catch(() => (this.#analysis = undefined));
    return analysing;
  }
}

async function analyse(result: PreviewResult, looking: AnalyseOptions): Promise<DatasetAnalysis> {
  return new DatasetAnalysis(await analysePreview(result, looking));
}
