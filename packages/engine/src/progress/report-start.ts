import { type Plan, rowsIn, SEED_TABLE } from '@data-designer/core';
import type { TableRecord } from '@data-designer/dataset';
import type { Connection } from '../connect/connect.ts';
import { changedTools } from '../connect/list-tools.ts';
import type { PriorRecord } from '../resume/continue-run.ts';
import type { RunOptions } from '../run-options.ts';

/** Reports tool providers whose tools changed since the dataset began. */
export function reportChangedTools(
  prior: Pick<PriorRecord, 'tools'> | undefined,
  { tools }: Connection,
  { onEvent }: Pick<RunOptions, 'onEvent'>,
): void {
  for (const provider of prior?.tools ? changedTools(prior.tools, tools) : [])
    onEvent({ type: 'tools-change', provider });
}

/** A run that starts. */
interface StartedRun {
  readonly path: string;
  readonly rowsDone: number;
  readonly groups: number;
  readonly tables: readonly Pick<TableRecord, 'id' | 'rows'>[];
}

/** Reports the start of the run. */
export function reportStart(
  plan: Plan,
  { path, rowsDone, groups, tables }: StartedRun,
  { onEvent }: Pick<RunOptions, 'onEvent'>,
): void {
  const { seed, segments } = plan;
  const limits = new Map(plan.resources.map(({ id, limit }) => [id, limit]));
  const models = Object.values(plan.models).map(({ alias, model, resource }) => {
    return { alias, model, limit: limits.get(resource) ?? 0 };
  });
  const rows = rowsIn(segments);
  const { rows: seedRows = Infinity } = tables.find(({ id }) => id === SEED_TABLE) ?? {};
  const again = seedRows < rows ? { seedRows } : {};
  onEvent({ type: 'run-start', path, rows, rowsDone, groups, ...again, seed, models });
}
