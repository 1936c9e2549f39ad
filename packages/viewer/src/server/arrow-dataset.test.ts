import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { columnTypes } from '@data-designer/columns';
import { ColumnRegistry } from '@data-designer/config';
import { field, NEVER } from '@data-designer/core';
import { datasetPaths, exportRows, RUN_RECORD_VERSION } from '@data-designer/dataset';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../api/requests.ts';
import type { Filter } from '../api/filter.ts';
import { answerOf } from './routes.ts';
import { ShownDatasets } from './shown-datasets.ts';
import { writeCopy } from './write-copy.ts';

const FIELDS = [
  field('n', 'int64'),
  field('text', 'utf8'),
  field('any', 'utf8', { json: true }),
  field('score', { struct: [field('clarity', { struct: [field('score', 'int64')] })] }),
];
const FILES = 3;
const ROWS = Array.from({ length: 60 }, (_, n) => ({
  n,
  text: n % 7 === 0 ? 'Bees' : `row ${n}`,
  any: n % 2 === 0 ? { part: n } : `text ${n}`,
  score: { clarity: { score: n % 3 } },
}));

let folder: string;
let shown: ShownDatasets;
const opened = { registry: new ColumnRegistry(columnTypes), version: '1' };

beforeAll(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'arrow-')), 'facts');
  const paths = datasetPaths(folder);
  await mkdir(paths.parquetFiles, { recursive: true });
  for (let file = 0; file < FILES; file++) {
    const records = (async function* () {
      yield* ROWS.slice(file * 20, (file + 1) * 20);
    })();
    await exportRows({ records, fields: FIELDS }, join(paths.parquetFiles, `batch_0000${file}.arrow`), 'arrow');
  }
  const lists = { columns: [], processors: [], resources: [] };
  const plan = { ...lists, fields: FIELDS, dropped: null, models: {}, tools: {}, seed: 1, maxCost: null };
  const segments = [{ firstRow: 0, rows: 60, groupSize: 20 }];
  const run = { version: RUN_RECORD_VERSION, format: 'arrow', tools: {}, plan: { ...plan, segments }, tables: [] };
  await writeFile(paths.run, JSON.stringify(run));
  shown = new ShownDatasets({ folders: [folder], ...opened });
  await shown.list();
});
afterAll(async () => {
  await shown[Symbol.asyncDispose]();
  await rm(join(folder, '..'), { recursive: true });
});

async function ask<Name extends keyof Api>(name: Name, request: object): Promise<Api[Name]['answer']> {
  return (await answerOf(name, { dataset: 'facts', ...request }, { shown, signal: NEVER })) as Api[Name]['answer'];
}

const numbers = (fits: (row: (typeof ROWS)[number]) => boolean) => ROWS.filter(fits).map(({ n }) => n);

test.each<[string, Filter, readonly number[]]>([
  ['a condition', { where: [{ column: 'n', op: 'more', value: 37 }] }, numbers(({ n }) => n > 37)],
  [
    'a condition on a member',
    { where: [{ column: 'score', path: ['clarity', 'score'], op: 'equals', value: 2 }] },
    numbers(({ n }) => n % 3 === 2),
  ],
  ['a search', { search: 'bees' }, numbers(({ text }) => text === 'Bees')],
  ['SQL', { sql: "n > 3 AND text LIKE 'row 4%'" }, numbers(({ n, text }) => n > 3 && text.startsWith('row 4'))],
  ['a sort', { sort: [{ column: 'n', descending: true }] }, numbers(() => true).toReversed()],
])('the rows of an Arrow dataset are found by %s, over all files', { tags: 'long' }, async (_, filter, expected) => {
  const { total, rows } = await ask('rows', { filter, from: 0, count: 100, columns: ['n'] });
  expect([total, rows.map(({ cells }) => cells[0])]).toEqual([expected.length, expected]);
});

test('an Arrow dataset is jumped in, counted and shown row by row', async () => {
  const { rows } = await ask('rows', { from: 39, count: 2, columns: ['n', 'text'] });
  expect(rows).toEqual([
    { index: 39, cells: [39, 'row 39'] },
    { index: 40, cells: [40, 'row 40'] },
  ]);
  const { stats } = await ask('stats', { columns: ['n'] });
  expect(stats[0]).toMatchObject({ rows: 60, nulls: 0, low: '0', high: '59', mean: 29.5 });
  const { fields, next, total } = await ask('record', { index: 41, filter: { search: 'row' } });
  expect([next, total]).toEqual([43, 51]);
  expect(fields.map(({ value }) => value)).toEqual([
    41,
    'row 41',
    'text 41',
    { as: 'struct', length: 1, members: [['clarity', { as: 'struct', length: 1, members: [['score', 2]] }]] },
  ]);
});

test(
  'a static copy of an Arrow dataset has its rows as Parquet, and no records beside them',
  { tags: 'long' },
  async () => {
    const appFolder = join(folder, '..', 'app');
    await mkdir(appFolder);
    const to = join(folder, '..', 'site');
    const options = { folders: [folder], appFolder, ...opened, traces: true, reviews: true, shareConfig: String };
    const written = await writeCopy({ ...options, to });
    expect(written).toBe(60);
    const rows = await parquetReadObjects({ file: await asyncBufferFromFile(join(to, 'data', '0', 'rows.parquet')) });
    expect(rows.map(({ n, text }) => [Number(n), text])).toEqual(ROWS.map(({ n, text }) => [n, text]));
    expect(existsSync(join(to, 'data', '0', 'copy.json'))).toBe(true);
    expect(existsSync(join(to, 'data', '0', 'records'))).toBe(false);
    await writeFile(join(folder, 'builder_config.json'), '{"a"');
    const damaged = writeCopy({ ...options, to: `${to}-2` });
    await expect(damaged).rejects.toMatchObject({ code: 'dataset/damaged' });
  },
);
