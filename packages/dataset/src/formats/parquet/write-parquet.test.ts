import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parquetMetadata, parquetSchema } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Batch, field } from '@data-designer/core';
import { pageCodec } from './parquet-codec.ts';
import { FIELDS_KEY, parquetSchema as parquetSchemaOf } from './parquet-schema.ts';
import { readRows } from './read-parquet.ts';
import { fileBytes, writeDataFile } from '../../../test/data-files.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'write-parquet-'));
});
afterAll(() => rm(folder, { recursive: true }));

const BATCH: Batch = {
  fields: [field('name', 'utf8', { nullable: false }), field('tags', { list: 'utf8' })],
  columns: new Map<string, readonly (string | readonly string[])[]>([
    ['name', ['a', 'b']],
    ['tags', [['x'], []]],
  ]),
  rows: 2,
};

test('a batch is one row group, however many rows it has', async () => {
  const rows = 250_000;
  const columns = new Map([['n', Float64Array.from({ length: rows }, (_, row) => row)]]);
  const bytes = await fileBytes({ fields: [field('n', 'float64')], columns, rows }, 'parquet');
  const { row_groups, num_rows } = parquetMetadata(bytes.slice().buffer);
  expect(row_groups.length).toBe(1);
  expect(num_rows).toBe(250_000n);
});

test('lists have the three levels of the standard, and required columns are required', async () => {
  const root = parquetSchema(parquetMetadata((await fileBytes(BATCH, 'parquet')).slice().buffer));
  const [name, tags] = root.children;
  expect(name?.element).toMatchObject({ repetition_type: 'REQUIRED', logical_type: { type: 'STRING' } });
  expect(tags?.element).toMatchObject({ repetition_type: 'OPTIONAL', logical_type: { type: 'LIST' } });
  expect(tags?.children[0]?.element).toMatchObject({ name: 'list', repetition_type: 'REPEATED' });
  expect(tags?.children[0]?.children[0]?.element).toMatchObject({ name: 'element', repetition_type: 'OPTIONAL' });
});

test('a file written in pieces equals one made in memory', { tags: 'long' }, async () => {
  const rows = 20_000;
  const text = Array.from({ length: rows }, (_, row) => `${Math.sin(row)} ${row * 7919}`);
  const huge = Array.from({ length: rows }, (_, row) => (row === 17 ? 'z'.repeat(3_000_000) : null));
  const batch: Batch = {
    fields: [field('text', 'utf8'), field('huge', 'utf8')],
    columns: new Map([
      ['text', text],
      ['huge', huge],
    ]),
    rows,
  };
  const path = join(folder, 'pieces.parquet');
  await writeDataFile(path, batch);
  const inMemory = parquetWriteBuffer({
    schema: parquetSchemaOf(batch.fields),
    columnData: Array.from(batch.columns, ([name, data]) => ({ name, data: Array.from<unknown>(data) })),
    ...pageCodec(),
    rowGroupSize: rows,
    kvMetadata: [{ key: FIELDS_KEY, value: JSON.stringify(batch.fields) }],
    createdBy: 'data-designer',
  });
  expect(Buffer.compare(await readFile(path), Buffer.from(inMemory))).toBe(0);
});

test('zeros keep their sign', async () => {
  const zeros = Array.from({ length: 5000 }, (_, row) => (row % 2 === 0 ? 0 : -0));
  const path = join(folder, 'zeros.parquet');
  await writeDataFile(path, { fields: [field('zero', 'float64')], columns: new Map([['zero', zeros]]), rows: 5000 });
  const read = [];
  for await (const { zero } of readRows([path])) read.push(zero);
  expect(read).toEqual(zeros);
});

test('a struct without members is rejected by name', async () => {
  const columns = new Map([['empty', [{}]]]);
  const batch = { fields: [field('empty', { struct: [] })], columns, rows: 1 };
  await expect(fileBytes(batch, 'parquet')).rejects.toThrow(
    "Column 'empty' is a struct without fields, which Parquet cannot store.",
  );
});

test('pages are Snappy if Node has no zstd', { tags: 'long' }, async () => {
  const path = join(folder, 'snappy.parquet');
  const withoutZstd = `
    import zlib from 'node:zlib';
    import { syncBuiltinESMExports } from 'node:module';
    delete zlib.zstdCompressSync;
    delete zlib.zstdDecompressSync;
    syncBuiltinESMExports();
    const { writeDataFile } = await import(${JSON.stringify(import.meta.resolve('../../../test/data-files.ts'))});
    const fields = [{ name: 'n', type: 'utf8', nullable: true }];
    await writeDataFile(${JSON.stringify(path)}, { fields, columns: new Map([['n', ['a', 'b']]]), rows: 2 });`;
  const node = promisify(execFile);
  await node(process.execPath, ['--conditions=@data-designer/source', '--input-type=module', '-e', withoutZstd]);
  const bytes = await readFile(path);
  expect(parquetMetadata(new Uint8Array(bytes).buffer).row_groups[0]?.columns[0]?.meta_data?.codec).toBe('SNAPPY');
  const rows = [];
  for await (const row of readRows([path])) rows.push(row);
  expect(rows).toEqual([{ n: 'a' }, { n: 'b' }]);
});
