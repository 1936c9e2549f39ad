import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TableFormat } from '@data-designer/config';
import { withDuckDb } from '../duck-db/with-duck-db.ts';
import { openFiles, type TableFiles } from './open-files.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'open-files-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** The fault of a table, or its types and its rows, which are read one by one. */
async function read(files: readonly string[], format: TableFormat, options?: TableFiles['options']) {
  return withDuckDb(async (connection) => {
    const opened = await openFiles(connection, { files, format, options });
    if (opened.fault) return { fault: opened.fault };
    const found = await connection.runAndReadAll(`SELECT * FROM ${opened.sql}`);
    const types = found.columnNames().map((name, index) => `${name} ${found.columnType(index).toString()}`);
    return { types, rows: found.getRowsJson() };
  });
}

/** More rows than DuckDB guesses types from. */
const MANY = 20_600;

const LATE_CELLS = [
  ['7', '1.5', 'DOUBLE', 1.5],
  ['7', '00501', 'VARCHAR', '00501'],
  ['7', '+5', 'VARCHAR', '+5'],
  ['7', '1e5', 'VARCHAR', '1e5'],
  ['7', '1_000', 'VARCHAR', '1_000'],
  ['7', '0x10', 'VARCHAR', '0x10'],
  ['7', '-0', 'VARCHAR', '-0'],
  ['7', 'NaN', 'VARCHAR', 'NaN'],
  ['7', 'inf', 'VARCHAR', 'inf'],
  ['7', '5 ', 'VARCHAR', '5 '],
  ['7', '123456789012345678901', 'VARCHAR', '123456789012345678901'],
  ['9007199254740993', '1.5', 'VARCHAR', '1.5'],
  ['0.5', '0.12345678901234567890', 'VARCHAR', '0.12345678901234567890'],
  ['0.5', '1e-05', 'DOUBLE', 0.00001],
  ['0.5', '1e-400', 'VARCHAR', '1e-400'],
  ['0.5', '1.2345e-320', 'VARCHAR', '1.2345e-320'],
  ['0.5', '0.0000', 'DOUBLE', 0],
  ['true', 'yes', 'VARCHAR', 'yes'],
  ['true', '7', 'VARCHAR', '7'],
  ['true', 'FALSE', 'BOOLEAN', false],
  ['2024-01-02', '2024-01-02 03:04:05', 'VARCHAR', '2024-01-02 03:04:05'],
  ['2024-01-02', '01/02/2024', 'VARCHAR', '01/02/2024'],
  ['03:04:05', '10:30', 'VARCHAR', '10:30'],
  ['2024-01-02 03:04:05', '2024-01-02 03:04:05.1234567', 'VARCHAR', '2024-01-02 03:04:05.1234567'],
  ['2024-01-02 03:04:05', '2024-01-02 03:04:05Z', 'VARCHAR', '2024-01-02 03:04:05Z'],
  ['2024-01-02T03:04:05Z', '2024-01-02T23:04:05-05:00', 'VARCHAR', '2024-01-02T23:04:05-05:00'],
  ['2024-01-02 03:04:05', '2024-01-02 24:00:00', 'VARCHAR', '2024-01-02 24:00:00'],
  ['03:04:05', '24:00:00', 'VARCHAR', '24:00:00'],
  ['', '5', 'BIGINT', '5'],
  ['7', '"Fish, bread"', 'VARCHAR', 'Fish, bread'],
] as const;

test(
  'in CSV columns of many equal cells, the last cell decides the type as well and stays as it is',
  { tags: 'long' },
  async () => {
    const [many, last] = [LATE_CELLS.map(([cell]) => cell), LATE_CELLS.map(([, cell]) => cell)];
    const names = LATE_CELLS.map((_, index) => `c${index}`);
    const file = write('late.csv', `${names.join(',')}\n${`${many.join(',')}\n`.repeat(MANY)}${last.join(',')}\n`);
    const { types, rows } = await read([file], 'csv');
    expect(types).toEqual(LATE_CELLS.map(([, , type], index) => `c${index} ${type}`));
    expect(rows?.at(-1)).toEqual(LATE_CELLS.map(([, , , value]) => value));
  },
);

test.each([
  'infinity',
  '-infinity',
  '0044-03-15 (BC)',
  '0044-03-15 (BC) 00:00:00',
  '00501',
  '01/02/2024',
  '10:30',
  '1e5',
  '+5',
  '2024-01-02T23:04:05-05:00',
  'yes',
  '1,5',
])('a CSV column that holds only %s stays text', async (cell) => {
  const { types, rows } = await read([write('only.csv', `v;w\n${cell};x\n${cell};x\n`)], 'csv');
  expect(types).toEqual(['v VARCHAR', 'w VARCHAR']);
  expect(rows?.[0]?.[0]).toBe(cell);
});

test.each([
  ['a quoted cell with lines', 'id,q\r\n1,"a\r\nb"\r\n', [['1', 'a\r\nb']]],
  ['tabs', 'id\tq\n1\ta, b\n', [['1', 'a, b']]],
  ['pipes', 'id|q\n1|a, b\n', [['1', 'a, b']]],
  [
    'semicolons and two commas in each row',
    'id;q\n1;a, b, c\n2;d, e, f\n',
    [
      ['1', 'a, b, c'],
      ['2', 'd, e, f'],
    ],
  ],
  ["Excel's line sep=", 'sep=;\r\nid;q\r\n1;a\r\n', [['1', 'a']]],
  ['comments before the names', '# made by hand\n#\nid,q\n1,a\n', [['1', 'a']]],
  ['a byte order mark', '\uFEFFid,q\n1,"a"\n', [['1', 'a']]],
  ['backslashes before quotes', 'id,q\n1,"say \\"a, b\\" twice"\n', [['1', 'say "a, b" twice']]],
])('reads a CSV file with %s', async (_, content, rows) => {
  const seen = await read([write('dialect.csv', content)], 'csv');
  expect(seen.types).toEqual(['id BIGINT', 'q VARCHAR']);
  expect(seen.rows).toEqual(rows);
});

test('reads UTF-16 by its byte order mark, and a row of 17 MB', { tags: 'long' }, async () => {
  const utf16 = await read([write('utf16.csv', Buffer.from('\uFEFFid,q\r\n1,Zürich\r\n', 'utf16le'))], 'csv');
  expect(utf16.rows).toEqual([['1', 'Zürich']]);
  const long = await read([write('long.csv', `id,q\n1,${'x'.repeat(17_000_000)}\n`)], 'csv');
  expect(long.rows?.[0]?.[1]).toHaveLength(17_000_000);
  const json = await read([write('long.jsonl', `{"q":"${'x'.repeat(17_000_000)}"}\n`)], 'jsonl');
  expect(json.rows?.[0]?.[0]).toHaveLength(17_000_000);
});

const BIG_ENDIAN = Buffer.from('\uFEFFid,q\n1,Zürich 😀\n', 'utf16le').swap16();

test.each([
  ['big-endian UTF-16 by its mark', BIG_ENDIAN, undefined, 'Zürich 😀'],
  ['UTF-16 with characters of two units', Buffer.from('\uFEFFid,q\n1,😀\n', 'utf16le'), undefined, '😀'],
  ['UTF-16 without a mark', Buffer.from('id,q\n1,é\n', 'utf16le'), 'utf-16', 'é'],
  ['windows-1252', Buffer.from('id,q\n1,\x93a\x94 \x80\n', 'latin1'), 'cp1252', '“a” €'],
  ['Shift JIS', Buffer.from('id,q\n1,\x93\xfa\x96\x7b\n', 'latin1'), 'shift_jis', '日本'],
])('reads a CSV file in %s', async (...[, bytes, encoding, text]) => {
  const seen = await read([write('encoded.csv', bytes)], 'csv', encoding === undefined ? {} : { encoding });
  expect(seen.rows).toEqual([['1', text]]);
});

test('reads JSON lines in UTF-16 by their mark, packed as well', async () => {
  const bytes = Buffer.from('\uFEFF{"q":"é😀"}\n'.repeat(1), 'utf16le');
  expect((await read([write('utf16.jsonl', bytes)], 'jsonl')).rows).toEqual([['é😀']]);
  expect((await read([write('utf16.jsonl.gz', gzipSync(bytes))], 'jsonl')).rows).toEqual([['é😀']]);
});

test('names the line of a byte that is not in the encoding, and the key that sets it', async () => {
  const late = Buffer.concat([Buffer.from(`id,q\n${'1,a\n'.repeat(MANY)}`), Buffer.from('1,Z\xfcrich\n', 'latin1')]);
  const file = write('late-byte.csv', late);
  await expect(read([file], 'csv')).rejects.toThrow(`Line: ${MANY + 2}`);
  const { fault } = await read([file], 'csv', { encoding: 'ascii' });
  expect(fault?.reason).toMatch(/^a byte after line \d+ is no text in the encoding ascii/);
  expect(fault?.remedy).toContain("'encoding'");
  const quotes = write('quotes.csv', Buffer.from('id,q\n1,\x93a\x94\n', 'latin1'));
  expect((await read([quotes], 'csv', { encoding: 'latin-1' })).fault?.remedy).toContain('windows-1252');
});

test.each([
  ['empty.csv', '\n\n', /^line 1: it is empty/],
  ['mark.csv', '\uFEFF', /^line 1: it is empty/],
  ['packed.csv', gzipSync('a,b\n1,2\n'), /packed with gzip/],
  ['book.csv', 'PK\x03\x04x', /Excel/],
  ['nul.csv', Buffer.from('id,q\n1,a\n', 'utf16le'), /NUL/],
])('says why %s is no CSV file', async (name, content, reason) => {
  const { fault } = await read([write(name, content)], 'csv');
  expect(fault?.reason).toMatch(reason);
});

test.each([
  ['id,q;r\n1,a;b\n', /^line 1: its cells may be separated by ',' or ';'/],
  ['A report\n\nid,q\n1,a\n2,b\n', /^line 3: this line has 2 cells/],
  ['2019,2020\n1,2\n', /^line 1: it may hold the names/],
  ['country,2019\nChad,1\nMali,2\n', /^line 1: it may hold the names/],
  ['id,2023\nx,5\ny,NA\n', /^line 1: it may hold the names/],
])('says the line of the CSV file %j that is in doubt', async (content, reason) => {
  const { fault } = await read([write('doubt.csv', content)], 'csv');
  expect(fault?.reason).toMatch(reason);
  expect(fault?.remedy).toMatch(/delimiter|header/);
});

test.each(['country,2020-01-22\nChad,0\nMali,1\n', 'name,true\nChad,5\n', 'id,2019\n1,high\n2,low\n'])(
  'takes a first line for names whose values differ in kind from the cells below: %j',
  async (content) => {
    const { rows } = await read([write('kinds.csv', content)], 'csv');
    expect(rows).toHaveLength(content.split('\n').length - 2);
  },
);

test('names the line of a row with too few cells', async () => {
  const file = write('ragged.csv', 'id,q,a\n1,b,c\n2,only\n3,c,d\n');
  await expect(read([file], 'csv')).rejects.toThrow(/Line: 3/);
});

test('joins CSV files by name: a later column is kept, and all files decide the types', async () => {
  const one = write('p1.csv', 'id,zip\n1,12345\n');
  const two = write('p2.csv', 'zip;id;note\n00501;2.5;kept\n');
  expect(await read([one, two], 'csv')).toEqual({
    types: ['id DOUBLE', 'zip VARCHAR', 'note VARCHAR'],
    rows: [
      [1, '12345', null],
      [2.5, '00501', 'kept'],
    ],
  });
});

test('JSON strings stay text, and integers are not rounded', async () => {
  const row = {
    date: '2024-01-02',
    time: '10:30',
    id: '5e9ff2c0-8d4a-4d5e-9d6f-0123456789ab',
    n: { at: ['03:04:05'] },
  };
  const file = write('text.jsonl', `${JSON.stringify(row)}\n`);
  expect((await read([file], 'jsonl')).rows).toEqual([Object.values(row)]);
  const long = write(
    'long-integers.jsonl',
    '{"id":9007199254740993}\n{"id":1.5}\n{"id":123456789012345678901234567890}\n',
  );
  expect((await read([long], 'jsonl')).rows).toEqual([
    ['9007199254740993'],
    ['1.5'],
    ['123456789012345678901234567890'],
  ]);
  const texts = write('texts.jsonl', '{"f":{"t":"1E400","x":1e300}}\n{"f":{"t":"1234567890123456789","x":1.5}}\n');
  expect((await read([texts], 'jsonl')).types).toEqual(['f STRUCT("t" VARCHAR, "x" DOUBLE)']);
  const huge = write('huge.jsonl', '{"n":1.5}\n{"n":1E400}\n');
  expect((await read([huge], 'jsonl')).fault?.reason).toContain(
    "the value of 'n' in row 2 has a number that is too large",
  );
});

test('each key of a wide JSON table is a column, and an object of many keys within is one', async () => {
  const keys = Array.from({ length: 250 }, (_, index) => [`k${index}`, index] as const);
  const flat = Object.fromEntries(keys);
  const { types, rows } = await read([write('wide.jsonl', `${JSON.stringify(flat)}\n`)], 'jsonl');
  expect(types).toEqual(keys.map(([name]) => `${name} BIGINT`));
  expect(rows).toEqual([keys.map(([, value]) => String(value))]);
  const nested = { ...Object.fromEntries(keys.map(([name]) => [name, { k0: 1 }])), k0: flat };
  const deep = await read([write('deep.jsonl', `${JSON.stringify(nested)}\n`)], 'jsonl');
  expect(deep.types?.[1]).toBe('k1 STRUCT("k0" BIGINT)');
  expect(deep.rows?.[0]?.[0]).toBe(JSON.stringify(flat));
});

test.each([
  ['id,q\n1,a\r\n2,b\n', ['a', 'b']],
  ['id,q\r\n1,"x\r\ny ""q"""\n2,b\r\n', ['x\r\ny "q"', 'b']],
  ['\uFEFF"id","q"\n1,"x\r\ny"\r\n2,5"\r\n', ['x\r\ny', '5"']],
  ['id,q\n1,"a, \\"b\\""\r\n2,"c"\n', ['a, "b"', 'c']],
])('reads a CSV file with line ends of two kinds: %j', async (content, cells) => {
  const { types, rows } = await read([write('ends.csv', content)], 'csv');
  expect(types?.[0]).toBe('id BIGINT');
  expect(rows?.map(([, cell]) => cell)).toEqual(cells);
});

test('all rows of JSON lines decide the types', async () => {
  const file = write('late.jsonl', `${'{"ok":true,"n":1}\n'.repeat(MANY)}{"ok":7,"n":1.5,"more":{"a":1}}\n`);
  const { rows } = await read([file], 'jsonl');
  expect(rows?.at(-1)).toEqual(['7', 1.5, { a: '1' }]);
});

/** Writes a Parquet file with one row. */
async function parquet(name: string, values: string): Promise<string> {
  const path = join(folder, name);
  await withDuckDb((connection) => connection.run(`COPY (SELECT ${values}) TO '${path}'`));
  return path;
}

test.each([
  ['1::INTEGER AS v', '1.5::DOUBLE AS v', 'v DOUBLE', [1, 1.5]],
  ['1::INTEGER AS v', '5000000000 AS v', 'v BIGINT', ['1', '5000000000']],
  ['NULL AS v', "'a' AS v", 'v VARCHAR', [null, 'a']],
  [
    "{'a': 1} AS v",
    "{'b': 'x', 'a': 2.5::DOUBLE} AS v",
    'v STRUCT("a" DOUBLE, "b" VARCHAR)',
    [
      { a: 1, b: null },
      { a: 2.5, b: 'x' },
    ],
  ],
  ['[1] AS v', '[1.5::DOUBLE] AS v', 'v DOUBLE[]', [[1], [1.5]]],
  [
    "[{'a': 1}] AS v",
    "[{'a': 1, 'b': 2}] AS v",
    'v STRUCT("a" INTEGER, "b" INTEGER)[]',
    [[{ a: 1, b: null }], [{ a: 1, b: 2 }]],
  ],
  [
    "DATE '2024-01-02' AS v",
    "TIMESTAMP '2024-01-02 03:04:05' AS v",
    'v TIMESTAMP',
    ['2024-01-02 00:00:00', '2024-01-02 03:04:05'],
  ],
  ['1.50::DECIMAL(5, 2) AS v', '0.125::DECIMAL(6, 3) AS v', 'v DECIMAL(6,3)', ['1.500', '0.125']],
  ["'a'::ENUM('a', 'b') AS v", "'c' AS v", 'v VARCHAR', ['a', 'c']],
])(
  'joins Parquet files with %s and %s',
  async (...[one, two, type, values]: readonly [string, string, string, readonly unknown[]]) => {
    const seen = await read([await parquet('one.parquet', one), await parquet('two.parquet', two)], 'parquet');
    expect(seen.types).toEqual([type]);
    expect(seen.rows).toEqual(values.map((value) => [value]));
  },
);

test.each([
  ["'a' AS v", '1 AS v', /column 'v' is INTEGER from row 1 on, but VARCHAR/],
  ["{'a': 'x'} AS v", "{'a': 1} AS v", /column 'v'/],
  ['9007199254740993 AS v', '1.5::DOUBLE AS v', /column 'v' has an integer in row 1/],
])('refuses Parquet files with %s and %s', async (one, two, reason) => {
  const files = [await parquet('first.parquet', one), await parquet('second.parquet', two)];
  const { fault } = await read(files, 'parquet');
  expect(fault?.reason).toMatch(reason);
  expect(files).toContain(fault?.file);
});

test('declared types, delimiter, header and encoding are used, and a value that a type does not hold is named', async () => {
  const file = write('declared.csv', Buffer.from('1|é\n2|b\n', 'latin1'));
  const options = { delimiter: '|', header: false, encoding: 'latin-1', types: { column0: 'text' } } as const;
  expect((await read([file], 'csv', options)).rows).toEqual([
    ['1', 'é'],
    ['2', 'b'],
  ]);
  const wrong = await read([write('wrong.csv', 'id,q\n1,a\nx,b\n')], 'csv', { types: { id: 'integer' } });
  expect(wrong.fault?.reason).toBe('column \'id\' has "x" in row 2, which is no integer');
  const missing = await read([write('wrong.csv', 'id,q\n1,a\n')], 'csv', { types: { idd: 'text' } });
  expect(missing.fault?.reason).toContain("'types' names the column 'idd'");
});

test('reads packed files and tables with tabs by their names', async () => {
  const zstd = await read([write('packed.csv.zst', zstdCompressSync('id,q\n1,a\n'))], 'csv');
  expect(zstd.rows).toEqual([['1', 'a']]);
  const packed = await read([write('packed.jsonl.gz', gzipSync('{"a":1}\n{"a":2}\n'))], 'jsonl');
  expect(packed.rows).toEqual([['1'], ['2']]);
  const tabs = await read([write('tabs.tsv', 'id\tq\n1\ta,b;c\n')], 'csv');
  expect(tabs.rows).toEqual([['1', 'a,b;c']]);
});

test.each([
  ['1.5', 'integer'],
  ['true', 'integer'],
  ['99999999999999999999', 'integer'],
  ['7', 'boolean'],
  ['9007199254740993', 'float'],
  ['"1e400"', 'float'],
  ['"nan"', 'float'],
  ['"2024-01-02 03:04:05"', 'date'],
  ['"2024-01-02 03:04:05"', 'time'],
  ['"2024-01-02T03:04:05-05:00"', 'timestamp'],
  ['"2024-01-02T03:04:05.1234567Z"', 'timestamp'],
] as const)('refuses %s of a JSON file as %s', async (value, type) => {
  const file = write('lossy.jsonl', `{"v":${value}}\n`);
  const { fault } = await read([file], 'jsonl', { types: { v: type } });
  expect(fault?.reason).toMatch(/column 'v' has .* in row 1, which is no /);
});

test.each([
  ['2.0', 'integer', '2'],
  ['7', 'text', '7'],
  ['"2024-01-02"', 'date', '2024-01-02'],
  ['"03:04:05"', 'time', '03:04:05'],
  ['"2024-01-02T03:04:05.120Z"', 'timestamp', '2024-01-02 03:04:05.12'],
  ['"1.25"', 'float', 1.25],
  ['"true"', 'boolean', true],
] as const)('reads %s of a JSON file as %s', async (value, type, kept) => {
  const file = write('kept.jsonl', `{"v":${value}}\n`);
  expect((await read([file], 'jsonl', { types: { v: type } })).rows).toEqual([[kept]]);
});

test('a JSON row that is no object beside others that are is refused, and rows of other values are one column', async () => {
  for (const other of ['[1,2]', '5', '"x"']) {
    const { fault } = await read([write('mixed-rows.jsonl', `{"a":1}\n{"a":2}\n${other}\n`)], 'jsonl');
    expect(fault?.reason).toBe('row 3 is no object, and other rows are');
  }
  expect((await read([write('values.jsonl', '5\n[1]\n')], 'jsonl')).rows).toEqual([['5'], ['[1]']]);
  const named = await read([write('json-key.jsonl', '{"json":5}\n{"json":[1]}\n')], 'jsonl');
  expect(named.rows).toEqual([['5'], ['[1]']]);
});

test('a number of a JSON file that is declared text is the text of JSON, beside fractions too', async () => {
  const file = write('texts-of-numbers.jsonl', '{"n":2,"m":[1,2.5]}\n{"n":2.5,"m":null}\n{"n":"two","m":[]}\n');
  const { rows } = await read([file], 'jsonl', { types: { n: 'text', m: 'text' } });
  expect(rows).toEqual([
    ['2', '[1,2.5]'],
    ['2.5', null],
    ['two', '[]'],
  ]);
});

test('names the column and the row of a CSV value that a declared type would round', async () => {
  const { fault } = await read([write('round.csv', 'id,q\n1,a\n1.5,b\n')], 'csv', { types: { id: 'integer' } });
  expect(fault?.reason).toBe('column \'id\' has "1.5" in row 2, which is no integer');
});

test('the option header decides a first line that may be names or a row', async () => {
  const file = write('years.csv', '2019,2020\n1,2\n');
  expect((await read([file], 'csv', { header: true })).types).toEqual(['2019 BIGINT', '2020 BIGINT']);
  const { rows } = await read([file], 'csv', { header: false });
  expect(rows).toEqual([
    ['2019', '2020'],
    ['1', '2'],
  ]);
});

test('refuses mixed line ends after a name of two lines rather than change the name', async () => {
  const file = write('name.csv', '\uFEFF"i\r\nd",q\n1,a\r\n2,b\n');
  await expect(read([file], 'csv')).rejects.toThrow(/CSV Parser state machine/);
});

test('refuses a row beyond the declared size, and reads it within', async () => {
  const file = write('row.csv', `id,q\n1,${'x'.repeat(5000)}\n`);
  await expect(read([file], 'csv', { maxRowBytes: 1000 })).rejects.toThrow(/Line: 2/);
  expect((await read([file], 'csv', { maxRowBytes: 6000 })).rows).toHaveLength(1);
});

test('a CSV column of empty cells is text', async () => {
  const { types } = await read([write('empty-cells.csv', 'id,e\n1,\n2,\n')], 'csv');
  expect(types).toEqual(['id BIGINT', 'e VARCHAR']);
});

test('refuses JSON keys that differ in case where the strings would become dates', async () => {
  const file = write('case.jsonl', '{"a":"2024-01-02","A":"b"}\n');
  await expect(read([file], 'jsonl')).rejects.toThrow(/two keys have the name 'a'/);
});
