import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { columnTypes } from '@data-designer/columns';
import { ColumnRegistry, parseDataset, parseRunConfig } from '@data-designer/config';
import { type ArrowField, type CellValue, field, type Plan, Random } from '@data-designer/core';
import { withBoundedDuckDb } from '@data-designer/seeds/duck-db';
import { compile } from '../../engine/src/compile/compile.ts';
import { columnStatistics } from './columns/column-statistics.ts';
import { PlainStatistics } from './columns/plain-statistics.ts';
import { SqlStatistics } from './columns/sql-statistics.ts';
import type { ColumnProfile, DateProfile, NumberProfile } from './dataset-profile.ts';
import { type CountedProfile, profileDataset } from './profile-dataset.ts';
import { ProfiledTable } from './table/profiled-table.ts';
import type { SampledRow } from './table/table-statistics.ts';
import { writeDataFile } from '../../dataset/test/data-files.ts';

const registry = new ColumnRegistry(columnTypes);
let folder: string;
let files = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'profile-'));
});
afterAll(() => rm(folder, { recursive: true }));

function planOf(document: object): Plan {
  const { config } = parseDataset(document, registry);
  const runConfig = parseRunConfig({ seed: 1 }, 'The test');
  const plan = compile(config, { registry, numRecords: 8, runConfig, modelProviders: [], knownTools: [] });
  return { ...plan, fields: plan.fields.map((one) => ({ ...one, nullable: true })) };
}

/** Writes the columns of a plan that there are values of; returns the path. */
async function fileOf(plan: Plan, columns: Readonly<Record<string, readonly CellValue[]>>): Promise<string> {
  const path = join(folder, `${files++} 'quoted' [x].parquet`);
  const fields = plan.fields.filter(({ name }) => name in columns);
  const rows = Object.values(columns)[0]?.length ?? 0;
  await writeDataFile(path, { fields, columns: new Map(Object.entries(columns)), rows });
  return path;
}

/** The profile of some values under a plan; each array of columns is a file. */
async function profileOf(
  plan: Plan,
  parts: readonly Readonly<Record<string, readonly CellValue[]>>[],
): Promise<CountedProfile> {
  const paths: string[] = [];
  for (const columns of parts) paths.push(await fileOf(plan, columns));
  return profileDataset({ name: 'test', files: paths, plan, registry, folder });
}

const drawn = (name: string, samplerType: string, params: object) => ({
  name,
  column_type: 'sampler',
  sampler_type: samplerType,
  params,
});
const columnOf = ({ columns }: CountedProfile, name: string) =>
  columns.find((one) => one.name === name) as ColumnProfile;

/** A plan of columns with the given stored types; their samplers do not matter here. */
function planWith(fields: readonly ArrowField[], configs: Readonly<Record<string, object>> = {}): Plan {
  const plan = planOf({ columns: fields.map(({ name }) => drawn(name, 'uuid', {})) });
  const columns = plan.columns.map((column) => ({ ...column, config: { ...column.config, ...configs[column.name] } }));
  return { ...plan, columns, fields };
}

test('numeric statistics cover all files and leave out null, NaN and infinity', async () => {
  const plan = planOf({
    columns: [drawn('x', 'gaussian', { mean: 0, stddev: 1 }), drawn('n', 'poisson', { mean: 2 })],
  });
  const profile = await profileOf(plan, [
    { x: [1, 2, null, Number.NaN], n: [0, 1, 1, 4] },
    { x: [3, 10, Infinity, 2], n: [1, 0, 2, 3] },
  ]);
  expect(profile).toMatchObject({ records: 8, wanted: 8, sideEffects: [] });
  const x = columnOf(profile, 'x');
  expect(x).toMatchObject({ nulls: 1, storedType: 'double', dataType: 'float', samplerType: 'gaussian' });
  expect(x.numbers).toMatchObject({ count: 5, min: 1, max: 10, mean: 3.6, median: 2, isMedianEstimated: false });
  expect((x.numbers as { stddev: number }).stddev).toBeCloseTo(3.646917, 6);
  // Whole numbers of a small range have a bin each.
  expect(columnOf(profile, 'n').numbers).toMatchObject({ histogram: { low: 0, high: 4, counts: [2, 3, 1, 1, 1] } });
  expect(columnStatistics(columnOf(profile, 'n'))).toMatchObject({
    column_name: 'n',
    column_type: 'sampler',
    sampler_type: 'poisson',
    distribution_type: 'numerical',
    distribution: { min: 0, max: 4, mean: 1.5, median: 1 },
    num_records: 8,
    num_null: 0,
    num_unique: 5,
    pyarrow_dtype: 'int64',
    simple_dtype: 'int',
  });
});

test('numbers of any size are profiled', async () => {
  const plan = planWith([field('big', 'int64'), field('wide', 'float64'), field('one', 'float64')]);
  const profile = await profileOf(plan, [{ big: [2n ** 62n, -(2n ** 62n)], wide: [-1e308, 1e308], one: [5, 5] }]);
  expect(columnOf(profile, 'big').numbers).toMatchObject({ min: -(2 ** 62), max: 2 ** 62 });
  expect(columnOf(profile, 'one').numbers).toMatchObject({ stddev: 0, histogram: { counts: [2] } });
  expect(columnOf(profile, 'wide')).toMatchObject({ unique: 2 });
});

test('columns named like internal columns of the queries have correct statistics', async () => {
  const names = ['k', 't', 'x', 'x0', 'text', 'bin', 'records', 'item', 'key', 'value'];
  const plan = planWith([...names.map((name) => field(name, 'utf8')), field('tags', { list: 'utf8' })]);
  const columns = Object.fromEntries(names.map((name) => [name, ['a', 'b', 'a']]));
  const profile = await profileOf(plan, [{ ...columns, tags: [['a', 'b'], ['b', 'a'], []] }]);
  for (const name of names) {
    const top = [
      { value: 'a', records: 2 },
      { value: 'b', records: 1 },
    ];
    expect(columnOf(profile, name)).toMatchObject({ name, unique: 2, lengths: { max: 1 }, categories: { top } });
  }
  expect(columnOf(profile, 'tags').unique).toBe(2);
});

test('a number whose square overflows leaves the other statistics intact', async () => {
  const plan = planWith([field('huge', 'float64'), field('tiny', 'float64'), field('largest', 'float64')]);
  const huge = [2e200, -2e200, 4, 6];
  const tiny = [5e-324, 0, 0, 0];
  const largest = [Number.MAX_VALUE, -Number.MAX_VALUE, Number.MAX_VALUE, -Number.MAX_VALUE];
  const profile = await profileOf(plan, [{ huge, tiny, largest }]);
  const { stddev, histogram, ...figures } = columnOf(profile, 'huge').numbers as NumberProfile;
  expect(figures).toMatchObject({ count: 4, min: -2e200, max: 2e200, median: 5 });
  expect(stddev).toBeCloseTo(2e200 * Math.sqrt(2 / 3), -190);
  expect(histogram.counts.reduce((sum, count) => sum + count, 0)).toBe(4);
  const { counts } = (columnOf(profile, 'tiny').numbers as NumberProfile).histogram;
  expect([counts[0], counts.at(-1)]).toEqual([3, 1]);
  expect(columnOf(profile, 'largest').numbers).toMatchObject({ max: Number.MAX_VALUE, median: 0, stddev: null });
});

test('categories are counted, the most frequent first, text of any length', async () => {
  const long = 'z'.repeat(100_000);
  const plan = planOf({ columns: [drawn('c', 'category', { values: ['a', 'b', long] })] });
  const profile = await profileOf(plan, [{ c: ['b', 'a', 'b', long, null, 'b', 'a', ''] }]);
  expect(columnOf(profile, 'c')).toMatchObject({ unique: 4, nulls: 1 });
  expect(columnOf(profile, 'c').categories).toEqual({
    top: [
      { value: 'b', records: 3 },
      { value: 'a', records: 2 },
      { value: '', records: 1 },
      { value: `${'z'.repeat(200)}…`, records: 1 },
    ],
    least: '',
    otherRecords: 0,
  });
  expect(columnOf(profile, 'c').lengths).toMatchObject({ count: 7, min: 0, max: 100_000 });
});

test('nested values are equal whatever the order of their list items', async () => {
  const nested = { struct: [field('tags', { list: 'utf8' }), field('n', 'int64')] } as const;
  const plan = planWith([
    field('list', { list: 'int64' }),
    field('nested', { list: nested }),
    field('json', 'utf8', { json: true }),
  ]);
  const profile = await profileOf(plan, [
    {
      list: [[1, 2], [2, 1], [1, 2, 2], null],
      nested: [
        [
          { tags: ['a', 'b'], n: 1 },
          { tags: [], n: 2 },
        ],
        [
          { tags: [], n: 2 },
          { tags: ['b', 'a'], n: 1 },
        ],
        [
          { tags: ['a', 'b'], n: 2 },
          { tags: [], n: 1 },
        ],
        [],
      ],
      json: [['x', 1], [1, 'x'], { a: 1 }, 'x'],
    },
  ]);
  expect(['list', 'nested', 'json'].map((name) => columnOf(profile, name).unique)).toEqual([2, 3, 3]);
  expect(columnOf(profile, 'nested')).toMatchObject({
    dataType: 'list[dict]',
    storedType: 'list<element: struct<tags: list<element: string>, n: int64>>',
  });
});

test('passed validations are counted in structs, in JSON text and over several targets', async () => {
  const flat = { struct: [field('is_valid', 'bool'), field('why', 'utf8')] } as const;
  const config = { columnType: 'validation', validatorType: 'code' };
  const plan = planWith(
    [
      field('flat', flat),
      field('text', 'utf8', { json: true }),
      field('both', { struct: [field('a', flat), field('b', flat)] }),
      field('odd', 'utf8', { json: true }),
    ],
    { flat: config, text: config, both: config, odd: config },
  );
  const yes = { is_valid: true, why: null };
  const no = { is_valid: false, why: null };
  const profile = await profileOf(plan, [
    {
      flat: [yes, no, null, { is_valid: null, why: 'x' }],
      text: [{ is_valid: 'True' }, { is_valid: 1 }, { is_valid: 0 }, null],
      both: [
        { a: yes, b: yes },
        { a: yes, b: no },
        { a: no, b: no },
        { a: yes, b: yes },
      ],
      odd: [{ is_valid: 'perhaps' }, yes, yes, yes],
    },
  ]);
  expect(['flat', 'text', 'both', 'odd'].map((name) => columnOf(profile, name).valid)).toEqual([1, 2, 2, '--']);
});

test('columns that are null together are found, and numeric columns are correlated', async () => {
  const plan = planWith(['a', 'b', 'c'].map((name) => field(name, 'float64')));
  const profile = await profileOf(plan, [{ a: [1, 2, 3, null], b: [-2, -4, -6, null], c: [null, 1, 1, 1] }]);
  expect(profile.nullPatterns).toEqual([
    { columns: ['a', 'b'], records: 1 },
    { columns: ['c'], records: 1 },
  ]);
  expect(profile.correlations).toEqual({
    columns: ['a', 'b'],
    values: [
      [1, expect.closeTo(-1, 10)],
      [expect.closeTo(-1, 10), 1],
    ],
  });
});

test('large integers close together correlate like small ones', async () => {
  const plan = planWith([field('huge', 'int64'), field('share', 'float64')]);
  const huge = [1n, 2n, 3n, 5n].map((step) => 2n ** 55n + step);
  const profile = await profileOf(plan, [{ huge, share: [1.5, 3, 4.5, 7.5] }]);
  expect(profile.correlations?.values[0]?.[1]).toBeCloseTo(1, 10);
});

test('texts that are all dates are profiled as dates, with a histogram by calendar unit', async () => {
  const names = ['days', 'months', 'times', 'zones', 'read', 'mixed', 'late'];
  const formats = { read: { convertTo: "%d/%m/%Y 'x'" } };
  const plan = planWith(
    names.map((name) => field(name, 'utf8')),
    formats,
  );
  const nulls = Array.from({ length: 30 }, () => null);
  const pad = (values: readonly (string | null)[]) => [...values, ...nulls];
  const profile = await profileOf(plan, [
    {
      days: pad(['2024-02-28', '2024-03-01', '2024-02-28', null]),
      months: pad(['2019-01-01T00:00:00', '2024-07-01T00:00:00', '2024-06-01T00:00:00', '2019-01-01T00:00:00']),
      times: pad(['2024-03-01T10:00:00', '2024-03-01T10:00:59', null, '2024-03-01T10:00:30']),
      zones: pad(['2024-03-01T01:00:00+02:00', '2024-02-29T23:00:00Z', '2024-02-29 23:00:00', null]),
      read: pad(["31/01/0099 'x'", "01/02/2024 'x'", null, null]),
      mixed: pad(['2024-02-28', 'not known', '2024-02-28 (BC)', null]),
      late: [...nulls, '0001-01-01', '9999-12-31T23:59:59', null, null],
    },
  ]);
  expect(columnOf(profile, 'days')).toMatchObject({
    dates: {
      count: 3,
      min: '2024-02-28',
      max: '2024-03-01',
      precision: 'day',
      histogram: { unit: 'day', starts: ['2024-02-28', '2024-02-29', '2024-03-01'], counts: [2, 0, 1] },
    },
    categories: { top: [{ value: '2024-02-28', records: 2 }, { records: 1 }] },
  });
  expect(columnOf(profile, 'days')).not.toHaveProperty('lengths');
  const { histogram } = columnOf(profile, 'months').dates as DateProfile;
  expect([histogram.unit, histogram.starts.length]).toEqual(['quarter', 23]);
  expect([histogram.starts[0], histogram.starts[22], histogram.counts[21]]).toEqual(['2019-01-01', '2024-07-01', 1]);
  const times = columnOf(profile, 'times').dates as DateProfile;
  expect(times).toMatchObject({ min: '2024-03-01T10:00:00', max: '2024-03-01T10:00:59', precision: 'second' });
  expect([times.histogram.unit, times.histogram.counts.length]).toEqual(['second', 60]);
  expect(columnOf(profile, 'zones').dates).toMatchObject({ min: '2024-02-29T23:00:00', histogram: { counts: [3] } });
  expect(columnOf(profile, 'read').dates).toMatchObject({
    min: '0099-01-31',
    max: '2024-02-01',
    histogram: { unit: 'century', starts: expect.arrayContaining(['0000-01-01', '2000-01-01']) },
  });
  expect(columnOf(profile, 'mixed')).toMatchObject({ lengths: { min: 9, max: 15 } });
  expect(columnOf(profile, 'mixed')).not.toHaveProperty('dates');
  const late = columnOf(profile, 'late').dates as DateProfile;
  expect([late.histogram.unit, late.histogram.counts.length, late.max]).toEqual([
    'century',
    100,
    '9999-12-31T23:59:59',
  ]);
});

test(
  'structs are profiled by field, nested ones by their path; constants and examples are values as text',
  { tags: 'long' },
  async () => {
    const home = { struct: [field('town', 'utf8'), field('since', 'utf8')] } as const;
    const person = {
      struct: [field('a.b "c"', 'int64'), field('home', home), field('tags', { list: 'utf8' })],
    } as const;
    const wide = { struct: Array.from({ length: 62 }, (_, at) => field(`f${at}`, 'bool')) };
    const plan = planWith([
      field('person', person),
      field('wide', wide),
      field('text', 'utf8'),
      field('none', 'float64'),
    ]);
    const cells = [
      { 'a.b "c"': 1n, home: { town: 'Bern', since: '2020-01-01' }, tags: ['x', 'y'] },
      { 'a.b "c"': 4n, home: { town: 'Bern', since: null }, tags: ['y', 'x'] },
      null,
      { 'a.b "c"': 4n, home: { town: 'Bern', since: '2021-01-01' }, tags: [] },
    ];
    const full = Object.fromEntries(wide.struct.map(({ name }) => [name, true]));
    const long = '"é'.repeat(150);
    const profile = await profileOf(plan, [
      { person: cells, wide: [full, full, full, full], text: [long, long, long, long], none: [null, null, null, null] },
    ]);
    expect(columnOf(profile, 'person').fields).toMatchObject([
      { path: ['a.b "c"'], dataType: 'int', nulls: 1, unique: 2, numbers: { min: 1, max: 4, median: 4 } },
      { path: ['home', 'town'], nulls: 1, unique: 1, categories: { top: [{ value: 'Bern', records: 3 }] } },
      { path: ['home', 'since'], nulls: 2, dates: { min: '2020-01-01', max: '2021-01-01', precision: 'year' } },
      { path: ['tags'], dataType: 'list[string]', nulls: 1, unique: 2 },
    ]);
    expect(columnOf(profile, 'wide')).toMatchObject({
      omittedFields: 2,
      fields: { length: 60, 0: { constant: 'true' } },
    });
    expect(columnOf(profile, 'text').constant).toBe(`${long.slice(0, 200)}…`);
    expect(columnOf(profile, 'person').examples).toEqual([
      '{"a.b \\"c\\"":1,"home":{"town":"Bern","since":"2020-01-01"},"tags":["x","y"]}',
      expect.any(String),
      null,
    ]);
    const constants = profile.columns.map(({ constant }) => constant !== undefined);
    expect(constants).toEqual([false, true, true, false]);
    expect(Object.keys(columnStatistics(columnOf(profile, 'person')) as object)).toEqual(
      Object.keys(columnStatistics(columnOf(profile, 'none')) as object),
    );
  },
);

const scored = (type: 'int64' | 'utf8') => ({ struct: [field('reasoning', 'utf8'), field('score', type)] }) as const;
const cell = (fit: string, tone: string, bad: number | null) => ({
  Fit: { reasoning: 'so', score: fit },
  'T/o~ne "x"': { reasoning: 'so', score: tone },
  Bad: { reasoning: 'so', score: bad },
});

test('integer scores of a judge have statistics, and a malformed judgement marks only its own score', async () => {
  const type = {
    struct: [field('Fit', scored('utf8')), field('T/o~ne "x"', scored('utf8')), field('Bad', scored('int64'))],
  };
  const plan = planWith([field('judge', type)], {
    judge: { columnType: 'llm-judge', scores: [{ name: 'Fit' }, { name: 'T/o~ne "x"' }, { name: 'Bad' }] },
  });
  const profile = await profileOf(plan, [
    { judge: [cell('4', 'dry', 1), cell('2', '1', null), null, cell('4', 'dry', 1)] },
  ]);
  const [fit, tone, bad] = profile.judges[0]?.scores ?? [];
  expect(fit?.distribution).toMatchObject({ records: 3, numbers: { mean: 10 / 3, median: 4 } });
  expect(tone?.distribution).toEqual({
    records: 3,
    options: [
      { value: 'dry', records: 2 },
      { value: '1', records: 1 },
    ],
    numbers: null,
  });
  expect(bad?.distribution).toBe('--');
});

test('a column missing from the files is marked, and the others have statistics', async () => {
  const plan = planWith([field('there', 'int64'), field('gone', 'int64')]);
  const profile = await profileOf(plan, [{ there: [1, 2] }]);
  expect(columnOf(profile, 'gone')).toMatchObject({ nulls: '--', unique: '--', numbers: '--' });
  expect(columnOf(profile, 'there')).toMatchObject({ unique: 2 });
});

test('a dataset without rows, and one of hundreds of columns, are profiled', { tags: 'long' }, async () => {
  const names = Array.from({ length: 200 }, (_, at) => `column ${at} "'`);
  // A float is counted in SQL, and all others with it.
  const plan = planWith([...names.map((name) => field(name, 'utf8')), field('real', 'float64')]);
  const empty = await profileOf(planWith([field('x', 'float64')]), [{ x: [] }]);
  expect(columnOf(empty, 'x')).toMatchObject({ records: 0, unique: 0 });
  const values = ['a', 'b', 'b'];
  const profile = await profileOf(plan, [
    { ...Object.fromEntries(names.map((name) => [name, values])), real: [0.5, 1.5, 1.5] },
  ]);
  expect(profile.columns.every(({ unique }) => unique === 2)).toBe(true);
});

/** Numbers to ten digits, as sums in another order have other last ones; texts as DuckDB's client reads them, without U+FEFF. */
function compared(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, comparedPart));
}

function comparedPart(_: string, value: unknown): unknown {
  if (typeof value === 'string') return value.replace('\uFEFF', '');
  return typeof value === 'number' ? Number(value.toPrecision(10)) : value;
}

describe('a small dataset that is counted without DuckDB', () => {
  const plain = [
    field('text', 'utf8'),
    field('kind', 'utf8'),
    field('n', 'int64'),
    field('m', 'int64'),
    field('is', 'bool'),
    field('same', 'utf8'),
    field('none', 'utf8'),
  ];
  const columns = {
    kind: { samplerType: 'category', columnType: 'sampler' },
    m: { samplerType: 'category', columnType: 'sampler' },
  };
  const kinds = [
    'b',
    '\u{FEFF}b',
    'a',
    'B',
    'ä',
    '\u{1F600}',
    '\u{E000}',
    '\uFFFD',
    '',
    "it's",
    'x'.repeat(300),
    '\u{1F986}'.repeat(150),
  ];

  const manyFields = Array.from({ length: 81 }, (_, at) => field(`c${at}`, 'int64'));

  function draw(rows: number, random: ReturnType<Random['at']>) {
    const orNull = (value: CellValue) => (random.below(9) === 0 ? null : value);
    const list = (next: () => CellValue) => Array.from({ length: rows }, () => orNull(next()));
    const span = [2, 40, 1e6, 2 ** 53 - 1][random.below(4)] ?? 2;
    return {
      text: list(() => `${kinds[random.below(kinds.length)]} ${random.below(rows + 1)}`),
      kind: list(() => kinds[random.below(kinds.length)] ?? ''),
      n: list(() => random.below(span) - random.below(span)),
      m: list(() => random.below(5)),
      is: list(() => random.below(2) === 0),
      same: Array.from({ length: rows }, () => '\u{1F600}'),
      none: Array.from({ length: rows }, () => null),
      // No type of those that are counted without it.
      real: Array.from({ length: rows }, () => 0.5),
    };
  }

  for (const { rows, tags } of [
    { rows: 1, tags: [] },
    { rows: 2, tags: ['long'] },
    { rows: 3, tags: ['long'] },
    { rows: 20, tags: ['long'] },
    { rows: 21, tags: ['long'] },
    { rows: 100, tags: ['long'] },
    { rows: 999, tags: [] },
  ])
    test(`has the same statistics (${rows} rows)`, { tags }, async () => {
      const random = Random.of(rows, 'statistics').at(0);
      for (let round = 0; round < 5; round++) {
        const { real, ...cells } = draw(rows, random);
        const parts = [cells, draw(7, random)];
        const own = await profileOf(planWith(plain, columns), parts);
        const withReal = planWith([...plain, field('real', 'float64')], columns);
        const counted = await profileOf(withReal, [{ ...cells, real }, parts[1] ?? {}]);
        for (const { name } of plain) expect(compared(columnOf(own, name))).toEqual(compared(columnOf(counted, name)));
        expect(compared(own.correlations)).toEqual(compared(counted.correlations));
        expect(own.nullPatterns).toEqual(counted.nullPatterns);
      }
    });

  test('keeps the digits of large numbers close together', async () => {
    // Microseconds since 1970: a float does not hold their sum.
    const n = Array.from({ length: 20_000 }, (_, at) => 1_760_000_000_000_700 + (at % 10));
    const m = n.map((_, at) => at % 10);
    const one = n.map(() => 1_760_000_000_000_700);
    const profile = await profileOf(planWith(['n', 'm', 'one'].map((name) => field(name, 'int64'))), [{ n, m, one }]);
    expect((columnOf(profile, 'n').numbers as NumberProfile).stddev).toBeCloseTo(2.87235, 4);
    expect(columnOf(profile, 'one').numbers).toMatchObject({ stddev: 0, mean: 1_760_000_000_000_700 });
    expect(profile.correlations?.columns).toEqual(['n', 'm']);
    expect(profile.correlations?.values[0]?.[1]).toBeCloseTo(1, 10);
  });

  test('has the same samples', async () => {
    const random = Random.of(1, 'samples').at(0);
    const { real, ...cells } = draw(50, random);
    const path = await fileOf(planWith([...plain, field('real', 'float64')]), { ...cells, real });
    const statistics = await PlainStatistics.open([path], planWith(plain));
    await withBoundedDuckDb({ folder, megabytes: 256 }, async (connection) => {
      const sql = new SqlStatistics(await ProfiledTable.open(connection, [path]), folder);
      for (const fields of [plain.slice(0, 3), [field('real', 'float64'), field('n', 'int64')]]) {
        const names = fields.map(({ name }) => name);
        const only = (rows: readonly SampledRow[] = []) =>
          rows.map(({ position, row }) => [position, ...names.map((name) => row[name])]);
        expect(only(await statistics?.rows(fields, [3, 7, 49]))).toEqual(only(await sql.rows(fields, [3, 7, 49])));
        expect(only(await statistics?.rows(fields))).toEqual(only(await sql.rows(fields)));
      }
    });
  });

  test.each([
    ['texts that may be dates', { text: ['2026-01-02', '2026-01-03'] }],
    ['texts after many without a value', { text: [...Array.from({ length: 20 }, () => null), '2026-01-02'] }],
    ['integers that a float does not hold', { n: [2n ** 60n] }],
    ['another type than the declared one', { is: [true] }, [field('is', 'utf8')]],
    ['too many rows', { n: Array.from({ length: 20_001 }, () => 1) }],
    ['too long texts', { text: Array.from({ length: 17 }, (_, at) => `${at}`.padEnd(1_000_000, 'x')) }],
    ['many columns', { n: Array.from({ length: 5000 }, () => 1) }, manyFields],
    ['a column that is not there', { n: [1] }, [field('n', 'int64'), field('m', 'int64')]],
    ['no rows', { n: [] }],
  ])('is none of %s', { tags: 'long' }, async (_, cells: Record<string, CellValue[]>, fields: ArrowField[] = plain) => {
    const all = fields === manyFields ? Object.fromEntries(fields.map(({ name }) => [name, cells['n'] ?? []])) : cells;
    const path = await fileOf(planWith(fields === manyFields ? fields : plain), all);
    const declared = fields === plain ? fields.filter(({ name }) => name in cells) : fields;
    expect(await PlainStatistics.open([path], planWith(declared))).toBeUndefined();
  });

  test.each([
    ['text', `'a'::BLOB`, 'utf8'],
    ['text', `'"a"'::JSON`, 'utf8'],
    ['n', `1::DOUBLE`, 'int64'],
    ['n', `TIME '12:00'`, 'int64'],
    ['n', `DATE '2026-01-01'`, 'int64'],
    ['is', `1`, 'bool'],
  ] as const)('has the declared types (%s of %s)', async (name, sql, type) => {
    const path = join(folder, `${files++}.parquet`);
    await withBoundedDuckDb({ folder, megabytes: 256 }, (connection) =>
      connection.run(`COPY (SELECT ${sql} AS "${name}") TO '${path}' (FORMAT parquet)`),
    );
    expect(await PlainStatistics.open([path], planWith([field(name, type)]))).toBeUndefined();
  });

  test.each([
    ['dates in a format', { convertTo: '%d.%m.%Y' }],
    ['validations', { validatorType: 'code' }],
    ['judgements', { scores: [{ name: 'quality' }] }],
  ])('has no columns of %s', async (_, config) => {
    const path = await fileOf(planWith(plain), { text: ['a'] });
    expect(await PlainStatistics.open([path], planWith([field('text', 'utf8')]))).toBeDefined();
    expect(await PlainStatistics.open([path], planWith([field('text', 'utf8')], { text: config }))).toBeUndefined();
  });
});

test('unreadable files are dataset/damaged', async () => {
  const plan = planWith([field('x', 'int64')]);
  await expect(
    profileDataset({ name: 'x', files: [join(folder, 'none.parquet')], plan, registry, folder }),
  ).rejects.toMatchObject({ code: 'dataset/damaged' });
});
