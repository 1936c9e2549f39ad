import { isDeepStrictEqual } from 'node:util';
import { type ArrowField, DataDesignerError, type Plan, rowsIn, type Segment } from '@data-designer/core';
import type { FrozenTools } from './freeze-tools.ts';
import { isFromFileSystem } from './store/storage-failure.ts';
import { batchFiles } from './store/batch-files.ts';
import { countFileRows } from './store/count-file-rows.ts';
import type { BatchFormat, DatasetPaths } from './store/dataset-paths.ts';
import { readJsonFile } from './store/json-file.ts';
import { markedGroups } from './store/partial-groups.ts';
import type { TableRecord } from './tables/table-record.ts';
import type { FoundGroups } from './store/usage-log.ts';

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
export async function readRunRecord({ run: path }: Pick<DatasetPaths, 'run'>): Promise<RunRecord> {
  const record = (await readJsonFile(path, { exact: false })) as
    (Omit<RunRecord, 'tables'> & Partial<RunRecord>) | undefined;
  if (record?.version === 2 && record.plan) return { ...record, tables: record.tables ?? [] };
  const reason = record
    ? `it is of version ${String(record.version)}, and this program continues version 2`
    : 'it is not there';
  throw new DataDesignerError('dataset/damaged', { path, reason });
}

/** What a plan is continued from. */
export interface PriorPlan {
  readonly path: string;
  readonly plan: Plan;
  /** Whether answers stand in the dataset: rows that are made, or journals. */
  readonly hasAnswers: boolean;
}

/**
 * A new plan as the continuation of an earlier one: its seed, its row groups, what its endpoints were found to do, and a
 * further segment for rows that were added. Throws `dataset/incompatible` when it would make other rows than those already there.
 */
export function continuePlan(plan: Plan, prior: PriorPlan, seed: number | null): Plan {
  const { path, plan: before } = prior;
  const refuse = (reason: string) => new DataDesignerError('dataset/incompatible', { path, reason });
  if (plan.identity !== before.identity) throw refuse('its configuration was another one, models and tools included');
  if (seed !== null && seed !== before.seed) throw refuse(`its seed is ${before.seed}, not ${seed}`);
  const kept = namesOf(before.dropped).join('\n');
  if (kept !== namesOf(plan.dropped).join('\n'))
    throw refuse('preserve_dropped_columns was another, or the columns dropped');
  const retyped = storedFields(plan).find((field) => !isDeepStrictEqual(field, fieldOf(before, field.name)));
  if (retyped) throw refuse(`its column '${retyped.name}' was of another type, or not there`);
  const had = rowsIn(before.segments);
  const wanted = rowsIn(plan.segments);
  if (wanted < had) throw refuse(`it was begun with ${had} rows, and ${wanted} are fewer`);
  const groupSize = plan.segments[0]?.groupSize ?? 1;
  const added: Segment[] = wanted > had ? [{ firstRow: had, rows: wanted - had, groupSize }] : [];
  const models = withKnownAbilities(plan.models, prior);
  return { ...plan, models, seed: before.seed, segments: [...before.segments, ...added] };
}

/** The fields of the written table, and of what is left out of it and kept. */
function storedFields({ fields, dropped }: Plan): readonly ArrowField[] {
  return [...fields, ...(dropped ?? [])];
}

function fieldOf(plan: Plan, wanted: string): ArrowField | undefined {
  return storedFields(plan).find(({ name }) => name === wanted);
}

/** Absent in the records of older versions, which kept none. */
function namesOf(dropped: Plan['dropped'] | undefined): readonly string[] {
  return (dropped ?? []).map(({ name }) => name);
}

/**
 * What endpoints were found to do stays as it was found, so that requests come out the same. What was not found out is
 * asked again only while that voids no answer; after that they are taken for unable.
 */
function withKnownAbilities(models: Plan['models'], { plan, hasAnswers }: PriorPlan): Plan['models'] {
  return Object.fromEntries(
    Object.entries(models).map(([alias, model]) => {
      const known = plan.models[alias]?.structuredOutput ?? model.structuredOutput;
      return [alias, { ...model, structuredOutput: known ?? (hasAnswers ? false : null) }];
    }),
  );
}

/** The row groups of a dataset whose files are there, by what can be read of them. */
export interface FoundBatches extends FoundGroups {
  /** Rows in the files of finished groups. */
  readonly rows: number;
  /** Rows by row group that is marked as not finished; 0 where there is no file that can be read. */
  readonly left: ReadonlyMap<number, number>;
  /** Row groups whose files cannot be read, marked ones included. */
  readonly unreadable: ReadonlySet<number>;
  /** Why the first of these cannot be read: `dataset/damaged`; undefined where there is none. */
  readonly damage: unknown;
}

/**
 * Looks at the files of a dataset by their ends, or only at those of row groups that are marked as not finished. One that
 * could not be read for another reason than its content, such as its rights, ends the resume: `dataset/damaged`.
 */
export async function findBatches(
  paths: DatasetPaths,
  { isMarkedOnly = false }: { readonly isMarkedOnly?: boolean } = {},
): Promise<FoundBatches> {
  const finished = new Set<number>();
  const left = new Map((await markedGroups(paths)).map((group) => [group, 0]));
  const unreadable = new Set<number>();
  let rows = 0;
  let damage: unknown;
  for (const { path, first, last } of await batchFiles(paths)) {
    if (isMarkedOnly && !left.has(first)) continue;
    let state = finished;
    try {
      const found = await countFileRows(path);
      if (left.has(first)) left.set(first, found);
      else rows += found;
    } catch (thrown) {
      if (thrown instanceof Error && isFromFileSystem(thrown.cause)) throw thrown;
      state = unreadable;
      damage ??= thrown;
    }
    for (let group = first; group <= last; group++) state.add(group);
  }
  // The answers of groups that are left stand in their journals.
  const damaged = unreadable.difference(left);
  return { finished: finished.difference(left), damaged, rows, left, unreadable, damage };
}
