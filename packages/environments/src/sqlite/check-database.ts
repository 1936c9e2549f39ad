import { isTemplate } from '@data-designer/template';
import { knownNames, messageOf, Random } from '@data-designer/core';
import { toolMistakes } from '../declared-tools.ts';
import { type EnvironmentMistake, mistake } from '../environment-kind.ts';
import { quoted, SqlDatabase } from './sql-database.ts';
import { columnsOf } from './tables-of.ts';
import { argumentNames, type SqliteConfig, type SqliteTool, statementsOf } from './sqlite-config.ts';
import { insertRows } from './open-database.ts';

/** Finds parameters of SQL that no argument gives, and SQL that cannot run on tables that are the same in every row. */
export async function checkDatabase(config: SqliteConfig): Promise<readonly EnvironmentMistake[]> {
  const { tools } = config;
  if (typeof tools === 'string') return [];
  const mistakes = tools.flatMap((_, index) => toolMistakes(tools, index));
  return [...mistakes, ...(await checkStatements(config, tools))];
}

/** What no check depends on. */
const SOURCES = { random: Random.of(0, '').at(0), now: 0 };

/** Statements after which a state has other tables than the schema says. */
const CHANGES_TABLES = /\b(?:create|alter|drop)\b/i;

/** Compiles queries over the tables that a state has, unless their shape depends on the row or on calls of tools. */
export async function checkQueries(
  { schema, seed = '', tools }: SqliteConfig,
  queries: readonly string[],
): Promise<readonly (string | undefined)[]> {
  const calls = typeof tools === 'string' ? undefined : tools.flatMap(statementsOf);
  const isSame = calls && ![schema, seed].some(isTemplate) && ![seed, ...calls].some((sql) => CHANGES_TABLES.test(sql));
  const tables = isSame === true ? await tablesAfter(schema) : undefined;
  if (!tables) return queries.map(() => undefined);
  const db = await SqlDatabase.open();
  try {
    for (const [table, columns] of tables) {
      db.run([`CREATE TABLE ${quoted(table)} (${columns.map(quoted).join(', ')})`], SOURCES);
    }
    return queries.map((sql) => failureOf(() => db.compile([sql], { ...SOURCES, now: undefined })));
  } finally {
    db.close();
  }
}

/** The tables that a schema makes, with their columns; undefined if it cannot run, which is a mistake of its own. */
async function tablesAfter(schema: string): Promise<ReturnType<typeof columnsOf> | undefined> {
  const db = await SqlDatabase.open();
  try {
    return failureOf(() => db.run([schema], SOURCES)) === undefined ? columnsOf(db) : undefined;
  } finally {
    db.close();
  }
}

/** Compiles the SQL of an environment whose tables are the same in every row. */
async function checkStatements(
  { schema, rows = {}, seed }: SqliteConfig,
  tools: readonly SqliteTool[],
): Promise<readonly EnvironmentMistake[]> {
  if (isTemplate(schema)) return [];
  const db = await SqlDatabase.open();
  try {
    const failure = failureOf(() => db.run([schema], SOURCES));
    if (failure !== undefined) return [mistake(['schema'], `the SQL cannot run: ${failure}.`, 'Correct it.')];
    const found: EnvironmentMistake[] = [];
    for (const [table, given] of Object.entries(rows)) {
      const listed = typeof given === 'string' ? [] : (given as Parameters<typeof insertRows>[1]['rows']);
      const reason = failureOf(() => insertRows(db, { table, rows: listed }, SOURCES));
      if (reason !== undefined)
        found.push(mistake(['rows', table], `the rows cannot be inserted: ${reason}.`, 'Correct them.'));
    }
    if (found.length === 0 && seed !== undefined && !isTemplate(seed)) {
      const reason = failureOf(() => db.run([seed], SOURCES));
      if (reason !== undefined && Object.values(rows).every((given) => typeof given !== 'string')) {
        found.push(mistake(['seed'], `the SQL cannot run: ${reason}.`, 'Correct it.'));
      }
    }
    tools.forEach((tool, index) => found.push(...mistakesOf(db, tool, index)));
    return found;
  } finally {
    db.close();
  }
}

function mistakesOf(db: SqlDatabase, tool: SqliteTool, index: number): readonly EnvironmentMistake[] {
  const at = ['tools', index, 'sql'];
  let names: ReadonlySet<string> = new Set();
  const reason = failureOf(() => void (names = db.compile(statementsOf(tool), SOURCES)));
  if (reason !== undefined) return [mistake(at, `the SQL of '${tool.name}' cannot run: ${reason}.`, 'Correct it.')];
  const known = argumentNames(tool);
  return [...names]
    .filter((name) => known?.includes(name) === false)
    .map((name) =>
      mistake(at, `the SQL reads ':${name}', which is no argument of '${tool.name}'.`, knownNames(name, known ?? [])),
    );
}

function failureOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (thrown) {
    return messageOf(thrown).replace(/\.$/, '');
  }
}
