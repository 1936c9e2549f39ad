import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Batch, field } from '@data-designer/core';
import { writeDataFile } from '../../../dataset/test/data-files.ts';
import { amongKept } from './kept-rows.ts';
import type { GroupAgain } from './group-context.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kept-rows-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

const batch = (name: string, values: readonly string[]): Batch => ({
  fields: [field(name, 'utf8')],
  columns: new Map([[name, values]]),
  rows: values.length,
});

/** A group of six rows, from row 20 on, that keeps the rows 20, 22 and 25; no local column could fill row 24. */
const PLACES = {
  group: { index: 2, firstRow: 20, rows: 6 },
  filled: { positions: Int32Array.from([0, 1, 2, 3, 5]) },
};

async function again(more: Partial<GroupAgain> = {}): Promise<GroupAgain> {
  const files = { rows: join(folder, 'rows.parquet'), sideTables: [join(folder, 'side-0.parquet')] };
  await writeDataFile(files.rows, batch('text', ['20', '22', '25']));
  await writeDataFile(files.sideTables[0] ?? '', batch('dropped', ['d20', 'd22', 'd25']));
  return { rows: [21, 23], kept: 3, failures: [], images: [], files, ...more };
}

const made = (...rows: readonly string[]) => ({
  main: batch('text', rows),
  sideTables: [
    batch(
      'dropped',
      rows.map((row) => `d${row}`),
    ),
  ],
});

test('rows that are made again stand among the kept ones, in the order of their indexes, in all tables', async () => {
  const { main, sideTables } = await amongKept(made('21', '23'), await again(), { ...PLACES, indexes: [21, 23] });
  expect(main).toMatchObject({ rows: 5, columns: new Map([['text', ['20', '21', '22', '23', '25']]]) });
  expect(sideTables).toMatchObject([{ rows: 5, columns: new Map([['dropped', ['d20', 'd21', 'd22', 'd23', 'd25']]]) }]);
});

test('rows that are lost once more leave no gap', async () => {
  const last = await amongKept(made('23'), await again(), { ...PLACES, indexes: [23] });
  expect(last.main.columns.get('text')).toEqual(['20', '22', '23', '25']);
  const none = await amongKept(made(), await again(), { ...PLACES, indexes: [] });
  expect(none.main.columns.get('text')).toEqual(['20', '22', '25']);
});

test('a group that keeps no row has those that are made', async () => {
  const all = await again({ rows: [20, 21, 22, 23, 25], kept: 0 });
  for (const [path, name] of [
    [all.files.rows, 'text'],
    [all.files.sideTables[0] ?? '', 'dropped'],
  ] as const)
    await writeDataFile(path, batch(name, []));
  const { main } = await amongKept(made('20', '25'), all, { ...PLACES, indexes: [20, 25] });
  expect(main.columns.get('text')).toEqual(['20', '25']);
});

const isDamaged = (message: string) => ({
  code: 'dataset/damaged',
  message: expect.stringContaining(message) as string,
});

test('kept rows that are more or fewer than recorded are refused', async () => {
  const indexes = [21, 23];
  const fewer = amongKept(made('21', '23'), await again({ kept: 2 }), { ...PLACES, indexes });
  await expect(fewer).rejects.toMatchObject(isDamaged('it has 2 rows, and 3 were expected. Restore the file'));
  const short = await again();
  await writeDataFile(short.files.sideTables[0] ?? '', batch('dropped', ['d20']));
  await expect(amongKept(made('21', '23'), short, { ...PLACES, indexes })).rejects.toMatchObject(
    isDamaged('side-0.parquet: it has 1 rows, and 3 were expected'),
  );
});

test('a kept file that cannot be read, or has changed, is refused by name', async () => {
  const places = { ...PLACES, indexes: [21, 23] };
  const sum = { bytes: 1, rows: 3, crc32: 1 };
  const changed = amongKept(made('21', '23'), await again({ sums: [null, sum] }), places);
  await expect(changed).rejects.toMatchObject(isDamaged('side-0.parquet: its content differs from its checksum'));
  const broken = await again();
  writeFileSync(broken.files.rows, 'no rows');
  await expect(amongKept(made('21', '23'), broken, places)).rejects.toMatchObject(isDamaged('rows.parquet'));
  rmSync(broken.files.rows);
  await expect(amongKept(made('21', '23'), broken, places)).rejects.toMatchObject({
    code: expect.stringMatching(/^dataset/) as string,
  });
});
