import { expect, test } from 'vitest';
import type { CodeVerdict } from './code-check.ts';
import { sqlCheck } from './sql-check.ts';
import type { SqlDialect } from './sql-parsers.ts';

const DIALECTS = ['sqlite', 'tsql', 'bigquery', 'mysql', 'postgres', 'ansi'] as const;

const judges = new Map<SqlDialect, (sql: string) => CodeVerdict>(
  await Promise.all(DIALECTS.map(async (dialect) => [dialect, await sqlCheck(dialect).open()] as const)),
);
const judge = (dialect: SqlDialect, sql: string) => judges.get(dialect)?.(sql);

const ANYWHERE = [
  'SELECT 1',
  "SELECT a, count(*) AS n FROM t WHERE b = 'x' GROUP BY a HAVING count(*) > 2 ORDER BY n DESC",
  'WITH c AS (SELECT a FROM t) SELECT c.a FROM c LEFT JOIN s ON s.a = c.a',
  "INSERT INTO t (a, b) VALUES (1, 'x'), (2, NULL)",
  'UPDATE t SET a = 1 WHERE b IN (SELECT b FROM s)',
  'DELETE FROM t WHERE a BETWEEN 1 AND 2',
  'CREATE TABLE t (a INTEGER NOT NULL, b VARCHAR(10), PRIMARY KEY (a))',
  "SELECT CASE WHEN a > 1 THEN 'x' ELSE 'y' END FROM t UNION ALL SELECT b FROM s",
  'SELECT 1; SELECT 2;',
  '-- a remark alone',
  '/* a remark */ SELECT 1',
  '',
  ' \n',
  ';',
];

const NOWHERE = [
  'SELEC 1',
  'SELECT * FORM t',
  'SELECT a FROM',
  'SELECT a FROM t WHERE',
  'SELECT a,, b FROM t',
  'SELECT (1',
  "SELECT * FROM t WHERE a = 'x",
  'INSERT INTO',
  'SELECT a FROM t ORDER',
  'SELECT * FROM {{ table }}',
  '```sql\nSELECT 1\n```',
  'Here is the query you asked for.',
  'SELECT 1\0',
];

test.each(DIALECTS)('%s accepts SQL that all dialects share', (dialect) => {
  expect(ANYWHERE.filter((sql) => judge(dialect, sql)?.is_valid !== true)).toEqual([]);
});

test.each(DIALECTS)('%s refuses SQL that no dialect accepts, and reports the position', (dialect) => {
  expect(NOWHERE.filter((sql) => judge(dialect, sql)?.is_valid !== false)).toEqual([]);
  expect(judge(dialect, 'SELECT *\nFORM t')).toEqual({
    is_valid: false,
    error_messages: expect.stringMatching(/^PRS: .*Line: 2, Column: 1$/),
  });
});

test.each<[SqlDialect, string, boolean]>([
  ['tsql', 'SELECT TOP 5 [a] FROM [t]', true],
  ['tsql', 'SELECT a FROM t ORDER BY a OFFSET 3 ROWS FETCH NEXT 2 ROWS ONLY', true],
  ['tsql', 'SELECT a FROM t LIMIT 5', false],
  ['tsql', 'SELECT \'"limit": {\' AS a /* limit */ FROM t', true],
  ['tsql', 'SELECT `a` FROM t', false],
  ['tsql', 'SELECT 1\nGO\nSELECT 2\ngo', true],
  ['tsql', 'DECLARE @x INT = 5; SELECT @x', true],
  ['tsql', 'CREATE TABLE t (id INT IDENTITY(1,1) PRIMARY KEY, n NVARCHAR(MAX))', true],
  ['tsql', 'SELECT * FROM t CROSS APPLY f(t.a) x', true],
  ['sqlite', 'SELECT [a], "b", `c` FROM t LIMIT 5, 10', true],
  ['sqlite', 'SELECT TOP 5 a FROM t', false],
  ['sqlite', 'INSERT OR REPLACE INTO t VALUES (1)', true],
  ['sqlite', 'CREATE TABLE t (a INTEGER PRIMARY KEY AUTOINCREMENT) STRICT', true],
  ['sqlite', "SELECT a FROM `t` WHERE b REGEXP 'x'", true],
  ['mysql', 'SELECT `a` FROM `t` LIMIT 5, 10', true],
  ['mysql', 'SELECT TOP 5 a FROM t', false],
  ['mysql', 'INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE a = 1', true],
  ['mysql', "SELECT GROUP_CONCAT(a ORDER BY b SEPARATOR ',') FROM t", true],
  ['mysql', 'SELECT a FROM t # a remark', true],
  ['bigquery', 'SELECT * EXCEPT (a) FROM `p.d.t`', true],
  ['bigquery', 'SELECT a, FROM t', true],
  ['bigquery', 'SELECT ARRAY_AGG(a ORDER BY b LIMIT 3) FROM t, UNNEST(c) AS d', true],
  ['bigquery', 'SELECT TOP 5 a FROM t', false],
  ['bigquery', 'SELECT [a] FROM [t]', false],
  ['postgres', "SELECT a::int, b ->> 'c' FROM t LIMIT 5", true],
  ['postgres', 'SELECT DISTINCT ON (a) a FROM t', true],
  ['postgres', 'INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING RETURNING *', true],
  ['postgres', 'CREATE FUNCTION f() RETURNS int AS $$ SELECT 1 $$ LANGUAGE sql', true],
  ['postgres', 'SELECT `a` FROM t', false],
  ['postgres', 'SELECT [a] FROM t', false],
  ['postgres', 'SELECT TOP 5 a FROM t', false],
  ['postgres', 'SELECT a FROM t LIMIT 5, 10', false],
  ['postgres', 'SELECT a FROM t GROUP BY a WITH ROLLUP', false],
  ['ansi', 'SELECT a FROM t FETCH FIRST 5 ROWS ONLY', true],
  ['ansi', 'SELECT TOP 5 a FROM t', false],
  ['ansi', 'SELECT sum(a) OVER (ORDER BY b ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t', true],
  ['ansi', 'SELECT [a] FROM [t]', false],
])('%s: %s', (dialect, sql, isValid) => {
  expect(judge(dialect, sql)?.is_valid).toBe(isValid);
});

test.each(DIALECTS)('%s: reports a decimal without a scale in addition to other errors', (dialect) => {
  const told = { is_valid: false, error_messages: expect.stringMatching(/^DECIMAL [^\n]*$/) };
  expect(judge(dialect, 'CREATE TABLE t (a DECIMAL(10))')).toEqual(told);
  expect(judge(dialect, 'CREATE TABLE t (a DECIMAL(10, 2))')).toEqual({ is_valid: true, error_messages: '' });
  expect(judge(dialect, 'CREATE TABEL t (a DECIMAL(10))')).toEqual({
    is_valid: false,
    error_messages: expect.stringMatching(/^PRS: [^\n]*\nDECIMAL /),
  });
});

test('reports positions in characters', () => {
  expect(judge('postgres', "SELECT 'é😀' FORM t")?.['error_messages']).toMatch(/at Line: 1, Column: 18$/);
});

test.each(DIALECTS)('%s: excessive nesting is an error, and the parser works afterwards', (dialect) => {
  expect(judge(dialect, `SELECT ${'('.repeat(100_000)}`)?.is_valid).toBe(false);
  expect(judge(dialect, 'SELECT 1')?.is_valid).toBe(true);
});

test('SQL that is too long is not checked, and a message says so', () => {
  expect(judge('postgres', 'SELECT 1;\n'.repeat(200_000))).toEqual({
    is_valid: null,
    error_messages: expect.stringContaining('longer than'),
  });
});
