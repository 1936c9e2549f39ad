import type { Plan, PlannedColumn } from '@data-designer/core';
import type { DatasetConfig } from '@data-designer/config';
import { withHandles } from '../functions/plan-functions.ts';

/** The place of an environment's functions among the handles of a plan. */
export function environmentHandle(name: string): string {
  return `environments.${name}`;
}

/** Plans the environments that columns use. */
export function planEnvironments(
  columns: readonly PlannedColumn[],
  { environments = [] }: Pick<DatasetConfig, 'environments'>,
): Pick<Plan, 'environments'> {
  const used = new Set(columns.flatMap((column) => column.environments ?? []));
  const planned = environments
    .filter(({ name }) => used.has(name))
    .map((config) => ({
      name: config.name,
      kind: config.kind,
      config: withHandles<object>(config, environmentHandle(config.name)) as Readonly<Record<string, unknown>>,
    }));
  return planned.length > 0 ? { environments: planned } : {};
}
