import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { datasetShell, loadDocument, readForm, type SeedConfig, type SeedSource } from '@data-designer/config';
import { type ArrowType, Float } from '@data-designer/core';
import { inspectSeed } from './inspect-seed.ts';
import { withDuckDb } from './duck-db/with-duck-db.ts';

/** The program that makes a named pipe. */
const MAKE_PIPE = 'mkfifo';

const conformance = fileURLToPath(new URL('../../../test/conformance/data/', import.meta.url));
const data = join(conformance, 'configs', 'data');

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'inspect-seed-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

function write(path: string, content: string | Uint8Array): string {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), content);
  return path;
}

const seed = (source: SeedSource, selectionStrategy: SeedConfig['selectionStrategy'] = null): SeedConfig => ({
  source,
  samplingStrategy: 'ordered',
  selectionStrategy,
});

const local = (path: string, selection: SeedConfig['selectionStrategy'] = null) =>
  inspectSeed(seed({ seedType: 'local', path }, selection), { folder });

/** The columns of a seed, as name and type. */
const columnsOf = async (inspection: ReturnType<typeof inspectSeed>) =>
  (await inspection).columns?.map(({ name, type, json }): [string, ArrowType, ...'json'[]] =>
    json ? [name, type, 'json'] : [name, type],
  );

/** The findings about a seed, as level, field and type. */
const findingsOf = async (inspection: ReturnType<typeof inspectSeed>) =>
  (await inspection).findings.map(({ level, field, type }) => `${level} ${field.join('.')}: ${type}`);

test.each([
  [
    'berths.csv',
    [
      ['berth', 'int64'],
      ['vessel', 'utf8'],
      ['metres', 'float64'],
      ['paid', 'bool'],
      ['moored_on', { logical: 'date' }],
      ['code', 'utf8'],
    ],
  ],
  [
    'keepers.json',
    [
      ['name', 'utf8'],
      ['years', 'int64'],
    ],
  ],
  [
    'tides.parquet',
    [
      ['hour', 'int64'],
      ['level', 'float64'],
      ['label', 'utf8'],
    ],
  ],
  [
    'parts/*.csv',
    [
      ['k', 'int64'],
      ['v', 'utf8'],
    ],
  ],
])('%s has typed columns', async (path, columns) => {
  const inspection = inspectSeed(seed({ seedType: 'local', path: join(data, path) }), { folder });
  expect(await columnsOf(inspection)).toEqual(columns);
  expect(await inspection).toMatchObject({ rows: undefined, findings: [] });
});

test('keeps the shape of mappings and lists in a file', async () => {
  const inspection = inspectSeed(seed({ seedType: 'local', path: 'logs.jsonl' }), { folder: data });
  const [, , meta] = (await inspection).columns ?? [];
  expect(meta?.type).toMatchObject({
    struct: [
      { name: 'wind', type: 'int64' },
      { name: 'tags', type: { list: 'utf8' } },
    ],
  });
});

interface Case {
  readonly file: string;
  readonly columns?: readonly { readonly name: string }[];
  readonly preview?: { readonly columns?: readonly string[]; readonly error?: string };
}

const PREVIEWED = readFileSync(join(conformance, 'configs.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Case)
  .filter(({ file, preview }) => /\/seed_/.test(file) && preview)
  .map((one) => [one.file, one] as const);

async function previewed(file: string) {
  const { seed_config: config } = loadDocument(join(conformance, file)) as { readonly seed_config: unknown };
  const value = readForm(datasetShell, { columns: [], seed_config: config });
  const { seedConfig } = datasetShell.parse(value);
  return inspectSeed(seedConfig as SeedConfig, { folder: join(conformance, 'configs') });
}

test.each(PREVIEWED.filter(([, { preview }]) => preview?.columns))(
  '%s has the columns that the Python tool shows',
  async (file, { columns = [], preview }) => {
    const own = new Set(columns.map(({ name }) => name));
    const inspection = await previewed(file);
    expect(inspection.findings).toEqual([]);
    expect(inspection.columns?.map(({ name }) => name).toSorted()).toEqual(
      preview?.columns?.filter((name) => !own.has(name)),
    );
  },
);

test.each(PREVIEWED.filter(([, { preview }]) => preview?.error))(
  'refuses %s on inspection, which the Python tool refuses only when it makes rows',
  async (file) => {
    expect((await previewed(file)).findings).toMatchObject([{ type: 'selection_outside' }]);
  },
);

test('keeps dates, times and decimals as types of the dataset, and stores other types beyond JSON as text', async () => {
  const path = join(folder, 'types.parquet');
  const values = `1::TINYINT AS tiny, 2::UINTEGER AS uint, 1.5::DECIMAL(5,2) AS decimal, 1::FLOAT AS float,
    1.5::DECIMAL(16,2) AS long, DATE '2024-01-02' AS date, TIMESTAMP '2024-01-02 03:04:05' AS stamp,
    TIMESTAMPTZ '2024-01-02 03:04:05' AS zoned, TIMESTAMP_NS '2024-01-02 03:04:05' AS nanos, TIME '01:02:03' AS time, uuid() AS id,
    '\\xAA'::BLOB AS bytes, MAP {'a': 1} AS map, [1, 2]::INTEGER[2] AS array, INTERVAL 1 DAY AS span,
    {'when': DATE '2024-01-02', 'n': [1]} AS struct`;
  await withDuckDb((connection) => connection.run(`COPY (SELECT ${values}) TO '${path}'`));
  const columns = await columnsOf(local('types.parquet'));
  expect(columns?.slice(0, -1)).toEqual([
    ['tiny', 'int64'],
    ['uint', 'int64'],
    ['decimal', { logical: 'decimal', precision: 5, scale: 2 }],
    ['float', 'float64'],
    ['long', 'float64'],
    ['date', { logical: 'date' }],
    ['stamp', { logical: 'timestamp', unit: 'us', zoned: false }],
    ['zoned', { logical: 'timestamp', unit: 'us', zoned: true }],
    ['nanos', { logical: 'timestamp', unit: 'ns', zoned: false }],
    ['time', { logical: 'time', unit: 'us' }],
    ['id', 'utf8'],
    ['bytes', 'utf8'],
    ['map', 'utf8', 'json'],
    ['array', { list: 'int64' }],
    ['span', 'utf8'],
  ]);
  expect(columns?.at(-1)?.[1]).toMatchObject({ struct: [{ type: { logical: 'date' } }, { type: { list: 'int64' } }] });
});

test('an integer column with nulls stays an integer column', async () => {
  expect(await columnsOf(local(write('gaps.csv', 'a,b\n1,\n,2\n')))).toEqual([
    ['a', 'int64'],
    ['b', 'int64'],
  ]);
});

test('stores values of several types as JSON text', async () => {
  expect(await columnsOf(local(write('mixed.json', '[{"a":1},{"a":"x"}]')))).toEqual([['a', 'utf8', 'json']]);
});

const wide = (name: string, values: string) =>
  withDuckDb((connection) => connection.run(`COPY (SELECT * FROM (VALUES ${values}) t(n)) TO '${join(folder, name)}'`));

test("stores integers that fit 64 bits as integers and others as text, whatever the file's type", async () => {
  await wide('fits.parquet', '(1::UBIGINT), (NULL)');
  await wide('wide.parquet', '(1::UBIGINT), (18446744073709551615::UBIGINT)');
  expect(await columnsOf(local('fits.parquet'))).toEqual([['n', 'int64']]);
  expect(await columnsOf(local('wide.parquet'))).toEqual([['n', 'utf8']]);
  expect(await columnsOf(local(write('wide.json', '[{"n":18446744073709551615}]')))).toEqual([['n', 'utf8']]);
});

test.each([
  { start: 0, end: 4 },
  { index: 0, numPartitions: 5 },
  { index: 0, numPartitions: 1 },
])('the selection %o lies within five rows', async (selection) => {
  const inspection = await inspectSeed(seed({ seedType: 'local', path: 'keepers.json' }, selection), { folder: data });
  expect(inspection).toMatchObject({ rows: 5, findings: [] });
});

test.each([
  [{ start: 0, end: 5 }, 'end'],
  [{ index: 0, numPartitions: 6 }, 'numPartitions'],
])('the selection %o exceeds five rows and is reported', async (selection, key) => {
  const source = { seedType: 'local', path: 'keepers.json' } as const;
  const rows = Array.from({ length: 5 }, (_, n) => ({ n }));
  for (const one of [source, { seedType: 'df', rows } as const]) {
    expect(await findingsOf(inspectSeed(seed(one, selection), { folder: data }))).toEqual([
      `ERROR selectionStrategy.${key}: selection_outside`,
    ]);
  }
});

function tornFooter(): Uint8Array {
  const bytes = readFileSync(join(data, 'tides.parquet'));
  bytes.subarray(-600, -8).fill(0x41);
  return bytes;
}

const BAD: readonly [string, string | Uint8Array, string][] = [
  ['garbage.csv', Uint8Array.from({ length: 5000 }, (_, n) => (n * 7919 + 13) % 256), 'seed_unreadable'],
  ['latin.csv', Buffer.from('name\nJos\u00e9\n', 'latin1'), 'seed_unreadable'],
  ['garbage.json', Uint8Array.from([0xff, 0xfe, 1, 2, 3]), 'seed_unreadable'],
  ['torn.json', '[{"a":1},{"a":', 'seed_unreadable'],
  ['torn.jsonl', '{"a":1}\n{"a":', 'seed_unreadable'],
  ['twice.json', '[{"a":1,"a":2}]', 'seed_unreadable'],
  ['lists.json', `[{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}]`, 'seed_unreadable'],
  ['mappings.jsonl', `{"b":1}\n{"torn":"\n${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`, 'seed_unreadable'],
  ['garbage.parquet', new Uint8Array(3000).fill(7), 'seed_unreadable'],
  ['torn.parquet', readFileSync(join(data, 'tides.parquet')).subarray(0, 1500), 'seed_unreadable'],
  ['torn-footer.parquet', tornFooter(), 'seed_unreadable'],
  ['no-parquet.parquet', 'a,b\n1,2\n', 'seed_unreadable'],
  ['empty.csv', '', 'seed_empty'],
  ['empty.json', '', 'seed_empty'],
  ['empty.parquet', '', 'seed_empty'],
  ['header.csv', 'a,b\n', 'seed_empty'],
  ['no-rows.json', '[]', 'seed_empty'],
  ['blank.jsonl', '\n\n', 'seed_empty'],
];

test.each(BAD)('reports %s', async (name, content, type) => {
  const inspection = await local(write(`bad/${name}`, content));
  expect(inspection.findings.map((finding) => finding.type)).toEqual([type]);
  expect(inspection.findings[0]?.message).toContain(name);
  expect(inspection.findings[0]?.message).not.toMatch(/\n|LINE 1|Try |Possible/);
});

test('reads the columns of a file that has a header and no rows', async () => {
  expect(await columnsOf(local(write('header.csv', 'a,b\n')))).toEqual([
    ['a', 'utf8'],
    ['b', 'utf8'],
  ]);
});

test('accepts NUL in text', async () => {
  expect(await findingsOf(local(write('nul.csv', 'a,b\n1,x\0y\n2,z\n')))).toEqual([]);
});

test('refuses a missing file, a folder and a pipe', async () => {
  mkdirSync(join(folder, 'odd', 'x.csv'), { recursive: true });
  expect(await findingsOf(local('gone.csv'))).toEqual(['ERROR source.path: seed_unreadable']);
  expect(await findingsOf(local('odd/x.csv'))).toEqual(['ERROR source.path: seed_unreadable']);
  expect((await local('odd/*.csv')).findings[0]?.message).toContain('it is a folder');
  if (process.platform === 'win32') return;
  execFileSync(MAKE_PIPE, [join(folder, 'odd', 'y.json')]);
  expect((await local('odd/*.json')).findings[0]?.message).toContain('it is not a regular file');
  symlinkSync('/dev/zero', join(folder, 'odd', 'z.jsonl'));
  expect((await local('odd/*.jsonl')).findings[0]?.message).toContain('it is not a regular file');
});

test('takes a path literally, even if other files match it as a pattern', async () => {
  const names = ['q\'uo"te;--.csv', 'st*r.csv', 'br[1].csv', 'que?.csv', 'cur{a,b}.csv', '$dollar %41 ü.csv', ' .csv'];
  for (const near of ['star.csv', 'br1.csv', 'quex.csv']) write(`signs/${near}`, 'wrong\n1\n');
  for (const name of names) {
    write(`signs/${name}`, 'right\n1\n');
    expect([name, await columnsOf(local(`signs/${name}`))]).toEqual([name, [['right', 'int64']]]);
  }
  write('signs/[x]*/a.csv', 'right\n1\n');
  expect(await columnsOf(local('signs/[x]*/*.csv'))).toEqual([['right', 'int64']]);
});

test.skipIf(process.platform === 'win32')(
  'accepts a backslash in a path, and refuses it together with a glob character',
  async () => {
    expect(await columnsOf(local(write('back\\slash.csv', 'right\n1\n')))).toEqual([['right', 'int64']]);
    expect((await local(write('back\\sl[1].csv', 'right\n1\n'))).findings[0]?.message).toContain(
      'its path contains a backslash',
    );
  },
);

test('joins files with different columns, skips empty ones, and names one that is not UTF-8', async () => {
  write('kinds/a.csv', '');
  write('kinds/b.csv', 'k,v\n1,2\n');
  expect(await columnsOf(local('kinds/*.csv', { start: 0, end: 0 }))).toEqual([
    ['k', 'int64'],
    ['v', 'int64'],
  ]);
  write('kinds/c.csv', 'k,w\n1,2\n');
  expect(await columnsOf(local('kinds/*.csv'))).toEqual([
    ['k', 'int64'],
    ['v', 'int64'],
    ['w', 'int64'],
  ]);
  write('kinds/d.csv', Buffer.from('k,v\n1,\u00e9\n', 'latin1'));
  const { findings } = await local('kinds/*.csv');
  expect(findings.map(({ message }) => message)).toEqual([expect.stringMatching(/d\.csv cannot be read: .*utf-8/)]);
});

const twin = (name: string, content: string | Uint8Array) => [name, content] as const;

test.each([
  twin('twins.csv', 'Name,name\n1,2\n'),
  twin('same.csv', 'Name,Name\n1,2\n'),
  twin('twins.json', '[{"Name":1,"name":2}]'),
  twin(
    'twins.parquet',
    new Uint8Array(
      parquetWriteBuffer({
        columnData: [
          { name: 'Name', data: [1] },
          { name: 'name', data: [2] },
        ],
      }),
    ),
  ),
])('warns about duplicate column names in %s, ignoring case, and gives the new name', async (name, content) => {
  const inspection = await local(write(`twins/${name}`, content));
  expect(inspection.findings).toMatchObject([{ level: 'WARNING', type: 'seed_column_twice' }]);
  expect(inspection.findings[0]?.message).toContain("'name_1'".replace('name', name === 'same.csv' ? 'Name' : 'name'));
});

test.each([
  twin('own.csv', 'name,name_1\n1,2\n'),
  twin('own.json', '[{"name":1,"name_1":2}]'),
  twin('skipped.csv', 'name,x,name_2\n1,2,3\n'),
])('does not warn about the numbered column names in %s', async (name, content) => {
  expect(await findingsOf(local(write(`twins/${name}`, content)))).toEqual([]);
});

test('gives fixed columns for files in a folder, and counts the files', async () => {
  const source = {
    seedType: 'file_contents',
    path: 'notes',
    filePattern: '*.txt',
    recursive: true,
    encoding: 'utf-8',
  } as const;
  const inspection = inspectSeed(seed(source, { start: 0, end: 2 }), { folder: data });
  expect((await inspection).rows).toBe(2);
  expect((await columnsOf(inspection))?.map(([name]) => name)).toEqual([
    'source_kind',
    'source_path',
    'relative_path',
    'file_name',
    'content',
  ]);
  expect(await findingsOf(inspection)).toEqual(['ERROR selectionStrategy.end: selection_outside']);
});

test('warns about links that lead out of the folder', async () => {
  write('linked/a.txt', 'a');
  symlinkSync(join(folder, write('beside.txt', 'b')), join(folder, 'linked', 'b.txt'));
  const source = { seedType: 'directory', path: 'linked', filePattern: '*', recursive: true } as const;
  const inspection = inspectSeed(seed(source), { folder });
  expect(await findingsOf(inspection)).toEqual(['WARNING source.path: seed_files_left_out']);
  expect((await inspection).rows).toBe(1);
});

test.each([
  [{ seedType: 'directory', path: 'nowhere', filePattern: '*', recursive: true } as const, 'seed_unreadable'],
  [
    { seedType: 'agent_rollout', format: 'codex', path: '.', filePattern: null, recursive: true } as const,
    'seed_empty',
  ],
])('reports a folder without rows: %o', async (source, type) => {
  expect(await findingsOf(inspectSeed(seed(source), { folder: data }))).toEqual([`ERROR source.path: ${type}`]);
});

test('gives no columns or rows for a Hub table before a run', async () => {
  const source = {
    seedType: 'hf',
    path: 'datasets/a/b/c.csv',
    token: null,
    endpoint: 'https://huggingface.co',
  } as const;
  expect(await inspectSeed(seed(source, { start: 0, end: 9 }), { folder })).toEqual({
    columns: undefined,
    rows: undefined,
    findings: [],
  });
});

test('types rows in memory by their values', async () => {
  const rows = [
    { n: 1, f: 1, g: new Float(1), t: 'a', b: true, when: new Date(0), none: null },
    { n: 2n, f: 1.5, t: null, late: [1], odd: { a: 1 } },
  ];
  const inspection = inspectSeed(seed({ seedType: 'df', rows }), { folder });
  expect(await columnsOf(inspection)).toEqual([
    ['n', 'int64'],
    ['f', 'float64'],
    ['g', 'float64'],
    ['t', 'utf8'],
    ['b', 'bool'],
    ['when', { logical: 'timestamp', unit: 'ms', zoned: true }],
    ['none', 'null'],
    ['late', { list: 'int64' }],
    ['odd', { struct: [{ name: 'a', type: 'int64', nullable: true }] }],
  ]);
  expect(await inspection).toMatchObject({ rows: 2, findings: [] });
});

const inspect = (rows: readonly Record<string, unknown>[]) =>
  findingsOf(inspectSeed(seed({ seedType: 'df', rows }), { folder }));

test('reports unusable rows in memory by row and column', async () => {
  const circle: Record<string, unknown> = {};
  circle.again = circle;
  expect(await inspect([])).toEqual(['ERROR source.rows: seed_empty']);
  expect(await inspect([{}, {}])).toEqual(['ERROR source.rows: seed_empty']);
  expect(await inspect([{ a: 1 }, { a: () => 1 }])).toEqual(['ERROR source.rows.1.a: seed_unreadable']);
  expect(await inspect([{ a: [new Map()] }])).toEqual(['ERROR source.rows.0.a: seed_unreadable']);
  expect(await inspect([{ a: Uint8Array.of(1) }, { a: 'AQ==' }])).toEqual(['ERROR source.rows.1.a: seed_unreadable']);
  expect(await inspect([{ a: circle }])).toEqual(['ERROR source.rows.0.a: seed_unreadable']);
  expect(await inspect([{ Name: 1, name: 2 }])).toEqual(['WARNING source.rows: seed_column_twice']);
});

test('leaves no files in the working folder', () => {
  expect(readdirSync('.').filter((name) => name.includes('tmp'))).toEqual([]);
});

const LONG = 'x'.repeat(5000);

test.each([
  ['a file of lines', { seedType: 'local', path: 'long.jsonl' }],
  ['a file of Parquet', { seedType: 'local', path: 'long.parquet' }],
  ['a small CSV file', { seedType: 'local', path: 'long.csv' }],
  [
    'files of a folder',
    { seedType: 'file_contents', path: 'long', filePattern: '*.txt', recursive: false, encoding: 'utf-8' },
  ],
  ['rows of the program', { seedType: 'df', rows: [{ text: LONG }, { text: LONG }] }],
] as const)('%s tell about how long a row is', async (_source, source) => {
  write('long.jsonl', `${JSON.stringify({ text: LONG })}\n`.repeat(3));
  const texts = { name: 'text', type: 'STRING', data: ['a', 'b', 'c'].map((start) => start + LONG) } as const;
  write('long.parquet', new Uint8Array(parquetWriteBuffer({ columnData: [texts], codec: 'UNCOMPRESSED' })));
  write('long.csv', `text\n${`${LONG}\n`.repeat(20)}`);
  write('long/one.txt', LONG);
  const { source: rows } = await inspectSeed(seed(source), { folder });
  expect(Math.round((rows?.rowBytes ?? 0) / 1000)).toBe(5);
});

test('a JSON array on one line does not tell how long a row is', async () => {
  write('array.json', JSON.stringify(Array.from({ length: 100 }, () => ({ text: LONG }))));
  expect((await local('array.json')).source?.rowBytes).toBeUndefined();
});
