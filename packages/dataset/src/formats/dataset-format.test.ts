import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { tableFromIPC } from 'apache-arrow';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ArrowField, type Batch, type CellValue, field, parseJson, stringifyJson } from '@data-designer/core';
import { writeDataFile } from '../../test/data-files.ts';
import { batchOf } from '../encode/row-chunks.ts';
import { exportRows } from '../export/export-rows.ts';
import { sumFile } from '../files/file-sum.ts';
import { BATCH_FORMATS, type BatchFormat, EXPORT_FORMATS, type ExportFormat, storageOf } from './formats.ts';
import { pageDecompressors } from './parquet/parquet-codec.ts';

const FIELDS: readonly ArrowField[] = [
  field('id', 'int64', { nullable: false }),
  field('share', 'float64'),
  field('flag', 'bool'),
  field('text', 'utf8'),
  field('tags', { list: 'utf8' }),
  field('point', { struct: [field('x', 'int64'), field('label', 'utf8')] }),
  field('any', 'utf8', { json: true }),
];

/** A row with a value of every type; every fourth has nulls. */
function rowOf(id: number): Record<string, CellValue> {
  if (id % 4 === 3) return { id, share: null, flag: null, text: null, tags: null, point: null, any: null };
  return {
    id,
    share: id + 0.5,
    flag: id % 2 === 0,
    text: `"ü", ${id}\n`,
    tags: ['a', null, String(id)],
    point: { x: id, label: null },
    any: { k: [id, true] },
  };
}

const rowsOf = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => rowOf(from + index));
const batch = (from: number, to: number): Batch => batchOf(rowsOf(from, to), FIELDS);

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'dataset-format-'))));
afterEach(() => rmSync(folder, { recursive: true }));

async function duckDb(sql: string): Promise<Record<string, unknown>[]> {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const rows = (await connection.runAndReadAll(sql)).getRowObjectsJS();
  connection.closeSync();
  return rows;
}

/** Readers that share no code with the writers. A new format adds its own. */
const OTHER_READERS: Record<ExportFormat, (path: string) => Promise<Record<string, unknown>[]>> = {
  parquet: async (path) =>
    parquetReadObjects({ file: await asyncBufferFromFile(path), compressors: pageDecompressors }),
  arrow: (path) => Promise.resolve(tableFromIPC(readFileSync(path)).toArray()),
  jsonl: (path) =>
    Promise.resolve(
      readFileSync(path, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line): Record<string, unknown> => JSON.parse(line)),
    ),
  csv: (path) => duckDb(`from read_csv('${path}', header = true, all_varchar = true)`),
};

/** One spelling for the values of all readers: vectors, structs, integers and JSON text as JSON. */
function spelled(name: string, value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return name === 'text' ? value : stringifyJson(parseJson(value));
  const text = JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? Number(part) : part));
  return stringifyJson(parseJson(text));
}

const spelledRows = (rows: readonly Record<string, unknown>[]) =>
  rows.map((row) => FIELDS.map(({ name }) => spelled(name, row[name])));

async function* streamed(rows: readonly Record<string, CellValue>[]) {
  yield* rows;
}

describe.each(BATCH_FORMATS)('datasets stored as %s', (format: BatchFormat) => {
  const pathOf = (name: string) => join(folder, `${name}.${format}`);
  const { loadReader, loadMerge } = storageOf(format);

  /** Three groups, the second of them empty, merged into one file. */
  async function merged() {
    const spans = [
      [0, 7],
      [7, 7],
      [7, 12],
    ] as const;
    const sources = [];
    for (const [group, [from, to]] of spans.entries()) {
      const path = pathOf(String(group));
      await writeDataFile(path, batch(from, to));
      sources.push({ path, span: { first: group, last: group } });
    }
    const pieces: Uint8Array[] = [];
    const merge = await loadMerge();
    const findGroups = await merge(sources, (bytes) => pieces.push(bytes.slice()));
    writeFileSync(pathOf('merged'), Buffer.concat(pieces));
    return { path: pathOf('merged'), groups: (await findGroups?.(pathOf('merged'))) ?? [] };
  }

  test('an independent reader finds the written rows', async () => {
    await writeDataFile(pathOf('one'), batch(0, 9));
    expect(spelledRows(await OTHER_READERS[format](pathOf('one')))).toEqual(spelledRows(rowsOf(0, 9)));
  });

  test('a merged file can be read from any row, counted, and searched by position', async () => {
    const { path } = await merged();
    const reader = await loadReader();
    expect(await reader.countRows(path)).toBe(12);
    for (const skip of [0, 3, 7, 9, 12, 20]) {
      expect((await Array.fromAsync(reader.readBlocks(path, skip))).flat()).toEqual(rowsOf(Math.min(skip, 12), 12));
    }
    expect(await reader.rowsAt(path, 2)).toEqual({ first: 0, rows: rowsOf(0, 7) });
    expect(await reader.rowsAt(path, 7)).toEqual({ first: 7, rows: rowsOf(7, 12) });
    expect(await reader.rowsAt(path, 12)).toBeUndefined();
    const access = await reader.openRows(path);
    expect(access.rows).toBe(12);
    expect(await access.at([5, 6, 7, 8])).toEqual(rowsOf(5, 9));
    expect(await access.at([9, 11], ['text', 'id'])).toEqual(
      [9, 11].flatMap((at) => rowsOf(at, at + 1).map(({ id, text }) => ({ id, text }))),
    );
    const batches = await Array.fromAsync(reader.recordBatches(path, FIELDS));
    expect(batches.reduce((rows, { numRows }) => rows + numRows, 0)).toBe(12);
  });

  test('a merge reports the position and checksum of each row group', async () => {
    const { path, groups } = await merged();
    expect(groups.map(({ group, rows }) => [group, rows])).toEqual([
      [0, 7],
      [1, 0],
      [2, 5],
    ]);
    const sums = await sumFile(path, groups);
    const only = groups.map((group, index) => ({ ...group, crc32: sums.inside[index] ?? 0 })).slice(2);
    const pieces: Uint8Array[] = [];
    await (
      await loadMerge()
    )([{ path, only }], (bytes) => pieces.push(bytes.slice()));
    writeFileSync(pathOf('last'), Buffer.concat(pieces));
    expect((await Array.fromAsync((await loadReader()).readBlocks(pathOf('last'), 0))).flat()).toEqual(rowsOf(7, 12));
  });

  test('files with different fields are not merged, and nothing is written', async () => {
    await writeDataFile(pathOf('a'), batch(0, 2));
    await writeDataFile(pathOf('b'), batchOf([{ id: 'x' }], [field('id', 'utf8')]));
    let appended = 0;
    const merge = await loadMerge();
    const found = await merge([{ path: pathOf('a') }, { path: pathOf('b') }], (bytes) => (appended += bytes.length));
    expect([found, appended]).toEqual([undefined, 0]);
  });

  test('a file that differs from its checksum is not merged', async () => {
    const path = pathOf('one');
    await writeDataFile(path, batch(0, 5));
    const { bytes, outside } = await sumFile(path);
    const merge = await loadMerge();
    const source = { path, sum: { bytes, rows: 5, crc32: outside ^ 1 } };
    await expect(merge([source], () => {})).rejects.toMatchObject({ code: 'dataset/damaged' });
  });

  test('a file without rows is readable, and a truncated one is dataset/damaged', async () => {
    const reader = await loadReader();
    await writeDataFile(pathOf('none'), batch(0, 0));
    expect([
      await reader.countRows(pathOf('none')),
      (await Array.fromAsync(reader.readBlocks(pathOf('none'), 0))).flat(),
    ]).toEqual([0, []]);
    await writeDataFile(pathOf('cut'), batch(0, 5));
    const checked = await reader.checkGroups(pathOf('cut'), { first: 4, last: 4 });
    expect([checked.groups, checked.failures]).toMatchObject([[{ group: 4, rows: 5 }], [undefined]]);
    writeFileSync(pathOf('cut'), readFileSync(pathOf('cut')).subarray(0, -20));
    for (const read of [
      () => reader.countRows(pathOf('cut')),
      async () => (await Array.fromAsync(reader.readBlocks(pathOf('cut'), 0))).flat(),
      () => reader.rowsAt(pathOf('cut'), 0),
      () => reader.openRows(pathOf('cut')),
      () => reader.checkGroups(pathOf('cut'), { first: 4, last: 4 }),
    ]) {
      await expect(read()).rejects.toMatchObject({ code: 'dataset/damaged', data: { path: pathOf('cut') } });
    }
  });
});

test.each(EXPORT_FORMATS)('values of every type are exported to %s', async (format) => {
  const path = join(folder, `all.${format}`);
  await exportRows({ records: streamed(rowsOf(0, 9)), fields: FIELDS }, path, format);
  expect(spelledRows(await OTHER_READERS[format](path))).toEqual(spelledRows(rowsOf(0, 9)));
});
