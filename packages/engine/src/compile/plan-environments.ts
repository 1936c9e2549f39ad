import type { Plan, PlannedColumn } from '@data-designer/core';
import type { DatasetConfig } from '@data-designer/config';
import { type Environment, kindOf } from '@data-designer/environments';
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
    .map((config) => {
      const models = modelsOf(config);
      return {
        name: config.name,
        kind: config.kind,
        config: withHandles<object>(config, environmentHandle(config.name)) as Readonly<Record<string, unknown>>,
        ...(models.length > 0 && { models }),
      };
    });
  return planned.length > 0 ? { environments: planned } : {};
}

function modelsOf(environment: Environment): readonly string[] {
  const asked = kindOf(environment).models?.(environment) ?? [];
  return [...new Set(asked.map(({ alias }) => alias))];
}
