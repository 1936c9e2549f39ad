import { toolOf } from '../declared-tools.ts';
import type { EnvironmentKind, RowTemplate } from '../environment-kind.ts';
import { type SqliteConfig, sqliteSchema } from './sqlite-config.ts';

/** A SQLite database that belongs to one row; its tools are SQL. */
export const sqlite: EnvironmentKind<SqliteConfig, typeof sqliteSchema> = {
  kind: 'sqlite',
  schema: sqliteSchema,
  templates: templatesOf,
  reads: () => [],
  tools: ({ tools }) => (typeof tools === 'string' ? undefined : tools.map(toolOf)),
  check: async (config) => {
    const { checkDatabase } = await import('./check-database.ts');
    return checkDatabase(config);
  },
  checkQueries: async (config, queries) => {
    const { checkQueries } = await import('./check-database.ts');
    return checkQueries(config, queries);
  },
  open: async (config, options) => {
    // SQLite is loaded where a row needs it.
    const { openDatabase } = await import('./open-database.ts');
    return openDatabase(config, options);
  },
};

function templatesOf({ schema: tables, rows = {}, seed, now, tools }: SqliteConfig): readonly RowTemplate[] {
  const texts = Object.entries({ schema: tables, seed, now });
  const lists = [
    ...Object.entries(rows).map(([table, given]) => [['rows', table], given] as const),
    [['tools'], tools] as const,
  ];
  return [
    ...texts.flatMap(([key, source]): RowTemplate[] =>
      source === undefined ? [] : [{ source, field: [key], as: 'text' }],
    ),
    ...lists.flatMap(([field, source]): RowTemplate[] =>
      typeof source === 'string' ? [{ source, field, as: 'value' }] : [],
    ),
  ];
}
