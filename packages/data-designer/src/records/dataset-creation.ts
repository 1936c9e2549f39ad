import type { LiveRecords } from '@data-designer/engine';
import type { DatasetCreationResults } from './dataset-creation-results.ts';

/** A dataset that is being made: awaited it gives the results, and its rows can be had meanwhile. */
export interface DatasetCreation<Row> extends Promise<DatasetCreationResults<Row>> {
  /**
   * The rows in order, each as soon as its row group and those before are committed, read at the pace of whoever asks; a
   * row group is in memory at a time. After the rows that were committed the failure of a run that fails is thrown. Who
   * stops early does not stop the run: `signal` does.
   */
  records(): AsyncIterable<Row>;
}

/** A run's promise together with the rows that it commits. */
export function creation<Row>(made: Promise<DatasetCreationResults<Row>>, live: LiveRecords): DatasetCreation<Row> {
  const results = told(made, live);
  const records = (): AsyncIterable<Row> => {
    // Whoever reads the rows is told the failure there.
    results.catch(() => {});
    return live.records() as AsyncIterable<Row>;
  };
  return Object.assign(results, { records });
}

/** The results, of which the rows are told first. */
async function told<Results extends { readonly path: string }>(
  made: Promise<Results>,
  live: LiveRecords,
): Promise<Results> {
  try {
    const results = await made;
    live.end(results);
    return results;
  } catch (failure) {
    live.end({ failure });
    throw failure;
  }
}
