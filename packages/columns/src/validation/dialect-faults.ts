import type { SqlDialect } from './sql-dialect.ts';

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
export function dialectFault(sql: string, dialect: SqlDialect, treeOf: () => string): string | undefined {
  const fault = FAULTS[dialect];
  return fault?.word.test(sql) && fault.sign.test(treeOf()) ? fault.reason : undefined;
}
