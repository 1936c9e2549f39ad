import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { CellFailure } from '@data-designer/core';
import { datasetPaths } from '../dataset-paths.ts';
import { parseLine } from './line-log.ts';
import { storageFailure } from '../files/storage-failure.ts';

/** A cell of a dataset that could not be made: which, why, and the conversation that ended so. */
export interface LoggedFailure extends CellFailure {
  /** Its row group. */
  readonly group: number;
}

/** The failures of a dataset folder as they were written, a line in memory at a time; none where none are logged. Throws `dataset/*`. */
export async function* readFailures(folder: string): AsyncGenerator<LoggedFailure> {
  const path = datasetPaths(folder).failures;
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Infinity });
  try {
    for await (const line of lines) {
      const failure = parseLine(line) as LoggedFailure | null | undefined;
      if (typeof failure === 'object' && failure !== null) yield failure;
    }
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw storageFailure(thrown, path);
  } finally {
    lines.close();
  }
}
