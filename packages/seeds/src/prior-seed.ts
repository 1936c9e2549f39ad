import { join } from 'node:path';
import { type ArrowField, SEED_TABLE } from '@data-designer/core';
import { datasetPaths, readRunRecord } from '@data-designer/dataset';

/** The seed that a dataset was begun with. */
export interface PriorSeed {
  readonly fields: readonly ArrowField[];
  /** The version of the source: the commit on the Hub, or the hash of a plug-in's rows. */
  readonly revision: string;
  /** The hash of rows that come from no file. */
  readonly sha256?: string | undefined;
}

/** The recorded seed of a dataset; undefined if there is none. */
export async function priorSeed(artifactPath: string, datasetName: string): Promise<PriorSeed | undefined> {
  // Opening the dataset reports a record that cannot be read.
  const record = await readRunRecord(datasetPaths(join(artifactPath, datasetName))).catch(() => undefined);
  const source = record?.tables.find(({ id }) => id === SEED_TABLE)?.source;
  const fields = record?.plan.tables.find(({ id }) => id === SEED_TABLE)?.fields;
  if (!fields || source?.revision === undefined) return undefined;
  return { fields, revision: source.revision, sha256: source.sha256 };
}
