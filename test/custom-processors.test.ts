import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type CreateOptions,
  customProcessor,
  DataDesigner,
  DataDesignerConfigBuilder,
  functionOfModule,
  loadDataset,
  type Process,
  type RecordOf,
} from 'data-designer';
import { afterAll, afterEach, expect, expectTypeOf, test } from 'vitest';

type Made = Record<string, unknown>;
type Animal = { readonly animal: string };

const artifactPath = mkdtempSync(join(tmpdir(), 'custom-processors-'));
/** One for all: its threads are loaded once. */
const designer = new DataDesigner({ artifactPath, runConfig: { seed: 3, bufferSize: 2 } });

afterEach(() => {
  for (const name of readdirSync(artifactPath)) rmSync(join(artifactPath, name), { recursive: true });
});

afterAll(async () => {
  await designer[Symbol.asyncDispose]();
  rmSync(artifactPath, { recursive: true });
});

const start = () =>
  new DataDesignerConfigBuilder()
    .addColumn({
      name: 'animal',
      columnType: 'sampler',
      samplerType: 'category',
      params: { values: ['bee', 'owl'] },
    })
    .addColumn({
      name: 'size',
      columnType: 'sampler',
      samplerType: 'uniform',
      params: { low: 1, high: 2 },
    })
    .addColumn({ name: 'says', columnType: 'expression', expr: '{{ animal }}!' });

const shouted: Process<Animal> = (rows) => rows.map((row) => ({ ...row, animal: row.animal.toUpperCase() }));

async function create(
  process: ReturnType<typeof customProcessor>,
  options: CreateOptions = {},
): Promise<readonly Made[]> {
  const results = await designer.create(start().addProcessor(process), {
    numRecords: 5,
    datasetName: 'd',
    ...options,
  });
  return Array.fromAsync(results.records() as AsyncIterable<Made>);
}

test('at before_rows, columns read the rows that the processor returns', async () => {
  const process = customProcessor({ name: 'loud', stage: 'pre_batch', process: shouted });
  const rows = await create(process);
  expect(rows).toHaveLength(5);
  for (const { animal, says } of rows)
    expect([animal, says]).toEqual([expect.stringMatching(/^(BEE|OWL)$/), `${String(animal)}!`]);
});

test.each(['parquet', 'arrow'] as const)(
  'later processors receive the rows that a processor returns: %s',
  { tags: 'long' },
  async (format) => {
    const builder = start()
      .addProcessor(customProcessor({ name: 'loud', process: shouted }))
      .addProcessor({ name: 'shape', processorType: 'schema_transform', template: { is: '{{ animal }} {{ says }}' } });
    const results = await designer.create(builder, { numRecords: 3, format });
    const rows = await Array.fromAsync(results.records() as AsyncIterable<Made>);
    for (const { animal, says } of rows) expect(says).toBe(`${String(animal).toLowerCase()}!`);
    const shapes = await Array.fromAsync(results.loadProcessorDataset('shape'));
    expect(shapes).toEqual(rows.map(({ animal, says }) => ({ is: `${String(animal)} ${String(says)}` })));
  },
);

test('a processor function of a module runs in the worker threads', { tags: 'long' }, async () => {
  const process = functionOfModule(import.meta.resolve('./custom-functions.ts'), 'shoutAll') as Process<Made>;
  expect((await create(customProcessor({ name: 'loud', process }))).map(({ animal }) => animal)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^(BEE|OWL)$/)]),
  );
});

/** Replaces `says` by its length; its rows still have the removed column. */
const measured = customProcessor({
  name: 'measured',
  addedColumns: { letters: 'int', parts: 'json', share: 'float' },
  removedColumns: ['says'],
  process: (rows: readonly { readonly says: string }[]) =>
    rows.map((row) => ({ ...row, letters: row.says.length, parts: [row.says, 1], share: 2 })),
});

test.each(['parquet', 'arrow'] as const)(
  'a processor adds and removes columns: %s',
  { tags: 'long' },
  async (format) => {
    const builder = start()
      .addProcessor(measured)
      .addProcessor({ name: 'shape', processorType: 'schema_transform', template: { is: '{{ letters }} {{ share }}' } })
      .addProcessor({ name: 'tidy', processorType: 'drop_columns', columnNames: ['share'] });
    expectTypeOf<RecordOf<typeof builder>>().toEqualTypeOf<{
      animal: 'bee' | 'owl';
      size: number;
      letters: number;
      parts: unknown;
    }>();
    const results = await designer.create(builder, { numRecords: 3, datasetName: 'd', format });
    const rows = await Array.fromAsync(results.records());
    expect(rows.map(({ animal, letters, parts }) => ({ animal, letters, parts }))).toEqual(
      rows.map(({ animal }) => ({ animal, letters: 4, parts: [`${animal}!`, 1] })),
    );
    expect(Object.keys(rows[0]!).toSorted()).toEqual(['animal', 'letters', 'parts', 'size']);
    expect(await Array.fromAsync(results.loadProcessorDataset('shape'))).toEqual(rows.map(() => ({ is: '4 2.0' })));
    expect(readdirSync(join(results.path, 'dropped-columns-parquet-files'))).not.toEqual([]);
    // A longer run continues with the same columns.
    const longer = await designer.create(builder, { numRecords: 4, datasetName: 'd', resume: 'always' });
    expect(await Array.fromAsync((await loadDataset(longer.path)).records())).toHaveLength(4);
    const preview = await designer.preview(builder, { numRecords: 3 });
    expect(await Array.fromAsync(preview.records())).toEqual(rows);
    expect((await results.loadAnalysis()).profile.columns.map(({ name }) => name).toSorted()).toEqual([
      'animal',
      'size',
    ]);
  },
);

function changing(name: string, options: object) {
  return customProcessor({ name, process: (rows) => rows, ...options } as Parameters<typeof customProcessor>[0]);
}

test('validate refuses added columns that exist, removed ones that do not, and both at other stages', async () => {
  const config = start()
    .addProcessor(changing('twice', { addedColumns: { size: 'int' } }))
    .addProcessor(changing('none', { removedColumns: ['sizes'] }))
    .addProcessor(changing('late', { stage: 'after_generation', addedColumns: { more: 'str' } }));
  const { violations } = await designer.check(config);
  expect(violations.filter(({ level }) => level === 'ERROR').map(({ path, message }) => [path, message])).toEqual([
    ['processors[0]', "the processor 'twice' cannot add the column 'size', which already exists."],
    ['processors[1].removedColumns[0]', "there is no column 'sizes'."],
    ['processors[2].addedColumns', "a processor of the stage 'after_generation' cannot have 'addedColumns'."],
  ]);
});

test('before rows begin a processor adds columns that others read, and removes some', { tags: 'long' }, async () => {
  const builder = new DataDesignerConfigBuilder()
    .withSeedDataset(
      {
        seedType: 'df',
        rows: [
          { a: 'x', b: 'y' },
          { a: 'z', b: 'w' },
        ],
      },
      { samplingStrategy: 'ordered' },
    )
    .addColumn({ name: 'said', columnType: 'expression', expr: '{{ pair }} {{ size }} {{ both.b }}' })
    .addProcessor(
      customProcessor({
        name: 'early',
        stage: 'pre_batch',
        addedColumns: { pair: 'str', size: 'float', both: 'json' },
        removedColumns: ['b'],
        process: (rows: readonly Made[]) =>
          rows.map((row) => ({
            ...row,
            pair: `${String(row['a'])}${String(row['b'])}`,
            size: 2,
            both: { b: row['b'] },
          })),
      }),
    )
    .addProcessor(
      customProcessor({
        name: 'late',
        process: (rows: readonly Made[]) =>
          rows.map((row) => ({ ...row, said: `${String(row['said'])} ${'b' in row}` })),
      }),
    );
  const expected = [
    { a: 'x', pair: 'xy', size: 2, both: { b: 'y' }, said: 'xy 2.0 y false' },
    { a: 'z', pair: 'zw', size: 2, both: { b: 'w' }, said: 'zw 2.0 w false' },
  ];
  const results = await designer.create(builder, { numRecords: 2, datasetName: 'early' });
  expect(await Array.fromAsync(results.records())).toEqual(expected);
  const longer = await designer.create(builder, { numRecords: 4, datasetName: 'early', resume: 'always' });
  expect(await Array.fromAsync(longer.records())).toEqual([...expected, ...expected]);
  const preview = await designer.preview(builder, { numRecords: 2 });
  expect(await Array.fromAsync(preview.records())).toEqual(expected);
});

const early = (name: string, more: object) =>
  customProcessor({ name, stage: 'pre_batch', process: (rows: readonly Made[]) => rows, ...more });

test('validate names columns that read what a processor removes before rows begin, and added ones that exist', async () => {
  const builder = new DataDesignerConfigBuilder()
    .withSeedDataset({ seedType: 'df', rows: [{ a: 'x', b: 'y' }] })
    .addColumn({ name: 'said', columnType: 'expression', expr: '{{ b }} {{ more }}' })
    .addProcessor(early('early', { addedColumns: { more: 'str' }, removedColumns: ['b'] }))
    .addProcessor(early('twice', { addedColumns: { a: 'str', more: 'str' } }));
  const { violations } = await designer.check(builder);
  expect(violations.map(({ type, message }) => [type, message])).toEqual([
    ['column_twice', "the processor 'twice' cannot add the column 'a', which already exists."],
    ['column_twice', "the processor 'twice' cannot add the column 'more', which already exists."],
    ['removed_before', "the column 'b' is removed by the processor 'early' before the cells are made."],
  ]);
});

const half: Process<Made> = (rows) => rows.filter((_, at) => at % 2 === 0);

test.each(['pre_batch', 'post_batch'] as const)(
  'at %s a processor must return as many rows as it received',
  async (stage) => {
    const made = create(customProcessor({ name: 'half', stage, process: half }));
    await expect(made).rejects.toMatchObject({
      code: 'processor/changed-rows',
      data: { processor: 'half', given: 2, made: 1 },
    });
    expect(readdirSync(join(artifactPath, 'd', 'parquet-files'))).toEqual([]);
  },
);

test('in a preview a processor may add and remove rows', async () => {
  const config = start().addProcessor(customProcessor({ name: 'half', process: half }));
  const results = await designer.preview(config, { numRecords: 4 });
  expect([results.count, (await Array.fromAsync(results.records())).length]).toEqual([2, 2]);
});

const BAD: readonly [string, (rows: readonly Made[]) => unknown, object][] = [
  [
    'throws',
    () => {
      throw new Error('no way');
    },
    { code: 'processor/failed', message: expect.stringContaining('no way') },
  ],
  ['gives no list', () => ({}), { code: 'processor/bad-rows', message: expect.stringContaining('not a list') }],
  ['gives nothing', () => null, { code: 'processor/bad-rows' }],
  ['gives no objects', (rows) => rows.map(() => 7), { code: 'processor/bad-rows' }],
  [
    'loses a column',
    (rows) => rows.map(({ size: _, ...row }) => row),
    { message: expect.stringContaining("has no column 'size'") },
  ],
  [
    'adds a column',
    (rows) => rows.map((row) => ({ ...row, more: 1 })),
    { message: expect.stringContaining("extra column 'more'") },
  ],
  [
    'gives another type',
    (rows) => rows.map((row) => ({ ...row, size: 'large' })),
    { message: expect.stringContaining("Column 'size'") },
  ],
  ['gives what is no data', (rows) => rows.map((row) => ({ ...row, size: new Date() })), { code: 'processor/failed' }],
];

test.each(BAD)('a processor that %s ends the run, and nothing is written', async (_, process, failure) => {
  await expect(create(customProcessor({ name: 'bad', process: process as Process<Made> }))).rejects.toMatchObject(
    failure,
  );
  expect(readdirSync(join(artifactPath, 'd', 'parquet-files'))).toEqual([]);
});

test.each(['parquet', 'arrow'] as const)(
  'after generation a processor may change the number of rows, and the dataset cannot be extended: %s',
  { tags: 'long' },
  async (format) => {
    const process = customProcessor({ name: 'half', stage: 'after_generation', process: half });
    expect(await create(process, { format })).toHaveLength(3);
    const again = await create(process, { format, resume: 'always' });
    expect(again).toHaveLength(3);
    const more = create(process, { format, resume: 'always', numRecords: 8 });
    await expect(more).rejects.toMatchObject({ code: 'dataset/terminal', data: { had: 5, wanted: 8 } });
    expect(await create(process, { format, resume: 'if_possible', numRecords: 8 })).toHaveLength(4);
    expect((await loadDataset(join(artifactPath, 'd'))).count).toBe(3);
  },
);

const notYet = Object.defineProperty(
  () => {
    throw new Error('not yet');
  },
  'name',
  { value: 'half' },
);

test('a function that fails before a row group is written is corrected and resumed', async () => {
  await expect(create(customProcessor({ name: 'half', process: notYet }))).rejects.toMatchObject({
    code: 'processor/failed',
    message: expect.stringContaining('correct the processor and resume'),
  });
  const corrected = customProcessor({ name: 'half', process: (rows) => rows });
  expect(await create(corrected, { resume: 'always' })).toHaveLength(5);
});

test('a processor that fails after generation leaves the rows, and a resume calls it again', async () => {
  const stage = 'after_generation';
  await expect(create(customProcessor({ name: 'half', stage, process: notYet }))).rejects.toMatchObject({
    code: 'processor/failed',
  });
  expect((await loadDataset(join(artifactPath, 'd'))).count).toBe(5);
  expect(await create(customProcessor({ name: 'half', stage, process: half }), { resume: 'always' })).toHaveLength(3);
});

test.each(['parquet', 'arrow'] as const)(
  'the failure of a processor after generation is reported for every format: %s',
  async (format) => {
    const process = customProcessor({ name: 'half', stage: 'after_generation', process: notYet });
    await expect(create(process, { format })).rejects.toMatchObject({
      code: 'processor/failed',
      message: expect.stringContaining('not yet'),
    });
  },
);

test.each(['create', 'preview'] as const)('a stop signal abandons a processor that never ends: %s', async (use) => {
  const stop = new AbortController();
  const asleep = () => {
    stop.abort();
    return new Promise<never>(() => {});
  };
  const process = customProcessor({ name: 'asleep', stage: 'after_generation', process: asleep });
  const options = { numRecords: 2, signal: stop.signal };
  const making = designer[use](start().addProcessor(process), options);
  await expect(making).rejects.toMatchObject({ code: 'run/aborted' });
});

test('a preview whose rows are all removed by a processor is empty', async () => {
  const process = customProcessor({ name: 'none', process: () => [] });
  const results = await designer.preview(start().addProcessor(process), { numRecords: 3 });
  expect(results.count).toBe(0);
  expect(await Array.fromAsync(results.records())).toEqual([]);
});

test('in a preview a processor after generation receives all rows at once', async () => {
  const process = customProcessor({ name: 'half', stage: 'after_generation', process: half });
  const results = await designer.preview(start().addProcessor(process), { numRecords: 5 });
  expect(results.count).toBe(3);
});

test('a config file cannot name a processor function', async () => {
  const document = { columns: [], processors: [{ name: 'p', processor_type: 'custom', process: 'rm' }] };
  const { violations } = await designer.check({ document, source: 'test' });
  expect(violations.map(({ message, remedy }) => `${message} ${remedy}`).join()).toContain(
    'Only a TypeScript or JavaScript program can provide one',
  );
});

test('a processed dataset is recognised without its metadata', { tags: 'long' }, async () => {
  const process = customProcessor({ name: 'half', stage: 'after_generation', process: half });
  const rows = await create(process, { datasetName: 'known' });
  writeFileSync(join(artifactPath, 'known', 'metadata.json'), '{');
  expect(await create(process, { datasetName: 'known', resume: 'always' })).toEqual(rows);
  const grown = create(process, { datasetName: 'known', resume: 'always', numRecords: 6 });
  await expect(grown).rejects.toMatchObject({ code: 'dataset/terminal', data: { had: 5, wanted: 6 } });
});

const code = (valid: boolean, at: number) => (valid ? `x = ${at}` : `x = (${at}`);
const isValid = (value: unknown) => (value as { readonly is_valid: boolean }).is_valid;
const validated = (name: string, targetColumns: readonly string[]) =>
  ({
    name,
    columnType: 'validation',
    targetColumns: [...targetColumns],
    validatorType: 'code',
    validatorParams: { codeLang: 'python' },
    batchSize: 5,
  }) as const;

test(
  'results of validation stay with their rows when others are dropped or put in another order',
  { tags: 'long' },
  async () => {
    const rows = Array.from({ length: 12 }, (_, at) => {
      const [one, two] = [at % 2 === 0, at % 3 === 0];
      return { at, one: code(one, at), two: code(two, at), kept: at % 4 === 1 ? 'no' : '1' };
    });
    const builder = new DataDesignerConfigBuilder()
      .withSeedDataset({ seedType: 'df', rows }, { samplingStrategy: 'ordered' })
      .addColumn({ name: 'number', columnType: 'expression', expr: '{{ kept }}', dtype: 'int' })
      .addColumn(validated('first', ['one']))
      .addColumn(validated('both', ['one', 'two']))
      .addProcessor(customProcessor({ name: 'turned', process: (given: readonly Made[]) => given.toReversed() }));
    designer.setRunConfig({ seed: 3, bufferSize: 6 });
    const results = await designer.create(builder, { numRecords: 12, datasetName: 'validated' });
    designer.setRunConfig({ seed: 3, bufferSize: 2 });
    const made = await Array.fromAsync(results.records());
    expect(made.map(({ at }) => at)).toEqual([4, 3, 2, 0, 11, 10, 8, 7, 6]);
    for (const { at, first, both } of made) {
      expect([at, isValid(first)]).toEqual([at, at % 2 === 0]);
      const { one, two } = both as Readonly<Record<'one' | 'two', unknown>>;
      expect([at, isValid(one), isValid(two)]).toEqual([at, at % 2 === 0, at % 3 === 0]);
    }
  },
);
