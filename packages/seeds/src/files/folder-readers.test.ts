import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SeedConfig } from '@data-designer/config';
import type { CellValue } from '@data-designer/core';
import { materialiseTable } from '../tables/materialise-table.ts';
import { sourceState } from '../tables/table-record.ts';
import { tablesReader } from '../tables/table-reader.ts';
import { inspectSeed, seedSource } from '../inspect-seed.ts';

let folder: string;
const signal = new AbortController().signal;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'folder-rows-'));
  mkdirSync(join(folder, 'notes', 'deep'), { recursive: true });
  writeFileSync(join(folder, 'notes', 'b.txt'), 'second');
  writeFileSync(join(folder, 'notes', 'a.txt'), 'first\n');
  writeFileSync(join(folder, 'notes', 'deep', 'c.txt'), '');
});

afterEach(() => rmSync(folder, { recursive: true }));

const contents = {
  seedType: 'file_contents',
  path: 'notes',
  filePattern: '*',
  recursive: true,
  encoding: 'utf-8',
} as const;

async function open(source: SeedConfig['source'], more: Partial<SeedConfig> = {}) {
  const seed = { source, samplingStrategy: 'ordered', selectionStrategy: null, ...more } as const;
  const table = seedSource(seed, await inspectSeed(seed, { folder }));
  if (!table) throw new Error('It cannot be read.');
  return table;
}

async function rowsOf(table: Awaited<ReturnType<typeof open>>, rows = 3): Promise<Record<string, CellValue>[]> {
  const path = join(folder, 'table.parquet');
  rmSync(join(folder, 'scratch'), { recursive: true, force: true });
  mkdirSync(join(folder, 'scratch'));
  const context = { scratch: join(folder, 'scratch'), signal };
  const { rows: made } = await materialiseTable(table, path, { run: { rows, seed: 3 }, context });
  const read = tablesReader([table], [{ id: table.id, path, rows: made }]);
  const columns = [...((await read({ firstRow: 0, rows })).get(table.id) ?? [])];
  return Array.from({ length: rows }, (_, row) =>
    Object.fromEntries(columns.map(([name, values]) => [name, values[row] as CellValue])),
  );
}

test('gives a row for each file of a folder, with its paths', async () => {
  const { encoding: _, ...source } = contents;
  expect(await rowsOf(await open({ ...source, seedType: 'directory' }))).toEqual(
    ['a.txt', 'b.txt', 'deep/c.txt'].map((path) => ({
      source_kind: 'directory_file',
      source_path: join(folder, 'notes', path),
      relative_path: path,
      file_name: path.split('/').at(-1),
    })),
  );
});

test('adds the content of each file, in any order of the rows', async () => {
  const rows = await rowsOf(await open(contents));
  expect(rows.map(({ relative_path: path, content }) => [path, content])).toEqual([
    ['a.txt', 'first\n'],
    ['b.txt', 'second'],
    ['deep/c.txt', ''],
  ]);
  expect(rows[0]?.source_kind).toBe('file_contents');
  const shuffled = await rowsOf(await open(contents, { samplingStrategy: 'shuffle' }), 7);
  for (const { file_name: name, content } of shuffled) {
    expect(content).toBe({ 'a.txt': 'first\n', 'b.txt': 'second', 'c.txt': '' }[name as string]);
  }
});

test('reads only the selected files', async () => {
  writeFileSync(join(folder, 'notes', 'b.txt'), Uint8Array.of(0xff));
  const table = await open(contents, { selectionStrategy: { start: 2, end: 2 } });
  expect((await rowsOf(table, 1))[0]?.relative_path).toBe('deep/c.txt');
  const state = await sourceState(table.rows, signal);
  expect(state.files.map(({ path, sha256 }) => [path, sha256 !== null])).toEqual([
    ['a.txt', false],
    ['b.txt', false],
    ['deep/c.txt', true],
  ]);
});

test('decodes text of another encoding', async () => {
  writeFileSync(join(folder, 'notes', 'a.txt'), Buffer.from('Grüße', 'latin1'));
  const table = await open({ ...contents, encoding: 'latin-1' });
  expect((await rowsOf(table, 1))[0]?.content).toBe('Grüße');
});

test('reports a file that cannot be decoded or is gone by its name', async () => {
  const table = await open(contents);
  writeFileSync(join(folder, 'notes', 'b.txt'), Uint8Array.of(0x41, 0xff));
  const failure = rowsOf(table);
  await expect(failure).rejects.toMatchObject({ code: 'seed/unreadable' });
  await expect(failure).rejects.toThrow(/b\.txt: it is not text in the declared encoding/);
  rmSync(join(folder, 'notes', 'b.txt'));
  await expect(rowsOf(table)).rejects.toThrow(/b\.txt: the file no longer exists/);
});
