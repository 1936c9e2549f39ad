import { dialectFault } from './dialect-faults.ts';
import type { SqlDialect } from './sql-dialect.ts';

/** What is wrong with SQL text, in words; undefined where nothing is. */
export type ParseSql = (sql: string) => string | undefined;

/** What the general parser calls the dialects; Postgres has one of its own. */
const PARSED_AS = { sqlite: 'sqlite', tsql: 'mssql', bigquery: 'bigquery', mysql: 'mysql', ansi: 'ansi' } as const;

/** Loads the parser of a dialect, once a thread. */
export function loadSqlParser(dialect: SqlDialect): Promise<ParseSql> {
  return dialect === 'postgres' ? loadPostgres() : loadGeneral(dialect);
}

/** The lines between which a T-SQL client sends one batch each: to the parser they end a statement. */
const BATCH_ENDS = /^[ \t]*GO(?:[ \t]+\d+)?[ \t]*;?[ \t]*$/gim;

async function loadGeneral(dialect: keyof typeof PARSED_AS): Promise<ParseSql> {
  const { init, Parser } = await import('@guanmingchiu/sqlparser-ts');
  await init();
  const name = PARSED_AS[dialect];
  return (sql) => {
    const text = dialect === 'tsql' ? sql.replace(BATCH_ENDS, ';') : sql;
    const fault = parseFault(() => void Parser.validate(text, name));
    return fault ?? dialectFault(text, dialect, () => Parser.parseToJson(text, name));
  };
}

/** The parser of PostgreSQL itself: what it refuses, the server does. */
async function loadPostgres(): Promise<ParseSql> {
  const { loadModule, parseSync } = await import('pgsql-parser');
  await loadModule();
  return (sql) => {
    // It reads as far as a character of number 0, and takes no empty text.
    if (sql.includes('\0')) return 'invalid character of number 0';
    return sql.trim() === '' ? undefined : parseFault(() => void parseSync(sql), sql);
  };
}

/** What a parser throws, as words; a place in the text is told where only its position is known. */
function parseFault(parse: () => void, sql?: string): string | undefined {
  try {
    parse();
    return undefined;
  } catch (thrown) {
    const said = (thrown as Error).message.replace(/^sql parser error: /, '');
    const position = (thrown as { readonly sqlDetails?: { readonly cursorPosition: number } }).sqlDetails
      ?.cursorPosition;
    return sql === undefined || position === undefined ? said : `${said} at ${lineAndColumnOf(sql, position)}`;
  }
}

/** A position, in characters from 0, as the other parser tells it. */
function lineAndColumnOf(sql: string, position: number): string {
  const before = Array.from(sql).slice(0, position).join('').split('\n');
  return `Line: ${before.length}, Column: ${Array.from(before.at(-1) ?? '').length + 1}`;
}
