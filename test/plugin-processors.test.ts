import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  configBuilderWith,
  type CreateOptions,
  DataDesigner,
  DataDesignerConfigBuilder,
  loadDataset,
} from 'data-designer';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { plugin } from '../configs/plugin/own-steps.ts';
import { dataDesigner } from './command-line.ts';

const MODULE = new URL('../configs/plugin/own-steps.ts', import.meta.url);
const artifactPath = mkdtempSync(join(tmpdir(), 'plugin-processors-'));
const designer = new DataDesigner({ plugins: [MODULE], artifactPath, runConfig: { seed: 4, bufferSize: 2 } });

afterAll(async () => {
  await designer[Symbol.asyncDispose]();
  rmSync(artifactPath, { recursive: true });
});

type Made = Readonly<Record<string, unknown>>;

function declared(...processors: readonly object[]) {
  const columns = [
    { name: 'word', column_type: 'sampler', sampler_type: 'category', params: { values: ['moon', 'salt'] } },
    { name: 'tmp_said', column_type: 'expression', expr: '{{ word }}!' },
    { name: 'said', column_type: 'expression', expr: '{{ tmp_said }}' },
  ];
  return { document: { columns, processors }, source: 'the test' };
}

async function create(processor: object, options: CreateOptions = {}): Promise<readonly Made[]> {
  const results = await designer.create(declared(processor), { numRecords: 5, ...options });
  return Array.fromAsync(results.records());
}

test.each([
  ['pre_batch', /^[A-Z]+$/, /^[A-Z]+!$/],
  ['post_batch', /^[A-Z]+$/, /^[a-z]+!$/],
  ['after_generation', /^[A-Z]+$/, /^[a-z]+!$/],
] as const)('rows are processed at %s', { tags: 'long' }, async (stage, word, said) => {
  const processor = { name: 'loud', processor_type: 'capitals', columns: ['word'], stage };
  const rows = await create(processor, { datasetName: stage });
  expect(rows).toHaveLength(5);
  for (const row of rows) {
    expect(row['word']).toMatch(word);
    expect(row['said']).toMatch(said);
  }
  const results = await designer.preview(declared(processor), { numRecords: 3 });
  for await (const row of results.records()) expect((row as Made)['word']).toMatch(word);
});

test('a plug-in processor drops columns and writes side tables', { tags: 'long' }, async () => {
  const processors = [
    { name: 'sizes', processor_type: 'lengths', columns: ['tmp_said'] },
    { name: 'tidy', processor_type: 'drop_prefix', prefix: 'tmp_' },
  ];
  await designer.create(declared(...processors), { numRecords: 4, datasetName: 'steps' });
  const results = await loadDataset<Made>(join(artifactPath, 'steps'), { plugins: [MODULE] });
  for await (const row of results.records()) expect(Object.keys(row)).toEqual(['word', 'said']);
  expect(await Array.fromAsync(results.loadProcessorDataset('sizes'))).toEqual(
    Array.from({ length: 4 }, () => ({ tmp_said: 5 })),
  );
});

test('a plug-in processor adds the columns that a config lists, and removes others', { tags: 'long' }, async () => {
  const lists = { columns_added: ['all'], columns_removed: ['tmp_said', 'said'] };
  const rows = await create({ name: 'one', processor_type: 'gather', ...lists }, { datasetName: 'gathered' });
  expect(rows).toHaveLength(5);
  for (const { word, ...rest } of rows) expect(rest).toEqual({ all: [`${String(word)}!`, `${String(word)}!`] });
  const loaded = await loadDataset<Made>(join(artifactPath, 'gathered'), { plugins: [MODULE] });
  expect(await Array.fromAsync(loaded.records())).toEqual(rows);
});

test('before the rows, later columns read the columns that a plug-in adds, and none that it removes', async () => {
  const gather = { name: 'one', processor_type: 'gather', stage: 'pre_batch', columns_added: ['all'] };
  const { document, source } = declared({ ...gather, columns_removed: ['word'] });
  const [word] = document.columns;
  const reading = (expr: string) => ({
    document: { ...document, columns: [word, { name: 'said', column_type: 'expression', expr }] },
    source,
  });
  const results = await designer.preview(reading('{{ all[0] }}!'), { numRecords: 3 });
  for (const row of await Array.fromAsync(results.records() as AsyncIterable<Made>)) {
    expect(row).toEqual({
      all: [expect.stringMatching(/^(moon|salt)$/)],
      said: `${String((row['all'] as string[])[0])}!`,
    });
  }
  const { violations } = await designer.check(reading('{{ word }}!'));
  expect(violations.map(({ message }) => message).join()).toContain("'word'");
});

test('a builder types the processors and seeds of a plug-in', async () => {
  const Builder = configBuilderWith(plugin);
  const builder = new Builder()
    .withSeedDataset<{ root: number; square: number }>({ seedType: 'squares', count: 3 })
    .addColumn({ name: 'said', columnType: 'expression', expr: 'It is {{ square }}' })
    .addProcessor({ name: 'loud', processorType: 'capitals', columns: ['said'] });
  // @ts-expect-error no processor has this field
  new Builder().addProcessor({ name: 'loud', processorType: 'capitals', kolumns: ['said'] });
  // @ts-expect-error there is no such source without the plug-in
  new DataDesignerConfigBuilder().withSeedDataset({ seedType: 'squares', path: 'x' });
  const results = await designer.preview(builder, { numRecords: 2 });
  expect((await Array.fromAsync(results.records())).map(({ said, root }) => [said, root])).toEqual([
    ['IT IS 1', 1],
    ['IT IS 4', 2],
  ]);
});

test('--plugins adds processors and seeds for a config file', { tags: 'long' }, async () => {
  const config = join('configs', 'plugin', 'steps.yaml');
  const flags = ['--plugins', './configs/plugin/own-steps.ts', '--json'];
  const { code, stdout } = await dataDesigner(['preview', config, '-n', '2', ...flags]);
  expect(code).toBe(0);
  expect((JSON.parse(stdout) as { records: unknown }).records).toEqual([
    { root: 1, square: 1, said: 'THE ROOT OF 1 IS 1' },
    { root: 2, square: 4, said: 'THE ROOT OF 4 IS 2' },
  ]);
});

test('mistakes in a plug-in declaration are reported with all others', async () => {
  const report = await designer.check(
    declared(
      { name: 'loud', processor_type: 'capitals', columns: ['ghost'] },
      { name: 'tidy', processor_type: 'drop_prefix', prefix: 'tmp_' },
      { name: 'sizes', processor_type: 'lengths', columns: ['tmp_said'] },
      { name: 'wrong', processor_type: 'lengths', columns: [], kolumns: 1 },
      { name: 'none', processor_type: 'capitels' },
    ),
  );
  expect(report.violations.map(({ path, type }) => `${path} ${type}`)).toEqual([
    'processors[3].columns invalid_value',
    'processors[3].kolumns unknown_key',
    'processors[4].processor_type unknown_kind',
    'processors[0].columns[0] invalid_column',
    'processors[2] dropped_before',
  ]);
});

const plan = (prefix: string) => designer.validate(declared({ name: 'tidy', processor_type: 'drop_prefix', prefix }));

test('a declaration with another processor is another dataset', async () => {
  expect((await plan('tmp_')).fingerprint).not.toBe((await plan('temp_')).fingerprint);
  expect((await plan('tmp_')).fields.map(({ name }) => name)).toEqual(['word', 'said']);
});

/** Processors that go wrong: what each does, its function, and what is told of it. */
const BROKEN: readonly (readonly [claim: string, process: string, told: readonly [code: string, message: RegExp]])[] = [
  ['throws', `() => () => { throw new Error('no luck'); }`, ['processor/failed', /no luck/]],
  ['throws as it is made', `() => { throw new Error('no luck'); }`, ['processor/failed', /no luck/]],
  ['gives fewer rows', '() => (rows) => rows.slice(1)', ['processor/changed-rows', /returned 1/]],
  ['gives no rows', '() => () => 7', ['processor/bad-rows', /not a list/]],
  ['gives other columns', '() => (rows) => rows.map(() => ({ a: 1 }))', ['processor/bad-rows', /has no column 'word'/]],
  ['gives functions', '() => (rows) => rows.map(() => () => 1)', ['processor/failed', /a function/]],
];

/** The name of the type of a broken processor. */
const typeOf = (claim: string) => claim.replaceAll(' ', '_');

function brokenDesigner(): DataDesigner {
  const types = BROKEN.map(
    ([claim, process]) => `((type) => ({
  type,
  schema: z.strictObject({ name: z.string(), processorType: z.literal(type) }),
  stage: 'post_batch',
  process: ${process},
}))('${typeOf(claim)}')`,
  );
  const module = join(artifactPath, 'broken.mjs');
  const zod = JSON.stringify(import.meta.resolve('zod'));
  writeFileSync(module, `import { z } from ${zod};\nexport const plugin = { processors: [${types.join(', ')}] };`);
  return new DataDesigner({ plugins: [module], artifactPath, runConfig: { seed: 4, bufferSize: 2 } });
}

describe('a plug-in processor', () => {
  let own: DataDesigner;
  beforeAll(() => (own = brokenDesigner()));
  afterAll(() => own[Symbol.asyncDispose]());

  test.each(BROKEN)('that %s ends the run and is named', { tags: 'long' }, async (claim, _, [code, message]) => {
    const making = own.create(declared({ name: 'bad', processor_type: typeOf(claim) }), { datasetName: claim });
    await expect(making).rejects.toMatchObject({ code, message: expect.stringMatching(message) as string });
  });
});
