import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CellValue, Float } from '@data-designer/core';
import { tablesReader } from '../tables/table-reader.ts';
import { spoolRows } from './spool-rows.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spool-rows-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

const spool = (rows: Iterable<unknown> | AsyncIterable<unknown>, signal = new AbortController().signal) =>
  spoolRows(rows, { folder, name: 'rows', signal });

/** Rows that were spooled, as cells. */
async function readBack(rows: Iterable<unknown> | AsyncIterable<unknown>): Promise<Record<string, CellValue>[]> {
  const spooled = await spool(rows);
  if (!('path' in spooled)) throw new Error(JSON.stringify(spooled));
  const { fields, path, rows: count } = spooled;
  const read = tablesReader([{ id: 'seed', fields }], [{ id: 'seed', path, rows: count }]);
  const columns = [...((await read({ firstRow: 0, rows: count })).get('seed') ?? [])];
  return Array.from({ length: count }, (_, row) =>
    Object.fromEntries(columns.map(([name, values]) => [name, values[row] as CellValue])),
  );
}

test('restores values of all kinds', async () => {
  const rows = [
    { i: 1, f: 1.5, z: -0, w: new Float(2), b: 2n ** 60n, t: 'x', y: true, d: new Date(0), n: null, l: [1, null] },
    {
      i: null,
      f: NaN,
      z: 3,
      w: 1,
      b: 1,
      t: '',
      y: false,
      d: null,
      n: undefined,
      l: [],
      late: { A: 1, a: new Date(0) },
    },
  ];
  expect(await readBack(rows)).toEqual([
    {
      i: 1,
      f: 1.5,
      z: -0,
      w: 2,
      b: 2n ** 60n,
      t: 'x',
      y: true,
      d: '1970-01-01T00:00:00.000Z',
      n: null,
      l: [1, null],
      late: null,
    },
    {
      i: null,
      f: NaN,
      z: 3,
      w: 1,
      b: 1,
      t: '',
      y: false,
      d: null,
      n: null,
      l: [],
      late: { A: 1, a: '1970-01-01T00:00:00.000Z' },
    },
  ]);
});

function* changing() {
  for (let n = 0; n < 2000; n++) yield { a: n, b: n, c: { k: n }, d: [n] };
  yield { a: 0.5, b: 'text', c: [new Float(1)], d: ['x'] };
}

test('stores bytes as Base64 at any depth, as they are when their row is read', async () => {
  const bytes = Buffer.from('ab');
  function* rows() {
    yield { raw: bytes, files: [{ bytes, path: 'a' }, null], odd: [1, { bytes }] };
    bytes.fill('c');
    yield { raw: bytes.subarray(1), files: [], odd: null };
  }
  expect(await readBack(rows())).toEqual([
    { raw: 'YWI=', files: [{ bytes: 'YWI=', path: 'a' }, null], odd: [1, { bytes: 'YWI=' }] },
    { raw: 'Yw==', files: [], odd: null },
  ]);
});

test('types columns by all rows, the last one included', async () => {
  const back = await readBack(changing());
  expect(back[1999]).toEqual({ a: 1999, b: 1999, c: { k: 1999 }, d: [1999] });
  expect(back.at(-1)).toEqual({ a: 0.5, b: 'text', c: [new Float(1)], d: ['x'] });
});

test('accepts one object that changes from row to row', async () => {
  const row = { n: 0 };
  function* rows() {
    for (row.n = 0; row.n < 3; row.n++) yield row;
  }
  expect(await readBack(rows())).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }]);
});

async function* later(rows: readonly object[]) {
  for (const row of rows) yield await Promise.resolve(row);
}

test('hashes equal rows equally, whatever the iterable', async () => {
  const hashes: unknown[] = [];
  for (const rows of [[{ a: 1 }], later([{ a: 1 }]), new Set([{ a: 1 }]), [{ a: 2 }]]) {
    const spooled = await spool(rows);
    hashes.push('sha256' in spooled && spooled.sha256);
    rmSync(join(folder, 'rows.parquet'));
  }
  expect(new Set(hashes.slice(0, 3)).size).toBe(1);
  expect(hashes[3]).not.toBe(hashes[0]);
});

test('reports a value that cannot be stored by row, and closes the iterator', async () => {
  let closed = false;
  function* rows() {
    try {
      yield { a: 1 };
      yield { a: () => 1 };
    } finally {
      closed = true;
    }
  }
  expect(await spool(rows())).toEqual({ row: 1, column: 'a', what: 'a function' });
  expect(closed).toBe(true);
  expect(await spool([{ a: 1 }, 'x'])).toEqual({ row: 1, column: undefined, what: 'a string' });
  expect(await spool([{ a: new Date(NaN) }])).toEqual({ row: 0, column: 'a', what: 'an invalid Date' });
  expect(readdirSync(folder)).toEqual([]);
});

async function* dying() {
  yield await Promise.resolve({ a: 1 });
  throw new Error('the line went dead');
}

test('reports an iterator that throws with the number of rows, and leaves no files', async () => {
  expect(await spool(dying())).toEqual({ after: 1, reason: 'the line went dead' });
  expect(readdirSync(folder)).toEqual([]);
});

test('stops reading endless rows when aborted', async () => {
  const stop = new AbortController();
  async function* rows() {
    for (let n = 0; ; n++) {
      if (n === 5000) stop.abort(new Error('enough'));
      yield await Promise.resolve({ n });
    }
  }
  await expect(spool(rows(), stop.signal)).rejects.toThrow('enough');
  expect(readdirSync(folder)).toEqual([]);
});
