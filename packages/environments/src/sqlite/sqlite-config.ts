import { type Fields, isFields } from '@data-designer/core';
import { z } from 'zod';
import { toolFields } from '../declared-tools.ts';
import { environmentName, toolPrefix } from '../environment-kind.ts';

/** A tool that runs SQL with its arguments as parameters. */
export const sqliteTool = z.strictObject({
  ...toolFields,
  sql: z
    .union([z.string().regex(/\S/), z.array(z.string().regex(/\S/)).min(1)])
    .describe(
      'One or several SQL statements in one transaction. `:name` is the argument of that name. The model receives the rows of the last statement that returns rows.',
    ),
});

/** A tool as it runs. */
export type SqliteTool = z.output<typeof sqliteTool>;

/** The schema of a declaration. */
export const sqliteSchema = z
  .strictObject({
    name: environmentName,
    kind: z.literal('sqlite').describe('A SQLite database in memory, fresh for each row.'),
    toolPrefix,
    schema: z.string().regex(/\S/).describe('SQL that creates the tables; a template over the row.'),
    rows: z
      .record(z.string(), z.union([z.string(), z.array(z.record(z.string(), z.unknown()))]))
      .exactOptional()
      .describe('For each table, its first rows: a list, or a template that gives a list, as in {{ accounts }}.'),
    seed: z.string().exactOptional().describe('SQL that fills the tables; a template over the row.'),
    now: z
      .string()
      .exactOptional()
      .describe(
        'The time of the clock of the database, as ISO date with time; a template over the row. Without `now`, SQL that reads the time fails.',
      ),
    tools: z
      .union([z.array(sqliteTool), z.string()])
      .describe('The tools, or a template that gives a list of them, as in {{ tools }}.'),
  })
  .describe('A SQLite database of the row.');

/** A parsed declaration. */
export type SqliteConfig = z.output<typeof sqliteSchema>;

/** The statements of a tool. */
export function statementsOf({ sql }: Pick<SqliteTool, 'sql'>): readonly string[] {
  return typeof sql === 'string' ? [sql] : sql;
}

/** The names of a tool's arguments; undefined if it takes any. */
export function argumentNames({ parameters }: Pick<SqliteTool, 'parameters'>): readonly string[] | undefined {
  const { properties } = parameters as Fields;
  return isFields(properties) ? Object.keys(properties) : undefined;
}
