import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { withDuckDb, withSpillingDuckDb } from './with-duck-db.ts';

const rows = (sql: string) => withDuckDb(async (connection) => (await connection.runAndReadAll(sql)).getRowsJson());

test('reads json and parquet, and downloads no extensions', async () => {
  const builtIn = "SELECT extension_name FROM duckdb_extensions() WHERE loaded AND install_mode = 'STATICALLY_LINKED'";
  expect((await rows(builtIn)).flat()).toEqual(expect.arrayContaining(['json', 'parquet']));
  const settings = "SELECT value FROM duckdb_settings() WHERE name LIKE 'auto%known_extensions'";
  expect(await rows(settings)).toEqual([['false'], ['false']]);
});

test('locks the settings', async () => {
  await expect(rows('SET autoload_known_extensions = true')).rejects.toThrow('locked');
});

test('runs several queries at once, also after one fails', async () => {
  const uses = await Promise.allSettled([rows('SELECT 1'), rows('SELECT nothing'), rows('SELECT 2')]);
  expect(uses.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await rows('SELECT 3')).toEqual([[3]]);
});

const spill = { folder: join(tmpdir(), 'with-duck-db-spill'), signal: new AbortController().signal };

test('tries again with more memory when memory runs out', async () => {
  const limits: unknown[] = [];
  const use = async (connection: DuckDBConnection) => {
    const setting = await connection.runAndReadAll("SELECT value FROM duckdb_settings() WHERE name = 'memory_limit'");
    limits.push(...setting.getRowsJson().flat());
    if (limits.length < 2) throw new Error('Out of Memory Error: all is used');
    return limits.length;
  };
  expect(await withSpillingDuckDb(spill, use)).toBe(2);
  expect(new Set(limits).size).toBe(2);
  limits.length = 0;
  await expect(withSpillingDuckDb({ ...spill, isOnce: true }, use)).rejects.toThrow('Out of Memory');
});

test('prints times in UTC, and does not retry other failures', async () => {
  const sql = "SELECT TIMESTAMPTZ '2024-01-02 03:04:05+02' :: VARCHAR";
  const told = await withSpillingDuckDb(spill, async (connection) =>
    (await connection.runAndReadAll(sql)).getRowsJson(),
  );
  expect(told).toEqual([['2024-01-02 01:04:05+00']]);
  await expect(withSpillingDuckDb(spill, (connection) => connection.run('SELECT nothing'))).rejects.toThrow('nothing');
});
