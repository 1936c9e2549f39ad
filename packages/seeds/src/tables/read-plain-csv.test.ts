import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withDuckDb } from '../duck-db/with-duck-db.ts';
import { tableSql } from '../duck-db/sql-text.ts';
import { readPlainCsv } from './read-plain-csv.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'plain-csv-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

async function readBoth(text: string) {
  const path = join(folder, 'table.csv');
  writeFileSync(path, text);
  const plain = await readPlainCsv(path, Buffer.byteLength(text));
  return { plain, duckDb: plain && (await readByDuckDb(path)) };
}

async function readByDuckDb(path: string) {
  return withDuckDb(async (connection) => {
    const read = await connection.runAndReadAll(`SELECT * FROM ${tableSql([path], 'csv')}`);
    const fields = read.columnNames().map((name, index) => ({ name, type: ARROW[read.columnType(index).toString()] }));
    return { fields, columns: read.getColumns(), rows: read.currentRowCount };
  });
}

const ARROW: Readonly<Record<string, string>> = { VARCHAR: 'utf8', BIGINT: 'int64', DOUBLE: 'float64' };

test('reads identifiers, text and decimals with their types, and empty cells as null', async () => {
  const { plain } = await readBoth('id,topic,weight\n1,tides,0.5\n2,,12\n');
  expect(plain).toMatchObject({
    fields: [
      { name: 'id', type: 'int64' },
      { name: 'topic', type: 'utf8' },
      { name: 'weight', type: 'float64' },
    ],
    columns: [
      [1n, 2n],
      ['tides', null],
      [0.5, 12],
    ],
    rows: 2,
  });
});

test.each([
  ['quotes', 'id,topic\n1,"tides, high"\n'],
  ['another delimiter', 'id,topic;more\n1,tides;x\n'],
  ['Windows line ends', 'id,topic\r\n1,tides\r\n'],
  ['a byte order mark', '\uFEFFid,topic\n1,tides\n'],
  ['a comment', '# made by hand,\nid,topic\n1,tides\n'],
  ['one column', 'topic\ntides\n'],
  ['no rows', 'id,topic\n'],
  ['rows of different lengths', 'id,topic\n1,tides,more\n'],
  ['a blank line', 'id,topic\n\n1,tides\n'],
  ['no header', '1,tides\n2,kelp\n'],
  ['a column named twice', 'id,Id\n1,2\n'],
  ['dates', 'id,day\n1,2024-01-02\n'],
  ['truth values', 'id,ok\n1,true\n2,false\n'],
  ['leading zeros', 'id,zip\n1,00501\n'],
  ['integers beyond 64 bits', 'id,n\n1,99999999999999999999\n'],
  ['exponents', 'id,n\n1,1e5\n'],
  ['a column without a value', 'id,n\n1,\n'],
])('leaves a file with %s to DuckDB', async (_, text) => {
  expect((await readBoth(text)).plain).toBeUndefined();
});

test('leaves a large file to DuckDB', async () => {
  const path = join(folder, 'large.csv');
  writeFileSync(path, 'id,topic\n1,tides\n');
  expect(await readPlainCsv(path, 5 * 1024 * 1024)).toBeUndefined();
});

const NAMES = ['id', 'topic', 'first name', '_x', 'Select', 'date', 'x-1', 'true', 'T', 'row_index', '10', '', 'null'];
const NUMBERS = ['1', '2', '-4', '0', '123456789012345678', '', '1.5', '-0.5', '-0.0', '0.000001', '12345678.123456'];
const TEXTS = [
  'tides',
  'sand dunes',
  'red apple',
  'Äpfel',
  '日本語',
  'two',
  '',
  'null',
  'true',
  '12',
  '2020-01-01',
  ' x',
];
const STRANGE = [
  'yes',
  'No',
  't',
  'nan',
  '-inf',
  'epoch',
  'NULL',
  'None',
  ' ',
  'on hold',
  'now',
  '007',
  '3.',
  '1_000',
  '10:00',
];

test('reads 600 made files as DuckDB does, or leaves them to it', { tags: 'long' }, async () => {
  let state = 19;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * below);
  };
  const pick = (words: readonly string[]): string => words[random(words.length)] ?? '';
  const columnOf = (rows: number): string[] => {
    const words =
      [NUMBERS.slice(0, 6), NUMBERS, TEXTS, TEXTS, [...TEXTS, ...STRANGE], [...NUMBERS, ...STRANGE]][random(6)] ?? [];
    return [pick(NAMES.slice(0, random(4) === 0 ? undefined : 7)), ...Array.from({ length: rows }, () => pick(words))];
  };
  let plainFiles = 0;
  for (let file = 0; file < 600; file++) {
    const rows = 1 + random(6);
    const columns = Array.from({ length: 2 + random(3) }, () => columnOf(rows));
    const lines = Array.from({ length: rows + 1 }, (_, row) => columns.map((column) => column[row]).join(','));
    const text = lines.join('\n') + (random(3) > 0 ? '\n' : '');
    const { plain, duckDb } = await readBoth(text);
    if (!plain) continue;
    plainFiles++;
    const { columns: values, fields, rows: count } = plain;
    const read = { fields: fields.map(({ name, type }) => ({ name, type })), columns: values, rows: count };
    expect({ text, ...read }).toStrictEqual({ text, ...duckDb });
  }
  expect(plainFiles).toBeGreaterThan(80);
});

test('reads a column that becomes text in its last row as DuckDB does', async () => {
  const lines = Array.from({ length: 19_999 }, (_, id) => `${id},${id % 7}`);
  const { plain, duckDb } = await readBoth(['id,value', ...lines, '19999,sand dunes', ''].join('\n'));
  expect(plain?.fields[1]).toMatchObject({ type: 'utf8' });
  expect(plain?.columns).toStrictEqual(duckDb?.columns);
});
