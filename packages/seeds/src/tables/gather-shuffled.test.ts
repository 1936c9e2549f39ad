import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { inspectTable } from '../files/inspect-table.ts';
import { type Copy, copyOrdered } from './copy-ordered.ts';
import { gatherShuffled } from './gather-shuffled.ts';
import { TableReader } from './table-reader.ts';
import type { TableSource } from './table-source.ts';

let folder: string;
let scratch: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gather-'));
  scratch = join(folder, 'scratch');
  mkdirSync(scratch);
});

afterEach(() => rmSync(folder, { recursive: true }));

const signal = new AbortController().signal;

async function copyOf(selection: TableSource['selection'], rows: number, destination: string): Promise<Copy> {
  const lines = Array.from({ length: 500 }, (_, n) => ({
    n,
    text: `row ${n}`.padEnd(300, 'x'),
    list: n % 7 === 0 ? null : [n, null, n / 4],
    mapping: { f: n / 2, 'a.b': n % 2 === 0 ? 'even' : null, deep: [{ k: `${n}` }] },
    mixed: n % 2 === 0 ? n : { odd: [n] },
    none: null,
  }));
  const path = join(folder, 'source.jsonl');
  writeFileSync(path, lines.map((line) => JSON.stringify(line)).join('\n'));
  const { columns = [], source } = await inspectTable([path], { format: 'jsonl', isCounted: false });
  if (!source) throw new Error('It cannot be read.');
  const table = await source.open({ scratch, signal });
  const whole: TableSource = { id: 'seed', fields: columns, rows: source, order: 'shuffle', selection, filters: [] };
  return { source: whole, table, run: { rows, seed: 9 }, destination: join(folder, destination) };
}

async function read({ source: { fields }, destination: path }: Copy, rows: number): Promise<unknown> {
  return new TableReader({ id: 'seed', fields }, { id: 'seed', path, rows }).read({ firstRow: 0, rows });
}

test.each<[TableSource['selection'], number]>([
  [null, 500],
  [null, 20],
  [null, 1300],
  [{ start: 100, end: 199 }, 250],
  [{ index: 2, numPartitions: 3 }, 100],
])(
  'for the selection %j, gathers %d rows in the order that sorting gives',
  { tags: 'long' },
  async (selection, rows) => {
    const sorted = await copyOf(selection, rows, 'sorted.parquet');
    const gathered = await copyOf(selection, rows, 'gathered.parquet');
    const copied = await copyOrdered(sorted, { scratch, signal });
    expect(copied.rows).toBe(rows);
    expect(await gatherShuffled(gathered, { scratch, signal })).toEqual(copied);
    expect(await read(gathered, rows)).toEqual(await read(sorted, rows));
  },
);

test('stops when aborted', async () => {
  const copy = await copyOf(null, 100, 'gathered.parquet');
  await expect(gatherShuffled(copy, { scratch, signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow(
    'enough',
  );
});
