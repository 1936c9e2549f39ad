import { join } from 'node:path';
import { type ArrowField, SEED_TABLE } from '@data-designer/core';
import { datasetPaths, readJsonFile, type RunRecord } from '@data-designer/dataset';

/** What a dataset's seed was taken from when it was begun, and the columns that it was found to have. */
export interface PriorSeed {
  readonly fields: readonly ArrowField[];
  /** The state of its origin: the commit of a table of the Hub, the hash of rows that a plug-in has read. */
  readonly revision: string;
  /** The hash that rows which are in no file are known by. */
  readonly sha256?: string | undefined;
}

/** What is recorded of a dataset's seed; undefined where nothing says so. */
export async function priorSeed(artifactPath: string, datasetName: string): Promise<PriorSeed | undefined> {
  const { run } = datasetPaths(join(artifactPath, datasetName));
  // A record that cannot be read is told of when the dataset is opened.
  const record = (await readJsonFile(run, { exact: false }).catch(() => undefined)) as Partial<RunRecord> | undefined;
  const source = record?.tables?.find(({ id }) => id === SEED_TABLE)?.source;
  const fields = record?.plan?.tables.find(({ id }) => id === SEED_TABLE)?.fields;
  if (!fields || source?.revision === undefined) return undefined;
  return { fields, revision: source.revision, sha256: source.sha256 };
}
