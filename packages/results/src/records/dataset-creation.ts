import type { LiveRecords } from '@data-designer/engine';
import { awaited } from './awaited.ts';
import { DatasetCreationResults } from './dataset-creation-results.ts';

/** A running `create`: a promise of the results, and the rows as they are finished. */
export interface DatasetCreation<Row> extends Promise<DatasetCreationResults<Row>> {
  /**
   * The rows in order. A row arrives when it and all earlier ones are finished, or with its row group if the row
   * depends on the whole group. Memory holds one row group. If the run fails, the iteration throws its failure after
   * the finished rows. Ending the iteration does not stop the run; `signal` does.
   */
  records(): AsyncIterable<Row>;
}

/** Joins a run's promise with the rows that the run commits. */
export function datasetCreation<Row>(
  made: Promise<DatasetCreationResults<Row>>,
  live: LiveRecords,
): DatasetCreation<Row> {
  const results = awaited(endLive(made, live), {
    call: 'designer.create(…)',
    type: DatasetCreationResults<Row>,
    rows: 'designer.create(…).records()',
  });
  const records = (): AsyncIterable<Row> => {
    // The reader of the rows receives the failure.
    results.catch(() => {});
    return live.records() as AsyncIterable<Row>;
  };
  return Object.assign(results, { records });
}

/** Ends the live records with the results or the failure of their run. */
async function endLive<Results extends { readonly path: string }>(
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
