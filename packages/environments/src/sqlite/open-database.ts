import { type CellValue, isFields, isList, messageOf, stringifyJson } from '@data-designer/core';
import { readMoment } from '@data-designer/core/read-moment';
import { NO_SUCH_TOOL, toolOf, toolsOfRow } from '../declared-tools.ts';
import {
  type CallResult,
  type EnvironmentCall,
  fieldKey,
  type OpenEnvironment,
  type OpenOptions,
  unanswered,
} from '../environment-kind.ts';
import { shownStart } from '../json-in.ts';
import { quoted, SqlDatabase, SqlFailure, type SqlSources } from './sql-database.ts';
import { tablesOf } from './tables-of.ts';
import { type SqliteConfig, type SqliteTool, sqliteTool, statementsOf } from './sqlite-config.ts';

/** What the database of a row begins with. */
interface Opening {
  readonly schema: string;
  readonly rows: Readonly<Record<string, CellValue>>;
  readonly seed: string | undefined;
  readonly now: string | undefined;
  readonly tools: readonly SqliteTool[];
}

/** Opens the database of a row; throws an `Error` with the reason where its SQL or its rows cannot be used. */
export async function openDatabase(config: SqliteConfig, options: OpenOptions): Promise<OpenEnvironment> {
  const { schema, rows, seed, now, tools } = openingOf(config, options);
  const time = now === undefined ? undefined : timeOf(now);
  const sources = { random: options.random, now: time };
  const db = await SqlDatabase.open();
  try {
    during('schema', () => db.run([schema], sources));
    for (const [table, list] of Object.entries(rows)) {
      during(`rows.${table}`, () => insertRows(db, { table, rows: listOf(list) }, sources));
    }
    if (seed !== undefined) during('seed', () => db.run([seed], sources));
  } catch (thrown) {
    db.close();
    throw thrown;
  }
  return new DatabaseOfRow(db, tools, time);
}

function openingOf(config: SqliteConfig, { values }: Pick<OpenOptions, 'values'>): Opening {
  const valueOf = (...field: readonly string[]) => values[fieldKey(field)] ?? null;
  const textOf = (field: 'schema' | 'seed' | 'now') => {
    if (config[field] === undefined) return undefined;
    const value = valueOf(field);
    if (typeof value !== 'string' || value.trim() === '')
      throw new Error(`its ${field} is no text: ${shownStart(value)}`);
    return value;
  };
  const rows = Object.entries(config.rows ?? {}).map(([table, given]) => [
    table,
    typeof given === 'string' ? valueOf('rows', table) : (given as CellValue),
  ]);
  return {
    schema: textOf('schema') ?? '',
    rows: Object.fromEntries(rows),
    seed: textOf('seed'),
    now: textOf('now'),
    tools: typeof config.tools === 'string' ? toolsOfRow(sqliteTool, valueOf('tools')) : config.tools,
  };
}

function during(part: string, work: () => unknown): void {
  try {
    work();
  } catch (thrown) {
    throw new Error(`its ${part} cannot be used: ${messageOf(thrown)}`, { cause: thrown });
  }
}

/** The time of an ISO date in ms since 1970; one without a zone is in UTC. */
function timeOf(text: string): number {
  const moment = readMoment(text);
  if (moment === undefined) throw new Error(`its now is no ISO date with time: ${stringifyJson(text.slice(0, 80))}`);
  return Math.floor(moment / 1000);
}

type TableRow = Readonly<Record<string, CellValue>>;

/** A list of records, as a value or as JSON text. */
function listOf(value: CellValue): readonly TableRow[] {
  const list = typeof value === 'string' ? parsed(value) : value;
  if (list === null) return [];
  if (!isList(list as CellValue)) throw new Error(`the value is not a list of objects: ${shownStart(value)}`);
  return (list as readonly CellValue[]).map((row) => {
    if (isFields(row)) return row;
    throw new Error(`the list has an item that is no object: ${shownStart(row)}`);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`the text is no JSON: ${shownStart(text)}`);
  }
}

/** Inserts records into a table, each with the columns that it has. */
export function insertRows(
  db: SqlDatabase,
  { table, rows }: { readonly table: string; readonly rows: readonly TableRow[] },
  sources: SqlSources,
): void {
  for (let at = 0; at < rows.length;) {
    const names = Object.keys(rows[at] ?? {});
    const from = at;
    do at++;
    while (at < rows.length && hasKeys(rows[at] ?? {}, names));
    const alike = rows.slice(from, at);
    const columns = names.map(quoted).join(', ');
    const places = names.map((_, place) => `:v${place}`).join(', ');
    const sql =
      names.length === 0
        ? `INSERT INTO ${quoted(table)} DEFAULT VALUES`
        : `INSERT INTO ${quoted(table)} (${columns}) VALUES (${places})`;
    const values = alike.map((row) => Object.fromEntries(names.map((name, place) => [`v${place}`, row[name] ?? null])));
    db.runEach(sql, sources, values);
  }
  if (rows.length === 0) db.compile([`SELECT 1 FROM ${quoted(table)}`], sources);
}

function hasKeys(row: TableRow, names: readonly string[]): boolean {
  const keys = Object.keys(row);
  return keys.length === names.length && keys.every((key, at) => key === names[at]);
}

/** The database of a row. */
class DatabaseOfRow implements OpenEnvironment {
  readonly tools: OpenEnvironment['tools'];
  readonly #db: SqlDatabase;
  readonly #declared: readonly SqliteTool[];
  readonly #byName: ReadonlyMap<string, SqliteTool>;
  readonly #now: number | undefined;

  constructor(db: SqlDatabase, tools: readonly SqliteTool[], now: number | undefined) {
    this.#db = db;
    this.#declared = tools;
    this.#byName = new Map(tools.map((tool) => [tool.name, tool]));
    this.tools = tools.map(toolOf);
    this.#now = now;
  }

  async call({ name, arguments: args, random }: EnvironmentCall): Promise<CallResult> {
    const tool = this.#byName.get(name);
    if (!tool) return NO_SUCH_TOOL;
    try {
      const { rows, changes } = this.#db.run(statementsOf(tool), { random, now: this.#now }, args);
      return { text: stringifyJson(rows ?? { changes }), failed: false };
    } catch (thrown) {
      const text = messageOf(thrown);
      // A call that took too long is no part of what must be the same in every run.
      const isLate = thrown instanceof SqlFailure && thrown.isLate;
      return { text, failed: true, ...(isLate && { outcome: unanswered(text) }) };
    }
  }

  mark(): void {
    this.#db.mark();
  }

  undo(): void {
    this.#db.undo();
  }

  release(): void {
    this.#db.release();
  }

  fork(): OpenEnvironment {
    return new DatabaseOfRow(this.#db.fork(), this.#declared, this.#now);
  }

  async snapshot(): Promise<CellValue> {
    return tablesOf(this.#db);
  }

  close(): void {
    this.#db.close();
  }
}
