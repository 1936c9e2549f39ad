import { fieldsOf } from '@data-designer/core';

/** Describes the syntax error in SQL text; undefined if it is valid. */
export type ParseSql = (sql: string) => string | undefined;

/** The general parser's names of the dialects; Postgres has its own parser. */
const PARSED_AS = { sqlite: 'sqlite', tsql: 'mssql', bigquery: 'bigquery', mysql: 'mysql', ansi: 'ansi' } as const;

/** Loads the parser of a dialect. */
export function loadSqlParser(dialect: SqlDialect): Promise<ParseSql> {
  return dialect === 'postgres' ? loadPostgres() : loadGeneral(dialect);
}

/** `GO` lines, which T-SQL clients treat as batch separators; for the parser they end a statement. */
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

/** The parser of PostgreSQL itself. */
async function loadPostgres(): Promise<ParseSql> {
  const { loadModule, parseSync } = await import('pgsql-parser');
  await loadModule();
  return (sql) => {
    // It stops at a NUL character and rejects empty text.
    if (sql.includes('\0')) return 'invalid character of number 0';
    return sql.trim() === '' ? undefined : parseFault(() => void parseSync(sql), sql);
  };
}

/** The message of a parser's exception; the position is appended unless the message has it. */
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

/** Formats a character offset as the general parser does. */
function lineAndColumnOf(sql: string, position: number): string {
  const before = Array.from(sql).slice(0, position).join('').split('\n');
  return `Line: ${before.length}, Column: ${Array.from(before.at(-1) ?? '').length + 1}`;
}

interface Fault {
  /** The tree is examined only if the text contains this word. */
  readonly word: RegExp;
  /** The node in the tree's JSON; in a string literal its quotes would be escaped. */
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

/** Clauses of other dialects that the general parser accepts and models often write. */
const FAULTS: Readonly<Partial<Record<SqlDialect, Fault>>> = {
  tsql: LIMIT,
  sqlite: TOP,
  bigquery: TOP,
  mysql: TOP,
  ansi: TOP,
};

/** Finds a parsed clause that the dialect does not have; `treeOf` returns the tree as JSON text. */
function dialectFault(sql: string, dialect: SqlDialect, treeOf: () => string): string | undefined {
  const fault = FAULTS[dialect];
  return fault?.word.test(sql) && fault.sign.test(treeOf()) ? fault.reason : undefined;
}

/** The SQL dialects that can be checked. */
export type SqlDialect = 'sqlite' | 'tsql' | 'bigquery' | 'mysql' | 'postgres' | 'ansi';
