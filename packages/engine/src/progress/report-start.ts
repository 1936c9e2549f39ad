import { type Plan, rowsIn } from '@data-designer/core';
import {
  type DatasetFolder,
  type DatasetMetadata,
  datasetPaths,
  hasAllGroups,
  readJsonFile,
  readRunRecord,
} from '@data-designer/dataset';
import type { Connection } from '../connect/connect.ts';
import { changedTools } from '../connect/list-tools.ts';
import type { PriorRecord } from '../resume/continue-run.ts';
import type { RunEvent } from '../run-event.ts';
import type { RunOptions } from '../run-options.ts';

/** Reports a folder that is not a new one of the requested name. */
export async function reportFolder(
  { path, divertedFrom, isReused }: DatasetFolder,
  plan: Plan,
  { onEvent }: Pick<RunOptions, 'onEvent'>,
): Promise<void> {
  if (divertedFrom !== undefined) {
    onEvent({ type: 'folder-divert', path, wanted: divertedFrom, ...(await occupantOf(divertedFrom, plan)) });
  }
  if (isReused) onEvent({ type: 'folder-reuse', path });
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

/** Reports tool providers whose tools changed since the dataset began. */
export function reportChangedTools(
  prior: Pick<PriorRecord, 'tools'> | undefined,
  { tools }: Connection,
  { onEvent }: Pick<RunOptions, 'onEvent'>,
): void {
  for (const provider of prior?.tools ? changedTools(prior.tools, tools) : [])
    onEvent({ type: 'tools-change', provider });
}

/** Reports the start of the run. */
export function reportStart(
  plan: Plan,
  { path, rowsDone, groups }: { readonly path: string; readonly rowsDone: number; readonly groups: number },
  { onEvent }: Pick<RunOptions, 'onEvent'>,
): void {
  const { seed, segments } = plan;
  const limits = new Map(plan.resources.map(({ id, limit }) => [id, limit]));
  const models = Object.values(plan.models).map(({ alias, model, resource }) => {
    return { alias, model, limit: limits.get(resource) ?? 0 };
  });
  onEvent({ type: 'run-start', path, rows: rowsIn(segments), rowsDone, groups, seed, models });
}
