/** The dialects that SQL can be checked in. */
export type SqlDialect = 'sqlite' | 'tsql' | 'bigquery' | 'mysql' | 'postgres' | 'ansi';
