import { type ArrowTable, type PreviewResult, readStreams, streamsTable } from '@data-designer/engine';
import { MadeRecords } from './made-records.ts';

/** A few rows that were made in memory. */
export class PreviewResults<Row = Record<string, unknown>> extends MadeRecords {
  readonly #result: PreviewResult;

  constructor(result: PreviewResult) {
    super(result);
    this.#result = result;
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
}
