import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CreateOptions, DataDesigner } from 'data-designer';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type RunningSimulator, startSimulator } from '@data-designer/simulator';

const SCHEMA = { type: 'object', properties: { x: { type: 'integer' } }, required: ['x'] };
const QUIZ = { name: 'quiz', column_type: 'llm-structured', output_format: SCHEMA };

let folder: string;
let simulator: RunningSimulator;
let designer: DataDesigner;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'failed-cells-'));
});

afterEach(async () => {
  await end();
  rmSync(folder, { recursive: true });
});

async function start(...flags: string[]): Promise<void> {
  simulator = await startSimulator(...flags);
  const provider = { name: 'faulty', endpoint: simulator.url, providerType: 'openai' } as const;
  designer = new DataDesigner({
    artifactPath: folder,
    providers: { models: [{ ...provider, apiKey: null, extraBody: null, extraHeaders: null }], tools: [] },
    runConfig: { seed: 3, bufferSize: 10, maxConversationRestarts: 1, disableEarlyShutdown: true },
  });
}

async function end(): Promise<void> {
  await designer[Symbol.asyncDispose]();
  await simulator[Symbol.asyncDispose]();
}

function model(alias: string, name: string, more: object = {}) {
  return { alias, model: name, provider: 'faulty', skip_health_check: true, structured_output: false, ...more };
}

const MODELS = [model('writer', 'sim-small'), model('wrong', 'sim-wrong-schema')];

/** Rows with a number of their own, and columns made from it. */
function declare(columns: readonly object[], more: { models?: readonly object[]; seed_config?: object } = {}) {
  const { models = MODELS, ...others } = more;
  const id = { name: 'id', column_type: 'sampler', sampler_type: 'uuid', params: {} };
  return { document: { model_configs: models, columns: [id, ...columns], ...others }, source: 'the test' };
}

function create(declared: ReturnType<typeof declare>, options: CreateOptions = {}) {
  return designer.create(declared, { numRecords: 20, datasetName: 'made', ...options });
}

interface Logged {
  readonly group: number;
  readonly row: number;
  readonly column: string;
  readonly code: string;
  readonly onFailure: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

const LOG = 'made/failures.jsonl';

function failures(): Logged[] {
  const lines = readFileSync(join(folder, LOG), 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Logged);
}

test('a failed cell loses its row, and its conversation is logged in a private file', async () => {
  await start('--faults', 'too-long=0.3');
  const asked = { name: 'a', column_type: 'llm-text', model_alias: 'writer', prompt: 'Say {{ id }}.' };
  const { count, lost } = await create(declare([asked]));
  expect(lost).toMatchObject([{ column: 'a', code: 'model/context-exceeded', rows: 20 - count }]);
  const logged = failures();
  expect(logged).toHaveLength(20 - count);
  expect(new Set(logged.map(({ row }) => row)).size).toBe(20 - count);
  for (const { group, row, onFailure, messages } of logged) {
    expect(group).toBe(Math.floor(row / 10));
    expect(onFailure).toBe('drop_row');
    expect(messages).toMatchObject([{ role: 'user', content: expect.stringMatching(/^Say .+\.$/) as string }]);
  }
  expect(statSync(join(folder, LOG)).mode & 0o777).toBe(0o600);
});

test('with on_failure null the row stays, and the wrong answers are logged', { tags: 'long' }, async () => {
  await start();
  const quiz = { ...QUIZ, model_alias: 'wrong', prompt: 'Quiz {{ id }}', with_trace: true, on_failure: 'null' };
  const after = { name: 'b', column_type: 'expression', expr: '{{ quiz is none }}' };
  const results = await create(declare([quiz, after]));
  expect(results.count).toBe(20);
  expect(results.lost).toEqual([]);
  const records = await Array.fromAsync(results.records());
  for (const record of records) expect(record).toMatchObject({ quiz: null, quiz__trace: null, b: 'True' });
  const logged = failures();
  expect(logged).toHaveLength(20);
  for (const { code, messages } of logged) {
    expect(code).toBe('model/gave-up');
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  }
});

test(
  'with on_failure abort a failed cell ends the run, which can be resumed with its answers',
  { tags: 'long' },
  async () => {
    await start('--faults', 'too-long=0.2', '--latency', 'uniform:20:200');
    const first = { name: 'a', column_type: 'llm-text', model_alias: 'writer', prompt: 'Say {{ id }}.' };
    const second = { ...first, name: 'b', prompt: '{{ id }}: {{ a }}', on_failure: 'abort' };
    const declared = declare([first, second], {
      models: [model('writer', 'sim-small', { inference_parameters: { max_parallel_requests: 8 } })],
    });
    const failure = await create(declared).catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({ code: 'run/cell-failed', data: { column: 'b', code: 'model/context-exceeded' } });
    const fatal = failures().find(({ onFailure }) => onFailure === 'abort');
    expect(fatal).toMatchObject({ column: 'b', messages: [{ role: 'user' }] });
    const { bought, byStatus } = await simulator.stats();
    expect(byStatus.aborted).toBe(undefined);
    await end();

    await start();
    const { count } = await create(declared, { resume: 'always' });
    expect(count).toBeGreaterThan(10);
    const again = Object.keys((await simulator.stats()).bought).filter((hash) => hash in bought);
    expect(again).toEqual([]);
    expect(failures().filter(({ onFailure }) => onFailure === 'abort')).toEqual([]);
  },
);

test('a fallback model answers if the first fails, and the usage counts both', async () => {
  await start();
  const quiz = { ...QUIZ, model_alias: 'wrong', fallback_model_alias: 'writer', prompt: 'Quiz {{ id }}' };
  const results = await create(declare([quiz]));
  expect(results.count).toBe(20);
  const records = await Array.fromAsync(results.records());
  for (const { quiz: value } of records) expect(value).toMatchObject({ x: expect.anything() as unknown });
  expect(results.usage).toMatchObject({ wrong: { requests: 40 }, writer: { requests: 20 } });
  expect(existsSync(join(folder, LOG))).toBe(false);
});

test('a resume keeps the logged failures of finished row groups only, once each', { tags: 'long' }, async () => {
  await start('--faults', 'too-long=0.3');
  const declared = declare([
    { name: 'a', column_type: 'llm-text', model_alias: 'writer', prompt: 'Say {{ id }}.', on_failure: 'null' },
  ]);
  await create(declared);
  const before = failures();
  expect(before.length).toBeGreaterThan(0);
  const half = { group: 2, row: 20, column: 'a', code: 'model/gave-up', onFailure: 'null', messages: [] };
  writeFileSync(join(folder, LOG), `${JSON.stringify(half)}\n{"group":2,"ro`, { flag: 'a' });
  await create(declared, { numRecords: 40, resume: 'always' });
  const cells = failures();
  expect(cells.slice(0, before.length)).toEqual(before);
  expect(new Set(cells.map(({ row }) => row)).size).toBe(cells.length);
  expect(cells.filter(({ code }) => code === 'model/gave-up')).toEqual([]);
  expect(statSync(join(folder, LOG)).mode & 0o777).toBe(0o600);
});

const PAINTER = model('painter', 'sim-image', { inference_parameters: { generation_type: 'image' } });
const GALLERY = { models: [...MODELS, PAINTER] };
const PICTURE = { name: 'picture', column_type: 'image', model_alias: 'painter', prompt: 'A cat called {{ id }}' };

function pathsOf(records: readonly unknown[]): string[] {
  return (records as { picture: string[] }[]).flatMap(({ picture }) => picture);
}

test('images are files in a dataset and Base64 text in a preview', { tags: 'long' }, async () => {
  await start();
  const declared = declare([PICTURE], GALLERY);
  const results = await create(declared);
  const paths = pathsOf(await Array.fromAsync(results.records()));
  expect(new Set(paths).size).toBe(20);
  for (const path of paths) {
    expect(path).toMatch(/^images\/picture\/[\da-f-]{36}\.png$/);
    const bytes = readFileSync(join(results.path, path));
    expect(bytes.subarray(1, 4).toString()).toBe('PNG');
  }
  expect(results.usage.painter).toMatchObject({ pictures: 20 });

  const shown = await designer.preview(declared, { numRecords: 2 });
  const pictures = pathsOf(await Array.fromAsync(shown.records()));
  expect(pictures.map((text) => text.slice(0, 5))).toEqual(['iVBOR', 'iVBOR']);
});

test('a resumed run with images has the same paths and no other files', { tags: 'long' }, async () => {
  await start('--latency', '30');
  const declared = declare([PICTURE], GALLERY);
  const whole = await create(declared, { datasetName: 'whole' });
  const stop = new AbortController();
  const stopped = create(declared, {
    signal: stop.signal,
    onEvent: ({ type }) => type === 'row-group-end' && stop.abort(),
  });
  await expect(stopped).rejects.toMatchObject({ code: 'run/aborted' });
  const results = await create(declared, { resume: 'always' });
  const paths = pathsOf(await Array.fromAsync(results.records()));
  expect(paths).toEqual(pathsOf(await Array.fromAsync(whole.records())));
  const files = readdirSync(join(results.path, 'images', 'picture')).map((name) => `images/picture/${name}`);
  expect(files.toSorted()).toEqual(paths.toSorted());
});

test('images of lost rows are removed, those of other rows stay', { tags: 'long' }, async () => {
  await start();
  const check = { name: 'check', column_type: 'expression', dtype: 'int' };
  const odd = { ...check, expr: "{{ 1 if id[0] in '01234567' and picture else 'lost' }}" };
  const results = await create(declare([PICTURE, odd], GALLERY));
  const paths = pathsOf(await Array.fromAsync(results.records()));
  expect(results.count).toBeLessThan(20);
  expect(paths).toHaveLength(results.count);
  const files = readdirSync(join(results.path, 'images', 'picture')).map((name) => `images/picture/${name}`);
  expect(files.toSorted()).toEqual(paths.toSorted());
});

test('an embedding column makes vectors from the text of another column', { tags: 'long' }, async () => {
  await start();
  const parameters = { generation_type: 'embedding', dimensions: 8 };
  const models = [...MODELS, model('vectors', 'sim-embed', { inference_parameters: parameters })];
  const embedding = { name: 'vector', column_type: 'embedding', model_alias: 'vectors', target_column: 'id' };
  const results = await create(declare([embedding], { models }));
  const records = (await Array.fromAsync(results.records())) as { vector: { embeddings: number[][] } }[];
  expect(records).toHaveLength(20);
  for (const { vector } of records) expect(vector).toMatchObject({ num_embeddings: 1, dimension: 8 });
  expect(new Set(records.map(({ vector }) => vector.embeddings.join())).size).toBe(20);
});

test('an image of a seed row is sent to the model; another value loses its row only', { tags: 'long' }, async () => {
  await start();
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgAAACAAAB4iG8MwAAAABJRU5ErkJggg==';
  const rows = [{ photo: `data:image/png;base64,${png}` }, { photo: 'no picture at all' }];
  writeFileSync(join(folder, 'photos.jsonl'), rows.map((row) => JSON.stringify(row)).join('\n'));
  const seen = {
    name: 'seen',
    column_type: 'llm-text',
    model_alias: 'writer',
    prompt: 'What is on this picture?',
    multi_modal_context: [{ modality: 'image', column_name: 'photo' }],
    with_trace: true,
  };
  const seed_config = { source: { seed_type: 'local', path: join(folder, 'photos.jsonl') } };
  const results = await create(declare([seen], { seed_config }), { numRecords: 4 });
  expect(results.lost).toMatchObject([{ column: 'seen', code: 'column/bad-media', rows: 2 }]);
  const records = await Array.fromAsync(results.records());
  expect(records).toHaveLength(2);
  for (const record of records) expect(JSON.stringify(record)).toContain('What is on this picture?');
  // A picture counts 64 tokens at the simulator.
  expect(results.usage.writer?.inputTokens).toBeGreaterThan(2 * 64);
});
