import { expect, test } from 'vitest';
import { withDuckDb } from '../duck-db/with-duck-db.ts';
import { filteredSql, orderedSql, shuffledIndexSql, shuffledSql } from './ordered-sql.ts';

const wanted = ['n AS "n"'];
const of = (rows: number) => ({
  id: 'seed',
  filters: [],
  table: `(SELECT range AS n FROM range(${rows}))`,
  wanted,
  names: ['n'],
});

const column = (sql: string) =>
  withDuckDb(async (connection) => (await connection.runAndReadAll(sql)).getRowsJson().map(([value]) => Number(value)));

test('applies all filters and quotes their texts', () => {
  const filters = [
    { column: 'a"b', oneOf: ["x'); --", 'y'] },
    { column: 'age', from: 1, to: 2 },
  ];
  expect(filteredSql('t', filters)).toBe(
    `SELECT * FROM t WHERE CAST("a""b" AS VARCHAR) IN ('x''); --', 'y') AND "age" BETWEEN 1 AND 2`,
  );
  expect(filteredSql('t', [{ column: 'a', oneOf: [] }])).toBe('SELECT * FROM t WHERE false');
});

test('selects no more rows than the selection and the run have', async () => {
  expect(await column(orderedSql(of(9), { first: 2, rows: 3 }, 100))).toEqual([2, 3, 4]);
  expect(await column(orderedSql(of(9), { first: 2, rows: 3 }, 2))).toEqual([2, 3]);
});

test('orders indexes like the rows', async () => {
  const drawn = { rows: 70, seed: 11 };
  const rows = await column(shuffledSql(of(30), { first: 0, rows: 30 }, drawn));
  expect(await column(shuffledIndexSql('seed', 30, drawn))).toEqual(rows);
  expect(rows).toHaveLength(70);
});

test('names the columns of the order differently from those of the table', () => {
  const sql = shuffledSql(
    { ...of(3), names: ['ROW_INDEX', 'row_index_', 'pass'] },
    { first: 0, rows: 3 },
    { rows: 3, seed: 1 },
  );
  expect(sql).toContain('AS row_index__ ');
  expect(sql).toContain('AS pass_ ');
});
