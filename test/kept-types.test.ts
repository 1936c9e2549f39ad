import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDesigner, DataDesignerConfigBuilder, loadDataset } from 'data-designer';
import { DuckDBInstance } from '@duckdb/node-api';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningSimulator, startSimulator } from '@data-designer/simulator';
import { runCommand } from './command-line.ts';
import { TOKEN } from './hub-server.ts';
import { openUploadHub } from './hub-upload-server.ts';

let folder: string;
let simulator: RunningSimulator;
let designer: DataDesigner;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kept-types-'));
  simulator = await startSimulator();
  designer = new DataDesigner({
    artifactPath: folder,
    providers: { models: [{ name: 'counted', endpoint: simulator.url }], tools: [] },
    runConfig: { seed: 4, bufferSize: 3 },
  });
});

afterAll(async () => {
  await designer[Symbol.asyncDispose]();
  await simulator[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const SEED = [
  { day: new Date('2024-05-06T00:00:00Z'), tags: ['a', '1'], place: { city: 'Bern', at: [1.5, 2] }, open: { x: 1 } },
  { day: new Date('2024-05-07T00:00:00Z'), tags: [], place: { city: 'Rome', at: [] }, open: [2, 'x'] },
];

/** Values of all kinds, in the shape of a task. */
const SHAPE = {
  messages: '{{ answer__trace }}',
  last: '{{ answer__trace[-1].content }}',
  task: { tags: '{{ tags }}', city: '{{ place.city }}', at: ['{{ place.at }}'], open: '{{ open }}' },
  number: '{{ number }}',
  share: '{{ share }}',
  even: '{{ even }}',
  card: '{{ card }}',
  title: '{{ card.title }}',
  said: 'is {{ number }}',
  code: '{{ code }}',
  day: '{{ day }}',
};

function drawn(low: number, high: number, decimal_places: number) {
  return { column_type: 'sampler', sampler_type: 'uniform', params: { low, high, decimal_places } };
}

function declared(more: { readonly template?: object; readonly keep_types?: boolean } = {}) {
  const processor = { processor_type: 'schema_transform', name: 'task', template: SHAPE, keep_types: true, ...more };
  const ask = { model_alias: 'writer', with_trace: 'all_messages' };
  const output_format = {
    type: 'object',
    required: ['title', 'points'],
    properties: { title: { type: 'string' }, points: { type: 'integer' } },
  };
  return {
    source: 'the test',
    document: {
      model_configs: [{ alias: 'writer', model: 'sim-small', provider: 'counted' }],
      columns: [
        { name: 'number', ...drawn(0, 90, 0), convert_to: 'int' },
        { name: 'share', ...drawn(0, 1, 3) },
        { name: 'even', column_type: 'expression', expr: '{{ number % 2 == 0 }}', dtype: 'bool' },
        { name: 'code', column_type: 'expression', expr: '00{{ number }}' },
        { name: 'answer', column_type: 'llm-text', ...ask, prompt: 'Say {{ number }}.', drop: true },
        { name: 'card', column_type: 'llm-structured', ...ask, prompt: 'Card {{ code }}.', output_format },
      ],
      processors: [processor, { processor_type: 'drop_columns', name: 'out', column_names: ['card', '*__trace'] }],
    },
  };
}

type Declared = ReturnType<typeof declared>;

async function builder(one: Declared = declared()) {
  const made = await DataDesignerConfigBuilder.fromConfig(one.document);
  return made.withSeedDataset({ seedType: 'df', rows: SEED });
}

type Record_ = Readonly<Record<string, unknown>>;

/** The files of the side table, as another reader has them. */
async function tableOf(name: string, at = 'processors-files/task'): Promise<Record_[]> {
  const path = join(folder, name, at);
  const files = readdirSync(path).toSorted();
  const parts = await Promise.all(
    files.map(async (file) => parquetReadObjects({ file: await asyncBufferFromFile(join(path, file)), compressors })),
  );
  return parts.flat();
}

test('a side table keeps the types of values, for other readers too', async () => {
  const results = await designer.create(await builder(), { numRecords: 8, datasetName: 'plain' });
  const rows = await Array.fromAsync(results.loadProcessorDataset('task'));
  expect(rows).toHaveLength(8);
  const read = await tableOf('plain');
  const main = await tableOf('plain', 'parquet-files');
  const dropped = await tableOf('plain', 'dropped-columns-parquet-files');
  for (const [at, row] of read.entries()) {
    const { number, share, even, code, tags, day } = main[at] ?? {};
    const { answer, card, answer__trace: messages } = dropped[at] ?? {};
    expect(row).toMatchObject({
      number,
      share,
      even,
      code,
      day,
      card,
      messages,
      last: answer,
      said: `is ${String(number)}`,
    });
    expect(row['title']).toBe((card as { title: string }).title);
    expect(row['task']).toMatchObject({ tags });
    expect(typeof share).toBe('number');
    expect(typeof number).toBe('bigint');
    expect(typeof even).toBe('boolean');
    expect(day).toBeInstanceOf(Date);
  }
  expect(rows[0]).toMatchObject({
    messages: [{ role: 'user' }, { role: 'assistant' }],
    card: { title: expect.any(String) as string },
    task: { open: SEED[0]?.open, at: [SEED[0]?.place.at], city: 'Bern', tags: ['a', '1'] },
  });
});

test('DuckDB sees the types, and JSON text where only the rows know the type', async () => {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  const files = join(folder, 'plain', 'processors-files', 'task', '*.parquet');
  const told = await connection.runAndReadAll(`describe select * from read_parquet('${files}')`);
  const types = Object.fromEntries(told.getRows().map(([name, type]) => [String(name), String(type)]));
  expect(types).toMatchObject({
    number: 'BIGINT',
    share: 'DOUBLE',
    even: 'BOOLEAN',
    code: 'VARCHAR',
    title: 'VARCHAR',
    last: 'VARCHAR',
    card: 'STRUCT(title VARCHAR, points BIGINT)',
    task: 'STRUCT(tags VARCHAR[], city VARCHAR, "at" DOUBLE[][], open VARCHAR)',
    messages: expect.stringMatching(/^STRUCT\("?role"? VARCHAR.*\)\[\]$/) as string,
    day: expect.stringMatching(/^TIMESTAMP/) as string,
  });
  const { rows } = await connection
    .runAndReadAll(`select task.open as rows from read_parquet('${files}') where task.city = 'Rome'`)
    .then((read) => ({ rows: read.getRows().flat() }));
  expect(new Set(rows)).toEqual(new Set(['[2,"x"]']));
  connection.closeSync();
  instance.closeSync();
});

test(
  'without keep_types each of them is text, as in the Python tool, and a dataset does not change to it',
  { tags: 'long' },
  async () => {
    const template = { place: '{{ place }}', number: '{{ number }}' };
    const of = await builder(declared({ template, keep_types: false }));
    const results = await designer.create(of, { numRecords: 2, datasetName: 'texts' });
    const [row] = await Array.fromAsync(results.loadProcessorDataset('task'));
    expect(row).toEqual({
      place: '{"city": "Bern", "at": [1.5, 2.0]}',
      number: expect.stringMatching(/^\d+$/) as string,
    });
    const kept = await builder(declared({ template }));
    const changed = designer.create(kept, { numRecords: 3, datasetName: 'texts', resume: 'always' });
    await expect(changed).rejects.toMatchObject({ code: 'dataset/incompatible' });
  },
);

test('exports of the side table have the types', async () => {
  const output = join(folder, 'task.jsonl');
  const exported = await runCommand(['export', join(folder, 'plain'), '--processor', 'task', '-o', output]);
  expect(exported).toMatchObject({ code: 0 });
  const lines = readFileSync(output, 'utf8').trim().split('\n');
  expect(lines).toHaveLength(8);
  const { messages, task, number, even, code } = JSON.parse(lines[0] ?? '') as Record_;
  expect(messages).toMatchObject([{ role: 'user' }, { role: 'assistant' }]);
  expect(task).toEqual({ tags: ['a', '1'], city: 'Bern', at: [[1.5, 2]], open: { x: 1 } });
  expect([typeof number, typeof even, typeof code]).toEqual(['number', 'boolean', 'string']);
});

test('a resume makes lost files of the side table again, and more rows with the same types', async () => {
  const before = await tableOf('plain');
  const path = join(folder, 'plain', 'processors-files', 'task');
  rmSync(path, { recursive: true });
  const asked = (await simulator.stats()).answers;
  const more = { numRecords: 11, datasetName: 'plain', resume: 'always' } as const;
  await designer.create(await builder(), more);
  const after = await tableOf('plain');
  expect(after.slice(0, 8)).toEqual(before);
  expect(after).toHaveLength(11);
  // Two answers for each new row, and none for the rows that existed.
  expect((await simulator.stats()).answers - asked).toBe(6);
});

test('a selection keeps the types', async () => {
  const { document, source } = declared();
  const select = { where: 'number % 2 == 0' };
  const of = await builder({ document: { ...document, select } as Declared['document'], source });
  await designer.create(of, { numRecords: 4, datasetName: 'chosen' });
  const rows = await tableOf('chosen');
  expect(rows.map(({ even }) => even)).toEqual([true, true, true, true]);
  expect(rows[0]).toMatchObject({ messages: [{ role: 'user' }, { role: 'assistant' }] });
  expect(typeof rows[0]?.['number']).toBe('bigint');
});

test('a push publishes the side table with its types', async () => {
  await using hub = await openUploadHub();
  const results = await loadDataset(join(folder, 'chosen'));
  await results.pushToHub({ repoId: 'acme/tasks', endpoint: hub.endpoint, token: TOKEN });
  const files = hub.datasets.get('acme/tasks')?.branches.get('main')?.files ?? new Map<string, Buffer>();
  const parts = Array.from(files).filter(([path]) => /task\/.*\.parquet$/.test(path));
  const rows = await Promise.all(
    parts.map(async ([, bytes]) => parquetReadObjects({ file: new Uint8Array(bytes).buffer, compressors })),
  );
  expect(rows.flat()).toHaveLength(4);
  expect(rows.flat()).toEqual(await tableOf('chosen'));
});

test('the Python tool does not have the key', async () => {
  const plain = await DataDesignerConfigBuilder.fromConfig({
    ...declared().document,
    columns: [PLAIN],
    processors: [],
  });
  plain.addProcessor({ name: 'p', processorType: 'schema_transform', keepTypes: true, template: { a: '{{ a }}' } });
  expect(() => plain.toYaml({ for: 'python' })).toThrow(/processors\[0\]\.keep_types: .*Python tool.*keep_types/);
  expect(plain.toYaml()).toContain('keep_types: true');
});

const PLAIN = { name: 'a', column_type: 'sampler', sampler_type: 'category', params: { values: ['x'] } };
