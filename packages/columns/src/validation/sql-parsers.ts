import { fieldsOf } from '@data-designer/core';

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
    const { message, sqlDetails } = fieldsOf(thrown);
    const said = String(message).replace(/^sql parser error: /, '');
    const position = fieldsOf(sqlDetails)['cursorPosition'];
    return sql === undefined || typeof position !== 'number' ? said : `${said} at ${lineAndColumnOf(sql, position)}`;
  }
}

/** A position, in characters from 0, as the other parser tells it. */
function lineAndColumnOf(sql: string, position: number): string {
  const before = Array.from(sql).slice(0, position).join('').split('\n');
  return `Line: ${before.length}, Column: ${Array.from(before.at(-1) ?? '').length + 1}`;
}

interface Fault {
  /** Without this in the text the tree is not looked at. */
  readonly word: RegExp;
  /** Where the tree, as JSON, has it; within a string of that text its quotes would have backslashes. */
  readonly sign: RegExp;
  readonly reason: string;
}

const LIMIT: Fault = {
  word: /\blimit\b/i,
  sign: /[^\\]"limit": ?\{|[^\\]"OffsetCommaLimit"/,
  reason: 'T-SQL has no LIMIT: it has TOP, and OFFSET with FETCH',
};

const TOP: Fault = {
  word: /\btop\b/i,
  sign: /[^\\]"top": ?\{/,
  reason: 'only T-SQL has TOP: others have LIMIT or FETCH',
};

/** What the general parser lets pass in dialects that do not have it, and models often write. */
const FAULTS: Readonly<Partial<Record<SqlDialect, Fault>>> = {
  tsql: LIMIT,
  sqlite: TOP,
  bigquery: TOP,
  mysql: TOP,
  ansi: TOP,
};

/** What is no SQL of a dialect though it can be parsed; `treeOf` gives the parser's tree as JSON text. */
function dialectFault(sql: string, dialect: SqlDialect, treeOf: () => string): string | undefined {
  const fault = FAULTS[dialect];
  return fault?.word.test(sql) && fault.sign.test(treeOf()) ? fault.reason : undefined;
}

/** The dialects that SQL can be checked in. */
export type SqlDialect = 'sqlite' | 'tsql' | 'bigquery' | 'mysql' | 'postgres' | 'ansi';
