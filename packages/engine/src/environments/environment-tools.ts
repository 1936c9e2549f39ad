import type { PlannedEnvironment, ToolSchema } from '@data-designer/core';
import {
  type EnvironmentConfig,
  type EnvironmentKind,
  type EnvironmentTool,
  kindOf,
} from '@data-designer/environments';
import { toolSchema } from '@data-designer/mcp';

/** The tools of planned environments by their names; none where rows bring them. */
export function plannedTools(environments: readonly PlannedEnvironment[]): ReadonlyMap<string, readonly ToolSchema[]> {
  return new Map(
    environments.map(({ name, config, ...planned }) => {
      return [name, toolsOf(kindOf(planned), config as unknown as EnvironmentConfig) ?? []];
    }),
  );
}

/** The tools of an environment that are the same in every row, as requests describe them. */
export function toolsOf(kind: EnvironmentKind, config: EnvironmentConfig): readonly ToolSchema[] | undefined {
  return kind.tools(config)?.map(schemaOf);
}

/** A tool as requests describe it. */
export function schemaOf({ name, description, parameters }: EnvironmentTool): ToolSchema {
  return toolSchema({ name, description, parameters });
}
