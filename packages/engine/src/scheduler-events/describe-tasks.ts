import { createHash } from 'node:crypto';
import { type Plan, type PlannedColumn, rowGroups } from '@data-designer/core';
import { modelTargetOf } from '@data-designer/gateway';

/** How a column is made: by itself or from others for all rows of a row group together, or cell by cell. */
export type TaskType = 'from_scratch' | 'batch' | 'cell';

/** How the Python tool names a column's tasks: those that wait for a model by model and column, others by column. */
export interface TaskGroup {
  readonly kind: 'local' | 'model';
  readonly identity: readonly string[];
  readonly identityHash: string;
  readonly strategy: 'full_column' | 'cell_by_cell';
  readonly taskType: TaskType;
  /** The permits that a task needs, by resource. */
  readonly resourceRequest: Readonly<Record<string, number>>;
  /** Provider, model and kind of request; null without a model. */
  readonly requestResource: string | null;
}

/** The name of a model's permits. */
export function resourceKey(resource: string): string {
  const { provider, model } = modelTargetOf(resource);
  return `request:${provider}/${model}`;
}

/** The type of a column's tasks; `isLocal` if its cells are filled together. */
export function taskTypeOf({ needs }: PlannedColumn, isLocal: boolean): TaskType {
  if (!isLocal) return 'cell';
  return needs.length === 0 ? 'from_scratch' : 'batch';
}

/** The task group of a column; `isLocal` if its cells are filled together. */
export function taskGroupOf(column: PlannedColumn, plan: Plan, isLocal: boolean): TaskGroup {
  const { name, requires } = column;
  const resource = plan.models[requires.models[0] ?? '']?.resource;
  const target = resource === undefined ? undefined : modelTargetOf(resource);
  const identity = target
    ? ['model', target.provider, target.model, target.operation, name]
    : ['local', 'default', name];
  return {
    kind: target ? 'model' : 'local',
    identity,
    identityHash: createHash('sha1').update(JSON.stringify(identity)).digest('hex').slice(0, 16),
    strategy: isLocal ? 'full_column' : 'cell_by_cell',
    taskType: taskTypeOf(column, isLocal),
    resourceRequest: resource === undefined ? {} : { [resourceKey(resource)]: 1 },
    requestResource: target ? `${target.provider}/${target.model}/${target.operation}` : null,
  };
}

/** The limits of parallel requests to models, by resource. */
export function resourceLimits({ resources }: Plan): Readonly<Record<string, number>> {
  const models = resources.filter(({ kind }) => kind === 'model');
  return Object.fromEntries(models.map(({ id, limit }) => [resourceKey(id), limit]));
}

/** The diagnostics of `scheduler_job_started`. */
export function describeJob(plan: Plan, groups: ReadonlyMap<string, TaskGroup>, left: readonly number[]): object {
  const sizes = [...rowGroups(plan)].filter(({ index }) => left.includes(index)).map(({ rows }) => rows);
  const rows = sizes.reduce((sum, size) => sum + size, 0);
  const strategies = Map.groupBy(groups.values(), ({ strategy }) => strategy);
  return {
    num_records: rows,
    buffer_size: plan.segments.at(-1)?.groupSize ?? null,
    row_group_count: sizes.length,
    row_group_total_rows: rows,
    row_group_min_size: Math.min(...sizes),
    row_group_max_size: Math.max(...sizes),
    graph_column_count: plan.columns.length,
    graph_root_columns: plan.columns.filter(({ needs }) => needs.length === 0).map(({ name }) => name),
    graph_depth: depthOf(plan),
    task_count_by_strategy: Object.fromEntries(
      [...strategies].map(([strategy, columns]) => {
        return [strategy, columns.length * (strategy === 'cell_by_cell' ? rows : sizes.length)];
      }),
    ),
    column_scheduling: [...groups].map(([column, group]) => ({
      column,
      strategy: group.strategy,
      group_kind: group.kind,
      group_identity_hash: group.identityHash,
      group_weight: null,
      group_admitted_limit: null,
      resource_request: group.resourceRequest,
      request_resource: group.requestResource,
    })),
    resource_limits: resourceLimits(plan),
  };
}

/** The number of columns in the longest chain of columns that read each other. */
function depthOf({ columns }: Plan): number {
  const depths = new Map<string, number>();
  for (const { name, needs } of columns) {
    depths.set(name, 1 + Math.max(0, ...needs.map((need) => depths.get(need) ?? 0)));
  }
  return Math.max(0, ...depths.values());
}
