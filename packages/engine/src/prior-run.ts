import { access, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { DataDesignerError, type Plan, rowsIn, type Segment } from '@data-designer/core';
import type { FrozenTools } from './freeze-tools.ts';
import { type BatchFormat, datasetPaths } from './store/dataset-paths.ts';
import type { DatasetFolder } from './store/dataset-folder.ts';
import type { TableRecord } from './tables/table-record.ts';
import { readArrowFile } from './store/read-arrow.ts';
import { countRows } from './store/read-rows.ts';

/** What a run leaves for those that continue it: `run.json`. */
export interface RunRecord {
  readonly version: 2;
  readonly format: BatchFormat;
  readonly tools: FrozenTools;
  readonly plan: Plan;
  /** What stood beside the run. */
  readonly tables: readonly TableRecord[];
}

/** Reads what an earlier run fixed; throws `dataset/damaged`. */
export async function readRunRecord(folder: Pick<DatasetFolder, 'paths' | 'readRun'>): Promise<RunRecord> {
  const record = (await folder.readRun()) as (Omit<RunRecord, 'tables'> & Partial<RunRecord>) | undefined;
  if (record?.version === 2 && record.plan) return { ...record, tables: record.tables ?? [] };
  const reason = record
    ? `it is of version ${String(record.version)}, and this program continues version 2`
    : 'it is not there';
  throw new DataDesignerError('dataset/damaged', { path: folder.paths.run, reason });
}

/**
 * A new plan as the continuation of an earlier one: its seed, its row groups, what its endpoints were found to do, and a
 * further segment for rows that were added. Throws `dataset/incompatible` when it would make other rows than those already there.
 */
export function continuePlan(plan: Plan, prior: Plan, at: { path: string; seed: number | null }): Plan {
  const refuse = (reason: string) => new DataDesignerError('dataset/incompatible', { path: at.path, reason });
  if (plan.identity !== prior.identity) throw refuse('its configuration was another one, models and tools included');
  if (at.seed !== null && at.seed !== prior.seed) throw refuse(`its seed is ${prior.seed}, not ${at.seed}`);
  const had = rowsIn(prior.segments);
  const wanted = rowsIn(plan.segments);
  if (wanted < had) throw refuse(`it was begun with ${had} rows, and ${wanted} are fewer`);
  const groupSize = plan.segments[0]?.groupSize ?? 1;
  const added: Segment[] = wanted > had ? [{ firstRow: had, rows: wanted - had, groupSize }] : [];
  const models = withKnownAbilities(plan.models, prior.models);
  return { ...plan, models, seed: prior.seed, segments: [...prior.segments, ...added] };
}

/** What endpoints were found to do stays as it was found, so that requests come out the same. */
function withKnownAbilities(models: Plan['models'], prior: Plan['models']): Plan['models'] {
  return Object.fromEntries(
    Object.entries(models).map(([alias, model]) => {
      const structuredOutput = prior[alias]?.structuredOutput ?? model.structuredOutput;
      return [alias, { ...model, structuredOutput }];
    }),
  );
}

/** Whether a dataset of this name has been begun, so that what its run learned at the start is learned. */
export async function isBegun(artifactPath: string, datasetName: string): Promise<boolean> {
  const { run } = datasetPaths(join(artifactPath, datasetName));
  return access(run).then(
    () => true,
    () => false,
  );
}

/**
 * The row groups that are committed, with their rows. A file that is damaged is set aside and its group made again; a
 * file that could not be read for another reason, such as its rights, ends the resume: `dataset/damaged`.
 */
export async function finishedGroups(folder: DatasetFolder): Promise<ReadonlyMap<number, number>> {
  const finished = new Map<number, number>();
  for (const [group, path] of await folder.batches()) {
    try {
      finished.set(group, path.endsWith('.arrow') ? (await readArrowFile(path)).numRows : await countRows(path));
    } catch (thrown) {
      if (isSystemFailure(thrown)) throw thrown;
      await rename(path, `${path}.damaged`);
    }
  }
  return finished;
}

/** Whether the file system, not the file's content, stood in the way. */
function isSystemFailure(thrown: unknown): boolean {
  const cause = thrown instanceof Error ? (thrown.cause as NodeJS.ErrnoException | undefined) : undefined;
  return typeof cause?.code === 'string';
}
