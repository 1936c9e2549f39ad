import type { PlannedEnvironment, ToolSchema } from '@data-designer/core';
import {
  type EnvironmentConfig,
  type EnvironmentKind,
  type EnvironmentTool,
  kindOf,
} from '@data-designer/environments';
import { toolSchema } from '@data-designer/mcp';

/** The tools of planned environments by their names: none where rows bring them, and no entry where a provider lists them. */
export function plannedTools(environments: readonly PlannedEnvironment[]): ReadonlyMap<string, readonly ToolSchema[]> {
  return new Map(
    environments.flatMap(({ name, config, ...planned }) => {
      const kind = kindOf(planned);
      return kind.provider ? [] : [[name, toolsOf(kind, config as unknown as EnvironmentConfig) ?? []] as const];
    }),
  );
}

/** The tools of an environment that are the same in every row, as requests describe them. */
export function toolsOf(kind: EnvironmentKind, config: EnvironmentConfig): readonly ToolSchema[] | undefined {
  return kind.tools(config)?.map((tool) => schemaOf(tool, config));
}

/** A tool as requests describe it. */
export function schemaOf(
  { name, description, parameters }: EnvironmentTool,
  { toolPrefix: prefix }: Pick<EnvironmentConfig, 'toolPrefix'>,
): ToolSchema {
  const schema = toolSchema({ name, description, parameters });
  return prefix === undefined ? schema : { ...schema, prefix };
}
