import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { quotedText } from './sql-text.ts';
import { openConfinedDuckDb, prepareSelect, withDuckDb, withSpillingDuckDb } from './with-duck-db.ts';

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

/** Fails in a DuckDB that has run it before. */
const mark = () => rows('CREATE TABLE marked (x INT)');

test('a mistake within DuckDB ends that use alone: others are run again or get another DuckDB', async () => {
  await mark();
  await expect(mark()).rejects.toThrow('already exists');
  await expect(withDuckDb(() => Promise.reject(new Error('INTERNAL Error: index 1 of 1')))).rejects.toThrow(
    'index 1 of 1',
  );
  await mark();
  let runs = 0;
  const use = () => {
    if (runs++ === 0)
      throw new Error('FATAL Error: Failed: database has been invalidated because of a previous fatal error');
    return Promise.resolve(runs);
  };
  expect(await withDuckDb(use)).toBe(2);
  await mark();
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

test('a confined DuckDB reads the files of its folders only, and cannot be told otherwise', async () => {
  const folder = mkdtempSync(join(tmpdir(), "confined-duck-db's-"));
  mkdirSync(join(folder, 'open'));
  writeFileSync(join(folder, 'open', 'a.csv'), 'n\n1\n');
  writeFileSync(join(folder, 'secret.csv'), 'n\n2\n');
  const instance = await openConfinedDuckDb({
    readable: [join(folder, 'open')],
    folder: join(folder, 'spill'),
    megabytes: 512,
  });
  const connection = await instance.connect();
  const read = async (path: string) =>
    (await connection.runAndReadAll(`FROM ${quotedText(join(folder, path))}`)).getRowsJson();
  try {
    expect(await read('open/a.csv')).toEqual([['1']]);
    for (const path of ['secret.csv', 'open/../secret.csv', 'open/../*.csv', '*.csv'])
      await expect(read(path)).rejects.toThrow('disabled by configuration');
    for (const sql of [`COPY (SELECT 1) TO ${quotedText(join(folder, 'b.csv'))}`, 'INSTALL httpfs'])
      await expect(connection.run(sql)).rejects.toThrow(/disabled|IO Error/);
    for (const sql of ["SET allowed_directories = ['/']", 'SET enable_external_access = true'])
      await expect(connection.run(sql)).rejects.toThrow('locked');
    const writing = `COPY (SELECT 1) TO ${quotedText(join(folder, 'open', 'b.csv'))}`;
    for (const sql of [writing, `SELECT 1; ${writing}`, 'CREATE TABLE t AS SELECT 1'])
      await expect(prepareSelect(connection, sql)).rejects.toThrow(/Only a condition|multiple statements/);
    expect((await (await prepareSelect(connection, 'SELECT 1')).runAndReadAll()).getRowsJson()).toEqual([[1]]);
    expect(readdirSync(join(folder, 'open'))).toEqual(['a.csv']);
  } finally {
    connection.closeSync();
    instance.closeSync();
    rmSync(folder, { recursive: true });
  }
});
