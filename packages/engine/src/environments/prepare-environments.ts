import { type CellValue, type Plan, Random, type Row, type ToolSchema, unboxed } from '@data-designer/core';
import { type EnvironmentConfig, type EnvironmentKind, fieldKey, kindOf } from '@data-designer/environments';
import { compileTemplate, compileValue } from '@data-designer/template';
import { toolsOf } from './environment-tools.ts';

/** An environment of a plan with its templates compiled, once per thread. */
export interface PreparedEnvironment {
  readonly name: string;
  readonly kind: EnvironmentKind;
  readonly config: EnvironmentConfig;
  /** The values that open the world of a row. */
  readonly valuesOf: (row: Row) => Readonly<Record<string, CellValue>>;
  readonly random: Random;
  /** The tools if they are the same in every row. */
  readonly tools: readonly ToolSchema[] | undefined;
}

/** Compiles the environments of a plan, by name. */
export function prepareEnvironments(
  { environments = [], seed, templates: mode }: Pick<Plan, 'environments' | 'seed' | 'templates'>,
  floats: ReadonlySet<string>,
): ReadonlyMap<string, PreparedEnvironment> {
  const options = { mode, floatColumns: floats };
  return new Map(
    environments.map(({ name, config: declared, ...planned }) => {
      const kind = kindOf(planned);
      const config = declared as unknown as EnvironmentConfig;
      const renders = kind.templates(config).map(({ source, field, as }) => {
        const render =
          as === 'text' ? compileTemplate(source, options) : compileValue(source, { ...options, decode: false });
        return [fieldKey(field), render] as const;
      });
      const reads = kind.reads(config);
      const valuesOf = (row: Row) =>
        Object.fromEntries([
          ...renders.map(([key, render]) => [key, render(row)] as const),
          ...reads.map((column) => [column, unboxed(row[column] ?? null)] as const),
        ]);
      const random = Random.of(seed, `environment:${name}`);
      return [name, { name, kind, config, valuesOf, random, tools: toolsOf(kind, config) }];
    }),
  );
}
