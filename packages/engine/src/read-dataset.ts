import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { datasetPaths, groupOf } from './store/dataset-paths.ts';
import { readRows } from './store/read-rows.ts';

/** The rows of a dataset folder in order of its row groups, one in memory at a time. */
export async function* readDataset(folder: string): AsyncGenerator<Record<string, unknown>> {
  const { parquetFiles } = datasetPaths(folder);
  const names = (await readdir(parquetFiles)).filter((name) => groupOf(name) !== undefined);
  const inOrder = names.toSorted((a, b) => (groupOf(a) as number) - (groupOf(b) as number));
  yield* readRows(inOrder.map((name) => join(parquetFiles, name)));
}
