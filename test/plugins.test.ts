import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configBuilderWith, DataDesigner, type RecordOf } from 'data-designer';
import { afterAll, expect, expectTypeOf, test } from 'vitest';
import { plugin } from '../configs/plugin/own-columns.ts';
import { dataDesigner, runCommand } from './command-line.ts';

const MODULE = new URL('../configs/plugin/own-columns.ts', import.meta.url);
const folder = mkdtempSync(join(tmpdir(), 'plugins-'));
const designer = new DataDesigner({ plugins: [MODULE], runConfig: { seed: 4, bufferSize: 4 } });

afterAll(async () => {
  await designer[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

let modules = 0;

/** A module of this text, for plug-ins that are none. */
function moduleOf(text: string): string {
  const path = join(folder, `${modules++}.mjs`);
  writeFileSync(path, text);
  return path;
}

const WORD = {
  name: 'word',
  columnType: 'sampler',
  samplerType: 'category',
  params: { values: ['moon', 'salt'] },
} as const;

test('plug-in column types and samplers are declared in a builder and made in worker threads', async () => {
  const Builder = configBuilderWith(plugin);
  const config = new Builder()
    .addColumn(WORD)
    .addColumn({ name: 'turned', columnType: 'backwards', of: 'word' })
    .addColumn({ name: 'points', columnType: 'sampler', samplerType: 'dice', params: { count: 3 } });
  const results = await designer.preview(config, { numRecords: 8 });
  const records = await Array.fromAsync(results.records());
  for (const { word, turned, points } of records) {
    expect(turned).toBe(Array.from(word).toReversed().join(''));
    expect(points).toBeGreaterThanOrEqual(3);
  }
  // @ts-expect-error: no dice have sides
  new Builder().addColumn({ name: 'a', columnType: 'sampler', samplerType: 'dice', params: { sides: 3 } });
  const texts = new Builder().addColumn({
    name: 'text',
    columnType: 'sampler',
    samplerType: 'dice',
    params: { count: 3 },
    convertTo: 'str',
  });
  expectTypeOf<(typeof records)[number]['turned']>().toEqualTypeOf<unknown>();
  expectTypeOf<(typeof records)[number]['points']>().toEqualTypeOf<number>();
  expectTypeOf<(typeof records)[number]['word']>().toEqualTypeOf<'moon' | 'salt'>();
  expectTypeOf<RecordOf<typeof texts>>().toEqualTypeOf<{ text: string }>();
});

test('--plugins adds column types that are checked and made like built-in ones', { tags: 'long' }, async () => {
  const config = join('configs', 'plugin', 'words.yaml');
  const flags = ['--plugins', './configs/plugin/own-columns.ts', '--seed', '3', '--json'];
  const made = await dataDesigner(['preview', config, '-n', '4', ...flags]);
  expect(made.code).toBe(0);
  const { records } = JSON.parse(made.stdout) as { records: { word: string; turned: string; points: number }[] };
  for (const { word, turned, points } of records) {
    expect(turned).toBe(Array.from(word).toReversed().join(''));
    expect(points).toBeGreaterThanOrEqual(3);
    expect(points).toBeLessThanOrEqual(word === 'moon' ? 18 : 12);
  }
  const unknown = await runCommand(['validate', config]);
  expect(unknown.code).toBe(1);
  expect(unknown.stdout + unknown.stderr).toContain('backwards');
});

test('mistakes in plug-in columns are reported like any others', async () => {
  const document = { columns: [{ name: 'a', column_type: 'backwards', of: 'ghost', times: 0 }] };
  const report = await designer.check({ document, source: 'the test' });
  expect(report.violations).toMatchObject([{ path: 'columns[0].times' }]);
  const ghost = { columns: [{ name: 'a', column_type: 'backwards', of: 'ghost' }] };
  expect((await designer.check({ document: ghost, source: 'the test' })).violations).toMatchObject([
    { type: 'unknown_column', path: 'columns[0].of' },
  ]);
});

/** A plug-in's sampler under a column's further declarations, and the rows that come of it. */
async function dice(more: object, constraints: readonly object[] = []) {
  const points = { name: 'points', columnType: 'sampler', samplerType: 'dice', params: { count: 2 }, ...more };
  const document = { columns: [WORD, points], constraints };
  const results = await designer.preview({ document, source: 'the test' }, { numRecords: 40 });
  return {
    lost: results.lost,
    records: (await Array.fromAsync(results.records())) as { points: unknown; word: string }[],
  };
}

test('a plug-in sampler supports conditions, conversions and constraints', async () => {
  const conditional = await dice({ conditionalParams: { "word == 'moon'": { count: 20 } } });
  for (const { word, points } of conditional.records) expect((points as number) >= 20).toBe(word === 'moon');
  for (const { points } of (await dice({ convertTo: 'str' })).records) expect(points).toMatch(/^\d+$/);
  const atLeast = { constraintType: 'scalar_inequality', targetColumn: 'points', operator: 'ge', rhs: 11 };
  const { lost, records } = await dice({}, [atLeast]);
  expect(lost).toEqual([]);
  expect(records.filter(({ points }) => points !== 11 && points !== 12)).toEqual([]);
});

async function mistakesIn(points: object) {
  const document = { columns: [{ name: 'p', column_type: 'sampler', ...points }] };
  return (await designer.check({ document, source: 'the test' })).violations;
}

test('the parameters of a plug-in sampler are checked by its schema, and its name is listed', async () => {
  expect(await mistakesIn({ sampler_type: 'dice', params: { count: 0 } })).toMatchObject([
    { path: 'columns[0].params.count' },
  ]);
  expect((await mistakesIn({ sampler_type: 'dicee', params: {} }))[0]?.remedy).toContain("Did you mean 'dice'");
  expect(await mistakesIn({ sampler_type: 'dice', params: {}, convert_to: 'bogus' })).toMatchObject([
    { type: 'invalid_convert_to' },
  ]);
});

test.each([
  ['a package that is not there', 'no-such-plugin-anywhere', /there is no package of that name/],
  ['a file that is not there', './no-such-plugin.ts', /cannot be imported/],
  ['a module without a plug-in', moduleOf('export const other = 1;'), /exports no 'plugin'/],
  [
    'a plug-in of another shape',
    moduleOf('export const plugin = { colums: [] };'),
    /its export 'plugin' is not a plug-in/,
  ],
  ['a plug-in with nothing in it', moduleOf('export const plugin = {};'), /its 'plugin' adds nothing/],
  [
    'a column without a schema',
    moduleOf("export const plugin = { columns: [{ type: 'a' }] };"),
    /'a' has no zod 4 schema/,
  ],
  ['a module that throws', moduleOf("throw new Error('broken for good');"), /broken for good/],
])('%s cannot be used', async (_, module, reason) => {
  const declared = { document: { columns: [] }, source: 'the test' };
  const check = async () => new DataDesigner({ plugins: [module] }).check(declared);
  await expect(check()).rejects.toMatchObject({
    code: 'plugin/unusable',
    message: expect.stringMatching(reason) as string,
  });
});

const zod = JSON.stringify(import.meta.resolve('zod'));
const typed = (list: string, [type, key]: readonly [string, string], rest: string) =>
  moduleOf(`import { z } from ${zod}; const schema = z.object({ ${key} });
export const plugin = { ${list}: [{ type: '${type}', schema, ${rest} }] };`);

test.each([
  [
    'a processor',
    typed(
      'processors',
      ['drop_columns', "processorType: z.literal('drop_columns')"],
      "stage: 'post_batch', drops() {}",
    ),
  ],
  ['a seed', typed('seeds', ['hf', "seedType: z.literal('hf')"], 'rows() {}')],
  ['a sampler', typed('samplers', ['uuid', "samplerType: z.literal('uuid').default('uuid')"], 'draw() {}')],
])('%s of a name that is built in is refused', async (_, module) => {
  const check = new DataDesigner({ plugins: [module] }).check({ document: { columns: [] }, source: 'the test' });
  await expect(check).rejects.toThrow(/which already exists/);
});

test.each([
  [
    'a processor of another name',
    typed('processors', ['a', "processorType: z.literal('b')"], "stage: 'post_batch', drops() {}"),
  ],
  ['a sampler without a name', typed('samplers', ['abc', 'other: z.string()'], 'draw() {}')],
  ['a seed without a name', typed('seeds', ['abc', 'other: z.string()'], 'rows() {}')],
])('%s in its schema is refused', async (_, module) => {
  const check = new DataDesigner({ plugins: [module] }).check({ document: { columns: [] }, source: 'the test' });
  await expect(check).rejects.toThrow(/the schema of '\w+' does not have \w+: z\.literal/);
});

test.each([
  [
    'a processor without work',
    typed('processors', ['a', "processorType: z.literal('a')"], "stage: 'pre_batch'"),
    /none of drops/,
  ],
  [
    'a processor without a stage',
    typed('processors', ['a', "processorType: z.literal('a')"], 'drops() {}'),
    /its stage is not one of/,
  ],
  [
    'a table that stands beside nothing',
    typed(
      'processors',
      ['a', "processorType: z.literal('a')"],
      "stage: 'pre_batch', sideTable: { fields() {}, reads() {}, row() {} }",
    ),
    /needs the stage 'post_batch'/,
  ],
  ['a seed without rows', typed('seeds', ['a', "seedType: z.literal('a')"], ''), /it has no function 'rows'/],
])('%s is refused', async (_, module, reason) => {
  const check = new DataDesigner({ plugins: [module] }).check({ document: { columns: [] }, source: 'the test' });
  await expect(check).rejects.toMatchObject({
    code: 'plugin/unusable',
    message: expect.stringMatching(reason) as string,
  });
});

test('a plug-in type with a taken name is refused', async () => {
  const twice = new DataDesigner({ plugins: [MODULE, MODULE] });
  const declared = { document: { columns: [] }, source: 'the test' };
  await expect(twice.check(declared)).rejects.toThrow(/adds the column type 'backwards', which already exists/);
});

const FAILING = new URL('./failing-plugin.ts', import.meta.url);
const failingDesigner = new DataDesigner({ plugins: [FAILING], runConfig: { seed: 4, bufferSize: 4 } });
afterAll(() => failingDesigner[Symbol.asyncDispose]());

/** What becomes of four rows with a column of a plug-in that goes wrong, in its second row where not said otherwise. */
async function failing(columnType: string, how: string) {
  const columns = [WORD, { name: 'mine', columnType, how }];
  const results = await failingDesigner.preview({ document: { columns }, source: 'the test' }, { numRecords: 4 });
  return { lost: results.lost, records: await Array.fromAsync(results.records()) };
}

test.each([
  [
    'one-by-one',
    'throws',
    'plugin/threw',
    /failing-plugin\.ts threw for column 'mine': my mistake\. Correct the plug-in\.$/,
  ],
  ['one-by-one', 'rejects', 'plugin/threw', /threw for column 'mine'/],
  ['one-by-one', 'fewer', 'column/bad-result', /column 'mine' .* it writes 2 fields, but returned 1 values/],
  ['one-by-one', 'undefined', 'column/bad-result', /but returned 1 values/],
  ['one-by-one', 'text', 'column/bad-result', /a list with a value for each field .* but returned a string/],
  ['one-by-one', 'misfit', 'column/bad-result', /'mine_too' must be int64, but it is "ab"/],
  ['filled', 'misfit', 'column/bad-result', /'mine_too' must be int64, but it is "ab"/],
  ['all-at-once', 'misfit', 'column/bad-result', /'mine_too' must be int64, but it is "ab"/],
  ['all-at-once', 'fewer', 'column/bad-result', /it writes 2 fields/],
  ['all-at-once', 'text', 'column/bad-result', /returned a string/],
])('a failing plug-in cell (%s: %s) loses its row only', { tags: 'long' }, async (type, how, ...[code, message]) => {
  const { lost, records } = await failing(type, how);
  expect(lost).toMatchObject([{ column: 'mine', code, rows: 1, message: expect.stringMatching(message) as string }]);
  expect(records.map(({ mine, mine_too }) => [mine, mine_too])).toEqual([0, 2, 3].map((row) => [row, row]));
});

test.each([
  ['one-by-one', 'maker', 'plugin/threw', /threw for column 'mine': my mistake/],
  ['one-by-one', 'writes', 'plugin/threw', /threw for column 'mine'/],
  ['filled', 'throws', 'plugin/threw', /threw for column 'mine'/],
  ['filled', 'short', 'column/bad-result', /it must fill 4 rows, but filled 1/],
  ['all-at-once', 'short', 'run/no-rows', /it received 4 rows but returned 0/],
])(
  'a plug-in column that fails as a whole (%s: %s) ends the run',
  { tags: 'long' },
  async (type, how, ...[code, message]) => {
    await expect(failing(type, how)).rejects.toMatchObject({ code, message: expect.stringMatching(message) as string });
  },
);

/** The types of the mistakes in a selection by a column of the failing plug-in. */
async function mistakesInSelection(given: object): Promise<readonly string[]> {
  const document = { columns: [WORD, { name: 'mine', ...given }], select: { unique: [{ exact: ['mine'] }] } };
  const { violations } = await failingDesigner.check({ document, source: 'the test' }, { numRecords: 5 });
  return violations.map(({ type }) => type);
}

test.each([
  { columnType: 'one-by-one', how: 'choices' },
  { columnType: 'sampler', samplerType: 'loaded', params: { how: 'choices' } },
])('the number of values of a plug-in column (%j) counts in a selection, and is named if it throws', async (mine) => {
  const well = JSON.parse(JSON.stringify(mine).replace('"how":"choices"', '"how":"well"')) as object;
  expect(await mistakesInSelection(well)).toEqual(['few_values']);
  await expect(mistakesInSelection(mine)).rejects.toMatchObject({ code: 'plugin/threw' });
});

test('a plug-in draw that throws loses its row, one that fails to prepare ends the run', { tags: 'long' }, async () => {
  const mine = { name: 'mine', columnType: 'sampler', samplerType: 'loaded' };
  const previewOf = (how: string) =>
    failingDesigner.preview(
      { document: { columns: [WORD, { ...mine, params: { how } }] }, source: 'the test' },
      { numRecords: 40 },
    );
  const { lost, count } = await previewOf('throws');
  const message = /failing-plugin\.ts threw for column 'mine': my mistake\. Correct the plug-in\.$/;
  expect(lost).toMatchObject([{ code: 'plugin/threw', message: expect.stringMatching(message) as string }]);
  expect(count + (lost[0]?.rows ?? 0)).toBe(40);
  await expect(previewOf('maker')).rejects.toMatchObject({ code: 'plugin/threw' });
});

test.each([
  ['strange', 'text', {}, 'int64'],
  ['strange', 'none', {}, 'int64'],
  ['strange', 'none', { convert_to: 'int' }, 'int64'],
  ['strange', 'fraction', {}, 'int64'],
  ['strange_time', 'none', {}, 'float64'],
  ['strange_time', 'nan', { convert_to: '%Y-%m-%d' }, 'a time, in seconds'],
])('a plug-in draw of %s with a wrong value (%s) loses its row only', { tags: 'long' }, async (...told) => {
  const [type, wrong, more, expected] = told;
  const mine = { name: 'mine', column_type: 'sampler', sampler_type: type, params: { how: wrong }, ...more };
  const { lost, count } = await failingDesigner.preview(
    { document: { columns: [mine] }, source: 'the test' },
    { numRecords: 40 },
  );
  const message = expect.stringContaining(`'mine' must be ${expected}, but it is`) as string;
  expect(lost).toMatchObject([{ column: 'mine', code: 'column/bad-result', message }]);
  expect(count).toBeGreaterThan(5);
  expect(count + (lost[0]?.rows ?? 0)).toBe(40);
});
