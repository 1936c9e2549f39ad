import { type Plan, Random, type Row, type ToolSchema, unboxed } from '@data-designer/core';
import {
  type EnvironmentConfig,
  fieldKey,
  kindOf,
  type OpenEnvironment,
  type OpenOptions,
} from '@data-designer/environments';
import { compileTemplate, compileValue } from '@data-designer/template';
import { toolsOf } from './environment-tools.ts';

/** An environment of a plan with its templates compiled, once per row group. */
export interface PreparedEnvironment {
  readonly name: string;
  /** Opens the world of a row; throws an `Error` with the reason where that is not possible. */
  readonly open: (of: RowOfWorld, reach: Reach) => Promise<OpenEnvironment>;
  /** Whether its rows share a provider's list of tools. */
  readonly isListed: boolean;
  /** Whether only some rows may have a world at a time. */
  readonly isCapped: boolean;
  readonly random: Random;
  /** The tools if they are the same in every row. */
  readonly tools: readonly ToolSchema[] | undefined;
  /** The prefix of the names of its tools. */
  readonly toolPrefix: string | undefined;
}

/** What a world can reach. */
export type Reach = Pick<OpenOptions, 'callFunction' | 'startServer'>;

/** The row of a world, with the cells that the world is made from. */
export interface RowOfWorld {
  readonly row: Row;
  readonly rowIndex: number;
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
      const open: PreparedEnvironment['open'] = async ({ row, rowIndex }, reach) =>
        kind.open(config, { rowIndex, values: valuesOf(row), random: random.copy().at(rowIndex), ...reach });
      const [isListed, isCapped] = [kind.provider !== undefined, kind.mostRows !== undefined];
      const { toolPrefix } = config;
      return [name, { name, open, random, tools: toolsOf(kind, config), toolPrefix, isListed, isCapped }];
    }),
  );
}
