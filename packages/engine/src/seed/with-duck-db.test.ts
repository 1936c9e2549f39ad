import { expect, test } from 'vitest';
import { withDuckDb } from './with-duck-db.ts';

const rows = (sql: string) => withDuckDb(async (connection) => (await connection.runAndReadAll(sql)).getRowsJson());

test('json and parquet are built in, and nothing is fetched to read anything else', async () => {
  const builtIn = "SELECT extension_name FROM duckdb_extensions() WHERE loaded AND install_mode = 'STATICALLY_LINKED'";
  expect((await rows(builtIn)).flat()).toEqual(expect.arrayContaining(['json', 'parquet']));
  const settings = "SELECT value FROM duckdb_settings() WHERE name LIKE 'auto%known_extensions'";
  expect(await rows(settings)).toEqual([['false'], ['false']]);
});

test('settings stay as they are', async () => {
  await expect(rows('SET autoload_known_extensions = true')).rejects.toThrow('locked');
});

test('one database serves uses beside each other, also after one failed', async () => {
  const uses = await Promise.allSettled([rows('SELECT 1'), rows('SELECT nothing'), rows('SELECT 2')]);
  expect(uses.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await rows('SELECT 3')).toEqual([[3]]);
});
