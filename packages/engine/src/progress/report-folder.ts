import { existsSync } from 'node:fs';
import type { Plan } from '@data-designer/core';
import {
  type DatasetFolder,
  type DatasetMetadata,
  datasetPaths,
  hasAllGroups,
  readJsonFile,
  readRunRecord,
} from '@data-designer/dataset';
import type { RunEvent } from '../run-event.ts';
import type { RunOptions } from '../run-options.ts';

/** Reports a folder that is not a new one of the requested name. */
export async function reportFolder(
  { path, paths, divertedFrom, isReused }: DatasetFolder,
  plan: Plan,
  { onEvent }: Pick<RunOptions, 'onEvent'>,
): Promise<void> {
  if (divertedFrom !== undefined) {
    onEvent({ type: 'folder-divert', path, wanted: divertedFrom, ...(await occupantOf(divertedFrom, plan)) });
  }
  if (isReused) onEvent({ type: 'folder-reuse', path, hasFailures: existsSync(paths.failuresBefore) });
}

/** Compares the dataset in a folder with a plan; nothing where its record cannot be read. */
async function occupantOf(
  folder: string,
  { identity }: Plan,
): Promise<Pick<Extract<RunEvent, { type: 'folder-divert' }>, 'holds'>> {
  const paths = datasetPaths(folder);
  const record = await readRunRecord(paths).catch(() => undefined);
  if (!record) return {};
  if (record.plan.identity !== identity) return { holds: 'other' };
  const metadata = (await readJsonFile(paths.metadata).catch(() => undefined)) as DatasetMetadata | undefined;
  return { holds: hasAllGroups(metadata, record.plan.segments) ? 'finished' : 'unfinished' };
}
