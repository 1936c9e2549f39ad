import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { customProcessor, DataDesigner, DataDesignerConfigBuilder } from 'data-designer';
import { asyncBufferFromFile, parquetMetadataAsync } from 'hyparquet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SeedDeclaration } from '@data-designer/config';

/** Six rows of every type of time, decimals and nulls; the second row is null. */
const times = fileURLToPath(new URL('fixtures/times.parquet', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'seed-types-'));
const designer = new DataDesigner({ artifactPath: folder });
let duckDb: DuckDBConnection;

beforeAll(async () => {
  duckDb = await (await DuckDBInstance.create(':memory:')).connect();
  await duckDb.run("SET TimeZone = 'UTC'");
});

afterAll(async () => {
  await designer[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const seeded = (source: SeedDeclaration['source']) =>
  new DataDesignerConfigBuilder()
    .withSeedDataset(source)
    .addColumn({ name: 'last', columnType: 'expression', expr: '{{ kind }}' })
    .addColumn({ name: 'kind', columnType: 'sampler', samplerType: 'category', params: { values: ['a'] } });

const file = (path: string) => seeded({ seedType: 'local', path });

const query = async (sql: string) => (await duckDb.runAndReadAll(sql)).getRowsJson();

/** The names and types of a file's columns, as DuckDB reads them. */
async function typesOf(sql: string): Promise<Record<string, unknown>> {
  return Object.fromEntries((await query(`DESCRIBE SELECT * FROM ${sql}`)).map(([name, type]) => [name, type]));
}

const TYPES = {
  id: 'BIGINT',
  day: 'DATE',
  at: 'TIMESTAMP',
  nanos: 'TIMESTAMP_NS',
  zoned: 'TIMESTAMP WITH TIME ZONE',
  clock: 'TIME',
  price: 'DECIMAL(10,2)',
  nothing: 'INTEGER',
  days: 'DATE[]',
  card: 'STRUCT("day" DATE, "none" INTEGER)',
};

test('dates, times, decimals and nulls of a Parquet file keep types and values, before samplers and other columns', async () => {
  const results = await designer.create(file(times), { numRecords: 6, datasetName: 'own' });
  const made = `'${results.path}/parquet-files/*.parquet'`;
  const types = await typesOf(made);
  expect(types).toEqual({ ...TYPES, kind: 'VARCHAR', last: 'VARCHAR' });
  expect(Object.keys(types)).toEqual([...Object.keys(TYPES), 'kind', 'last']);
  expect(await query(`SELECT * EXCLUDE (kind, last) FROM ${made} ORDER BY id`)).toEqual(
    await query(`SELECT * FROM '${times}' ORDER BY id`),
  );
  const table = await results.toArrow();
  expect(Object.fromEntries(table.schema.fields.map(({ name, type }) => [name, String(type)]))).toMatchObject({
    day: 'Date32<DAY>',
    at: 'Timestamp<MICROSECOND>',
    nanos: 'Timestamp<NANOSECOND>',
    zoned: 'Timestamp<MICROSECOND, UTC>',
    clock: 'Time64<MICROSECOND>',
    price: 'Decimal[10e+2]',
    nothing: 'Null',
    days: 'List<Date32<DAY>>',
  });
});

const records = (made: { readonly records: () => AsyncIterable<object> }) => Array.fromAsync(made.records());

test(
  'Arrow files have the same types, and records of both formats and of previews are equal',
  { tags: 'long' },
  async () => {
    const [arrow, parquet, preview] = [
      await records(await designer.create(file(times), { numRecords: 6, datasetName: 'arrow', format: 'arrow' })),
      await records(await designer.create(file(times), { numRecords: 6, datasetName: 'parquet' })),
      await records(await designer.preview(file(times), { numRecords: 6 })),
    ];
    expect(arrow).toEqual(parquet);
    expect(preview).toEqual(parquet);
    expect(parquet.slice(0, 2)).toMatchObject([
      {
        day: '2024-01-02',
        nanos: '2024-01-02T03:04:05.250001002',
        zoned: '2024-01-02T03:04:05.250000+00:00',
        price: 12.5,
        card: { day: '2024-01-02', none: null },
      },
      { day: null, nanos: null, price: null, days: null, nothing: null },
    ]);
  },
);

test('the layout of the Python tool names the zone of timestamps as that tool does', async () => {
  designer.setRunConfig({ pythonLayout: true });
  const { path } = await designer.create(file(times), { numRecords: 6, datasetName: 'python' });
  designer.setRunConfig({});
  expect(await typesOf(`'${path}/parquet-files/*.parquet'`)).toMatchObject(TYPES);
  const [name = ''] = readdirSync(join(path, 'parquet-files'));
  const { key_value_metadata: entries = [] } = await parquetMetadataAsync(
    await asyncBufferFromFile(join(path, 'parquet-files', name)),
  );
  const stored = entries.find(({ key }) => key === 'ARROW:schema')?.value ?? '';
  expect(Buffer.from(stored, 'base64').toString('latin1')).toContain('Etc/UTC');
});

const write = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

test.each<readonly [string, () => SeedDeclaration['source'], readonly [type: string, text: string]]>([
  ['CSV', () => ({ seedType: 'local', path: write('a.csv', 'n,at\n1,2024-01-02\n2,\n') }), ['DATE', '2024-01-02']],
  [
    'JSON lines',
    () => ({ seedType: 'local', path: write('a.jsonl', '{"at":"2024-01-02 03:04:05"}\n{"at":null}\n') }),
    ['VARCHAR', '2024-01-02 03:04:05'],
  ],
  [
    'rows of the program',
    () => ({ seedType: 'df', rows: [{ at: new Date('2024-01-02T03:04:05.25Z') }, {}] }),
    ['TIMESTAMP WITH TIME ZONE', '2024-01-02T03:04:05.250Z'],
  ],
])('times of %s keep their type, and texts of JSON stay text', { tags: 'long' }, async (name, source, [type, text]) => {
  const results = await designer.create(seeded(source()), { numRecords: 2, datasetName: name.replaceAll(' ', '-') });
  expect(await typesOf(`'${results.path}/parquet-files/*.parquet'`)).toMatchObject({ at: type });
  expect((await records(results)).map((row) => Object(row).at as unknown)).toEqual([text, null]);
});

test('a processor may replace a date by any text, so that the column is text', async () => {
  const config = file(times).addProcessor(
    customProcessor({
      name: 'reword',
      process: (rows: readonly Record<string, unknown>[]) => rows.map((row) => ({ ...row, day: 'soon', nothing: 'x' })),
    }),
  );
  const results = await designer.create(config, { numRecords: 2, datasetName: 'reworded' });
  expect((await Array.fromAsync(results.records()))[0]).toMatchObject({ day: 'soon', nothing: 'x' });
});

test('the profile describes dates and decimals of the seed', { tags: 'long' }, async () => {
  const results = await designer.create(file(times), { numRecords: 6, datasetName: 'profiled' });
  const { columns } = (await results.loadAnalysis()).profile;
  const known = Object.fromEntries(columns.map(({ name, ...profile }) => [name, profile]));
  expect(known).toMatchObject({
    day: { storedType: 'date32[day]', dataType: 'date', nulls: 1, dates: { min: '2024-01-02', max: '2024-01-07' } },
    zoned: { storedType: 'timestamp[us, tz=UTC]', dates: { max: '2024-01-02T08:04:05' } },
    clock: { storedType: 'time64[us]', dataType: 'time', unique: 5 },
    price: { storedType: 'decimal128(10, 2)', dataType: 'decimal', numbers: { min: 12.5, max: 17.5 } },
    nothing: { storedType: 'null', nulls: 6 },
  });
});
