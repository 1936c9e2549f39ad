import { join } from 'node:path';
import { SEED_TABLE } from '@data-designer/core';
import type { RunRecord } from '../prior-run.ts';
import { datasetPaths } from '../store/dataset-paths.ts';
import { readJsonFile } from '../store/json-file.ts';

/** The state of its origin that a dataset's seed was taken from when it was begun; undefined where nothing says so. */
export async function priorRevision(artifactPath: string, datasetName: string): Promise<string | undefined> {
  const { run } = datasetPaths(join(artifactPath, datasetName));
  // A record that cannot be read is told of when the dataset is opened.
  const record = (await readJsonFile(run, { exact: false }).catch(() => undefined)) as Partial<RunRecord> | undefined;
  return record?.tables?.find(({ id }) => id === SEED_TABLE)?.source.revision;
}
