import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { columnTypes } from '@data-designer/columns';
import { ColumnRegistry, homeFolder, readHome } from '@data-designer/config';
import type { ToolDefinition } from '@data-designer/mcp';
import { type AnsweringServer, completion, openAnsweringServer, reply } from '@data-designer/testing/answering-server';
import { testFolder } from '@data-designer/testing/test-folder';
import { until } from '@data-designer/testing/until';
import { columnTypeTool } from './column-type-tool.ts';
import { configTools } from './config-tools.ts';
import { DatasetMaker, type ServeSettings } from './dataset-maker.ts';
import { datasetTools } from './dataset-tools.ts';
import { readFolder } from './folder-configs.ts';
import { folderTool } from './folder-tools.ts';
import type { DatasetState } from './job.ts';
import { modelTool } from './model-tool.ts';
import { serveTools } from '../serve-tools.ts';
import { serveDatasets } from './serve-datasets.ts';

const root = testFolder('serve-datasets');
const registry = new ColumnRegistry(columnTypes);
const home = readHome(homeFolder({ DATA_DESIGNER_HOME: join(root, 'no-home') }));
let folder: string;
let tests = 0;
let model: AnsweringServer;
/** Requests that the model has received, and what lets it answer the next ones. */
let requests = 0;
let gate: Promise<void>;

beforeAll(async () => {
  model = await openAnsweringServer(async (_, response) => {
    requests++;
    await gate;
    reply(response, completion('a text', { prompt_tokens: 10, completion_tokens: 1 }));
  });
});
afterAll(() => model[Symbol.dispose]());
beforeEach(() => {
  requests = 0;
  gate = Promise.resolve();
  folder = join(root, String(tests++));
  mkdirSync(folder);
});

function makerOf({ common = {}, ...settings }: Partial<ServeSettings> = {}): DatasetMaker {
  const providers = { models: [{ name: 'own', endpoint: model.origin }], tools: [] };
  return new DatasetMaker({
    common: { home, providers, ...common },
    artifactPath: folder,
    maxRecords: 30,
    ...settings,
  });
}

const progress: unknown[] = [];
type Answer = Readonly<Record<string, unknown>>;

/** Calls a tool as a client does: its arguments and its answer are checked. */
async function call(tool: ToolDefinition | undefined, args: object = {}, signal = new AbortController().signal) {
  if (!tool) throw new Error('There is no such tool.');
  const given = (tool.parameters as z.ZodType).parse(args);
  progress.length = 0;
  const context = { signal, progress: (...done: unknown[]) => void progress.push(done) };
  const answer: unknown = await tool.execute(given as never, context as never);
  return z.looseObject({}).parse((tool.hints?.outputSchema as z.ZodType | undefined)?.parse(answer)) as Answer;
}

/** The tools of a server by name. */
function toolsOf(maker: DatasetMaker) {
  const all = [modelTool(maker.settings), ...configTools(maker, registry), ...datasetTools(maker, registry)];
  return (name: string, args?: object, signal?: AbortSignal) =>
    call(
      all.find((one) => one.name === name),
      args,
      signal,
    );
}

/** The state of a dataset once its run has ended, however long that takes. */
async function stateAtEnd(use: ReturnType<typeof toolsOf>, dataset: string): Promise<Answer> {
  for (;;) {
    const state = await use('watch_dataset', { dataset });
    if (!/^(?:starting|running|stopping)$/.test(String(state['status']))) return state;
  }
}

const LOCAL = {
  columns: [{ name: 'n', column_type: 'sampler', sampler_type: 'uniform', params: { low: 0, high: 1 } }],
};
const PRICING = { input: 100_000, output: 0 };
const ASKING = (prompt = 'Write {{ n }}', more: object = {}) => ({
  model_configs: [{ alias: 'writer', model: 'm', provider: 'own', skip_health_check: true, ...more }],
  columns: [...LOCAL.columns, { name: 'text', column_type: 'llm-text', model_alias: 'writer', prompt }],
});

test('a client starts a dataset, watches it, reads its pages and lists it', { tags: 'long' }, async () => {
  const use = toolsOf(makerOf());
  const started = await use('start_dataset', { config: LOCAL, num_records: 5, dataset_name: 'made' });
  expect(started).toMatchObject({ dataset: 'made', folder: join(folder, 'made'), requested: 5 });
  const state = await stateAtEnd(use, 'made');
  expect(state).toMatchObject({ status: 'complete', records: 5, lost: [], error: null, seconds_left: null, cost: 0 });
  expect(progress.at(-1)).toEqual([5, 5]);
  const page = await use('read_records', { dataset: 'made', offset: 1, limit: 2, columns: ['n'] });
  expect(page).toMatchObject({ dataset: 'made', offset: 1, next_offset: 3 });
  const all = await use('read_records', { dataset: 'made' });
  expect(all['next_offset']).toBeNull();
  expect((all['records'] as object[]).slice(1, 3)).toEqual(page['records']);
  expect(all['records']).toHaveLength(5);
  await expect(use('read_records', { dataset: 'made', columns: ['m'] })).rejects.toThrow("There is no column 'm'");
  await expect(use('watch_dataset', { dataset: 'mad' })).rejects.toThrow("There is no dataset 'mad'");
  expect((await use('list_datasets'))['datasets']).toEqual([state]);
  expect(await use('cancel_dataset', { dataset: 'made' })).toMatchObject({ status: 'complete' });
  // Another server knows it from its files.
  const other = toolsOf(makerOf());
  const stored = { ...state, folder: join(folder, 'made') };
  expect(await other('watch_dataset', { dataset: 'made' })).toEqual(stored);
  expect(await other('cancel_dataset', { dataset: 'made' })).toEqual(stored);
  expect((await other('read_records', { dataset: 'made', limit: 5 }))['next_offset']).toBeNull();
});

test('stored datasets are listed with the latest first, and other folders are left out', async () => {
  const use = toolsOf(makerOf());
  for (const dataset_name of ['one', 'two']) {
    await use('start_dataset', { config: LOCAL, num_records: 1, dataset_name });
    await stateAtEnd(use, dataset_name);
  }
  mkdirSync(join(folder, 'other'));
  writeFileSync(join(folder, 'notes.txt'), '');
  utimesSync(join(folder, 'one'), new Date(), new Date(Date.now() + 60_000));
  const fresh = toolsOf(makerOf());
  const names = async () =>
    ((await fresh('list_datasets'))['datasets'] as DatasetState[]).map(({ dataset }) => dataset);
  expect(await names()).toEqual(['one', 'two']);
  utimesSync(join(folder, 'two'), new Date(), new Date(Date.now() + 120_000));
  expect(await names()).toEqual(['two', 'one']);
  const metadata = join(folder, 'two', 'metadata.json');
  writeFileSync(
    metadata,
    JSON.stringify({ ...(JSON.parse(readFileSync(metadata, 'utf8')) as object), num_completed_batches: 0 }),
  );
  expect(await fresh('watch_dataset', { dataset: 'two' })).toMatchObject({ status: 'unfinished', requested: 1 });
  writeFileSync(metadata, '{');
  const unknown = { status: 'unfinished', records: 0, requested: 1, cost: null };
  expect(await fresh('watch_dataset', { dataset: 'two' })).toMatchObject(unknown);
  expect((await toolsOf(makerOf({ artifactPath: join(folder, 'none') }))('list_datasets'))['datasets']).toEqual([]);
});

test('a page holds as many long records as a model can read', { tags: 'long' }, async () => {
  const use = toolsOf(makerOf());
  const long = { columns: [...LOCAL.columns, { name: 'x', column_type: 'expression', expr: 'a'.repeat(150_000) }] };
  await use('start_dataset', { config: long, num_records: 3, dataset_name: 'long' });
  await stateAtEnd(use, 'long');
  const page = await use('read_records', { dataset: 'long' });
  expect([(page['records'] as object[]).length, page['next_offset']]).toEqual([1, 1]);
  expect(await use('read_records', { dataset: 'long', columns: ['n'] })).toMatchObject({ next_offset: null });
});

test(
  'a running dataset is watched and cancelled, and a second of its name gets another one',
  { tags: 'long' },
  async () => {
    const open = Promise.withResolvers<void>();
    gate = open.promise;
    const maker = makerOf();
    const use = toolsOf(maker);
    const start = (dataset_name: string, more: object = {}) =>
      use('start_dataset', { config: ASKING(), num_records: 2, dataset_name, ...more });
    expect(await start('made')).toMatchObject({
      dataset: 'made',
      status: 'running',
      cost: expect.anything() as unknown,
    });
    await until(() => requests === 2);
    expect(await use('watch_dataset', { dataset: 'made', wait_sec: 0 })).toMatchObject({
      status: 'running',
      records: 0,
    });
    const left = new AbortController();
    left.abort();
    expect(await use('watch_dataset', { dataset: 'made', wait_sec: 50 }, left.signal)).toMatchObject({
      status: 'running',
    });
    expect(await start('made')).toMatchObject({ dataset: 'made_2' });
    for (const more of ['third', 'fourth']) await start(more);
    await until(() => requests === 8);
    await expect(start('fifth')).rejects.toThrow('4 runs are active');
    await expect(use('preview_config', { config: LOCAL })).rejects.toThrow('4 runs are active');
    expect(maker.jobs.map(({ name }) => name)).toEqual(['fourth', 'third', 'made_2', 'made']);
    // The client leaves while the open requests are waited for.
    const leaving = new AbortController();
    const cancelled = use('cancel_dataset', { dataset: 'made' }, leaving.signal);
    await sleep(20);
    leaving.abort();
    expect(await cancelled).toMatchObject({ status: 'stopping' });
    const { datasets } = (await use('list_datasets')) as { readonly datasets: readonly DatasetState[] };
    expect(
      datasets.map(({ dataset, status }) => `${dataset} ${status}`).toSorted((a, b) => a.localeCompare(b)),
    ).toEqual(['fourth running', 'made stopping', 'made_2 running', 'third running']);
    const drained = maker.drain('enough');
    await expect(use('start_dataset', { config: LOCAL })).rejects.toThrow('shutting down');
    expect(maker.jobs.map(({ state }) => state.status)).toEqual(Array.from({ length: 4 }, () => 'stopping'));
    maker.stop('enough');
    await drained;
    expect(maker.jobs.map(({ state }) => [state.status, state.error?.startsWith('[run/aborted]')])).toEqual(
      Array.from({ length: 4 }, () => ['stopped', true]),
    );
    open.resolve();
    const next = toolsOf(makerOf());
    const again = { config: ASKING(), num_records: 2, dataset_name: 'made' };
    const useless = next('start_dataset', { ...again, retry_lost: true });
    await expect(useless).rejects.toThrow('retry_lost has no effect without resume');
    await next('start_dataset', { ...again, resume: 'always' });
    expect(await stateAtEnd(next, 'made')).toMatchObject({ dataset: 'made', status: 'complete', records: 2 });
  },
);

test('a running dataset is cancelled, and a second of its name gets another one', async () => {
  const open = Promise.withResolvers<void>();
  gate = open.promise;
  const maker = makerOf();
  const use = toolsOf(maker);
  const start = () => use('start_dataset', { config: ASKING(), num_records: 1, dataset_name: 'made' });
  expect([(await start())['dataset'], (await start())['dataset']]).toEqual(['made', 'made_2']);
  await until(() => requests === 2);
  // The client leaves while the open requests are waited for.
  const leaving = new AbortController();
  const cancelled = use('cancel_dataset', { dataset: 'made' }, leaving.signal);
  await until(() => maker.jobs.some(({ state }) => state.status === 'stopping'));
  leaving.abort();
  expect(await cancelled).toMatchObject({ dataset: 'made', status: 'stopping' });
  const drained = maker.drain('enough');
  await expect(use('start_dataset', { config: LOCAL })).rejects.toThrow('shutting down');
  open.resolve();
  await drained;
  expect(await stateAtEnd(use, 'made_2')).toMatchObject({ records: 1 });
});

test('a preview has its records', async () => {
  const { records, requested } = await toolsOf(makerOf())('preview_config', { config: LOCAL });
  expect([records, requested]).toEqual([[{ n: expect.anything() }, { n: expect.anything() }], 2]);
});

test('a dataset that is continued may cost what its limit leaves after its earlier runs', async () => {
  const prices = join(folder, 'prices.json');
  writeFileSync(prices, JSON.stringify({ prices: [{ model: 'm', provider: 'own', ...PRICING }] }));
  const providers = { models: [{ name: 'own', endpoint: model.origin }], tools: [] };
  const use = toolsOf(makerOf({ maxCost: 9, common: { home, prices, providers } }));
  // One request after another: the cost is known before the next one.
  const config = ASKING(undefined, { inference_parameters: { max_parallel_requests: 1 } });
  await use('start_dataset', { config, num_records: 1, dataset_name: 'made' });
  expect(await stateAtEnd(use, 'made')).toMatchObject({ status: 'complete', cost: 1 });
  await use('start_dataset', { config, num_records: 9, dataset_name: 'made', resume: 'always', max_cost: 2 });
  expect(await stateAtEnd(use, 'made')).toMatchObject({ status: 'stopped', cost: 2 });
});

test('a dataset that cannot start is refused and forgotten, and lost rows are told', async () => {
  const maker = makerOf();
  const use = toolsOf(maker);
  await expect(use('start_dataset', { config: { columns: [] } })).rejects.toMatchObject({ code: 'config/invalid' });
  expect(maker.jobs).toEqual([]);
  const bad = { columns: [...LOCAL.columns, { name: 'odd', column_type: 'expression', expr: '{{ 1 // (n | int) }}' }] };
  await use('start_dataset', { config: bad, num_records: 3, dataset_name: 'bad' });
  const state = await stateAtEnd(use, 'bad');
  expect(state).toMatchObject({ records: 0, requested: 3, lost: [{ rows: 3, column: 'odd' }] });
  expect(maker.jobs).toHaveLength(1);
});

test('a preview makes a few records of a config as text, and stores nothing', { tags: 'long' }, async () => {
  const use = toolsOf(makerOf({ maxRecords: 3 }));
  const json = await use('preview_config', { config: JSON.stringify(LOCAL) });
  expect(json).toMatchObject({ requested: 2, lost: [], warnings: [], cost: 0 });
  expect(json['records']).toHaveLength(2);
  const yaml = await use('preview_config', {
    config: '{columns: [{name: a, column_type: expression, expr: b}]}',
    num_records: 3,
  });
  expect(yaml['records']).toEqual(Array.from({ length: 3 }, () => ({ a: 'b' })));
  await expect(use('preview_config', { config: LOCAL, num_records: 4 })).rejects.toThrow('<=3');
  await expect(use('preview_config', { config: 'columns: [' })).rejects.toMatchObject({ code: 'config/unreadable' });
  expect(existsSync(join(folder, 'dataset'))).toBe(false);
});

test('previews count among the runs of a server while they last', { tags: 'long' }, async () => {
  const open = Promise.withResolvers<void>();
  gate = open.promise;
  const use = toolsOf(makerOf());
  const preview = () => use('preview_config', { config: ASKING(), num_records: 1 });
  const previews = Array.from({ length: 4 }, preview);
  await expect(preview()).rejects.toThrow('4 runs are active');
  open.resolve();
  expect((await Promise.all(previews)).map((one) => (one['records'] as object[]).length)).toEqual([1, 1, 1, 1]);
  await expect(preview()).resolves.toMatchObject({ requested: 1 });
});

test('a config is validated, with the keys that the server lacks', async () => {
  const use = toolsOf(makerOf());
  expect(await use('validate_config', { config: LOCAL })).toMatchObject({
    valid: true,
    runnable: true,
    violations: [],
    columns: ['n'],
    fingerprint: expect.any(String) as string,
  });
  const wrong = await use('validate_config', { config: ASKING('{{ gone }}') });
  expect(wrong).toMatchObject({ valid: false, runnable: false, violations: [{ level: 'ERROR', columnName: 'text' }] });
  const providers = { models: [{ name: 'own', endpoint: model.origin, apiKey: 'NO_SUCH_KEY_OF_A_TEST' }], tools: [] };
  const keyless = toolsOf(makerOf({ common: { home, providers } }));
  expect(await keyless('validate_config', { config: ASKING() })).toMatchObject({ valid: true, runnable: false });
});

test("a client's config reads no files and names no secrets or prices, unless the server allows it", async () => {
  writeFileSync(join(folder, 'seed.csv'), 'a\n1\n');
  const local = { ...LOCAL, seed_config: { source: { seed_type: 'local', path: join(folder, 'seed.csv') } } };
  const use = toolsOf(makerOf({ maxCost: 1 }));
  expect(await use('validate_config', { config: local })).toMatchObject({ runnable: false });
  const allowed = toolsOf(makerOf({ common: { home, permissions: { localFiles: true } } }));
  expect(await allowed('validate_config', { config: local })).toMatchObject({ runnable: true });
  const hub = (token: string) => ({
    ...LOCAL,
    seed_config: { source: { seed_type: 'hf', path: 'datasets/a/b', token } },
  });
  await expect(use('validate_config', { config: hub('${KEY}') })).rejects.toThrow(
    "a client's config may use no secret",
  );
  const secret = toolsOf(makerOf({ common: { home, permissions: { secrets: ['KEY'] } } }));
  await expect(secret('validate_config', { config: hub('${KEY}') })).resolves.toBeDefined();
  await expect(use('preview_config', { config: ASKING('x', { pricing: PRICING }) })).rejects.toThrow(
    "the model 'writer' has its own price",
  );
});

test('the budget holds for all runs of a server together', { tags: 'long' }, async () => {
  const prices = join(folder, 'prices.json');
  writeFileSync(prices, JSON.stringify({ prices: [{ model: 'm', provider: 'own', ...PRICING }] }));
  const maker = makerOf({
    maxCost: 6,
    common: { home, prices, providers: { models: [{ name: 'own', endpoint: model.origin }], tools: [] } },
  });
  const use = toolsOf(maker);
  const unknown = ASKING('x', { model: 'unknown' });
  await expect(use('preview_config', { config: unknown })).rejects.toThrow('no model in use has a price');
  const second = { ...unknown.model_configs[0], alias: 'other' };
  const other = { name: 'more', column_type: 'llm-text', model_alias: 'other', prompt: 'x' };
  const known = ASKING();
  const both = { model_configs: [...known.model_configs, second], columns: [...known.columns, other] };
  await expect(use('preview_config', { config: both })).rejects.toThrow(
    "these models have no known price: 'other' (unknown)",
  );
  // One request after another: the cost is known before the next one.
  const alone = ASKING(undefined, { inference_parameters: { max_parallel_requests: 1 } });
  const preview = await use('preview_config', { config: alone, num_records: 2 });
  expect(preview['cost']).toBe(2);
  await use('start_dataset', { config: alone, num_records: 2, dataset_name: 'made' });
  expect(await stateAtEnd(use, 'made')).toMatchObject({ status: 'complete', cost: 2 });
  const further = { config: alone, num_records: 9, dataset_name: 'made', resume: 'always' };
  // The limit of a dataset includes its earlier runs.
  await use('start_dataset', { ...further, max_cost: 3 });
  expect(await stateAtEnd(use, 'made')).toMatchObject({ status: 'stopped', cost: 3 });
  await use('start_dataset', further);
  const over = await stateAtEnd(use, 'made');
  // The preview has cost 2, and the dataset the rest.
  expect(over).toMatchObject({
    status: 'stopped',
    cost: 4,
    error: expect.stringContaining('run/budget-spent') as string,
  });
  await expect(use('preview_config', { config: alone })).rejects.toThrow('spent or reserved');
});

test('of the limits of a run the smaller one counts, without a budget too', async () => {
  const providers = { models: [{ name: 'own', endpoint: model.origin }], tools: [] };
  const use = toolsOf(makerOf({ common: { home, providers, runConfig: { maxCost: 1 } } }));
  const config = ASKING(undefined, { pricing: PRICING, inference_parameters: { max_parallel_requests: 1 } });
  await use('start_dataset', { config, num_records: 4, dataset_name: 'made', max_cost: 3 });
  expect(await stateAtEnd(use, 'made')).toMatchObject({ status: 'stopped', cost: 1 });
});

test('the options of a server are checked', { tags: 'long' }, async () => {
  const tools = [columnTypeTool(registry)];
  await expect(serveTools(tools, { name: 'test' } as never)).rejects.toMatchObject({ code: 'config/invalid' });
  const options = { name: 'test', version: '1', transport: 'streamable_http', port: 0 } as const;
  await using server = await serveTools(tools, options);
  expect((await hello(server.address ?? '')).status).toBe(200);
});

test('the models and providers are listed with what each lacks', async () => {
  const models = [
    { name: 'own', endpoint: model.origin, apiKey: 'NO_SUCH_KEY_OF_A_TEST' },
    { name: 'plain', endpoint: model.origin },
  ];
  const tools = [
    { name: 'gone', providerType: 'stdio', command: 'no-such-program' },
    { name: 'lost', providerType: 'stdio', command: join(folder, 'none') },
    { name: 'there', providerType: 'stdio', command: process.execPath },
    { name: 'shell', providerType: 'stdio', command: 'sh' },
    { name: 'web', providerType: 'streamable_http', endpoint: model.origin },
  ];
  const entries = [
    { alias: 'a', model: 'm', provider: 'own' },
    { alias: 'b', model: 'm', provider: 'simulator' },
    { alias: 'c', model: 'm', provider: 'nobody' },
  ];
  const maker = makerOf({ common: { home: { ...home, models: entries }, providers: { models, tools } } as never });
  const listed = await toolsOf(maker)('list_models');
  const key = 'the environment variable NO_SUCH_KEY_OF_A_TEST is not set';
  expect(listed['model_providers']).toEqual(
    expect.arrayContaining([
      { name: 'own', provider_type: 'openai', simulated: false, lacks: [key] },
      { name: 'plain', provider_type: 'openai', simulated: false, lacks: [] },
      { name: 'simulator', provider_type: 'openai', simulated: true, lacks: [] },
    ]),
  );
  const lacked = (listed['tool_providers'] as { name: string; lacks: string[] }[]).map(({ name, lacks }) => [
    name,
    lacks,
  ]);
  expect(Object.fromEntries(lacked)).toMatchObject({
    gone: ["the program 'no-such-program' is not installed"],
    lost: [`the program '${join(folder, 'none')}' is not installed`],
    there: [],
    shell: [],
    web: [],
  });
  expect(listed['models']).toEqual([
    { ...entries[0], lacks: [key] },
    { ...entries[1], lacks: [] },
    { ...entries[2], lacks: ["there is no provider 'nobody'"] },
  ]);
});

test('the column types are listed with their fields, and schemas on request', async () => {
  const tool = columnTypeTool(registry);
  const listed = (await call(tool)) as unknown as Record<
    'column_types' | 'samplers',
    { name: string; required: string[]; optional: string[] }[]
  >;
  const expression = listed.column_types.find(({ name }) => name === 'expression');
  expect(expression?.required).toEqual(expect.arrayContaining(['name', 'expr']));
  expect(expression?.optional).toContain('dtype');
  expect(expression?.optional).not.toContain('expr');
  const names = listed.column_types.map(({ name }) => name);
  expect(names).toEqual(names.toSorted());
  expect(listed.samplers.find(({ name }) => name === 'uniform')?.required).toEqual(['low', 'high']);
  expect(listed).toHaveProperty('schemas', {});
  const { schemas } = (await call(tool, { names: ['dataset', 'uniform'] })) as {
    schemas: Record<string, { properties: object }>;
  };
  expect(Object.keys(schemas)).toEqual(['dataset', 'uniform']);
  expect(schemas['dataset']?.properties).toMatchObject({ columns: { type: 'array' } });
  expect(Object.keys(schemas['uniform']?.properties ?? {})).toContain('low');
  const all = await call(tool, { names: ['all'] });
  expect(Object.keys(all['schemas'] as object)).toHaveLength(1 + listed.column_types.length + listed.samplers.length);
  await expect(call(tool, { names: ['uniforms'] })).rejects.toThrow("There is no 'uniforms'");
});

test('the configs of a folder become tools, and a message tells why others do not', async () => {
  const configs = join(folder, 'configs');
  mkdirSync(join(configs, 'sub.yaml'), { recursive: true });
  const files = {
    'numbers.yaml': JSON.stringify(LOCAL),
    'my numbers!.json': JSON.stringify(LOCAL),
    'my_numbers_.yml': JSON.stringify(LOCAL),
    'bad.yaml': 'columns: [{ name: a, column_type: nothing }]',
    'notes.txt': 'columns: []',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(configs, name), text);
  const read = readFolder(configs, registry, home);
  expect(read.configs.map(({ name }) => name)).toEqual(['my numbers!', 'numbers']);
  expect(read.leftOut).toEqual([
    expect.stringContaining(`${join(configs, 'bad.yaml')} is not served: `),
    `${join(configs, 'my_numbers_.yml')} is not served: another file's tool is named make_my_numbers_.`,
  ]);
  expect(() => readFolder(join(folder, 'none'), registry, home)).toThrow('it is not a readable folder');
  const tools = read.configs.map((config) => folderTool(makerOf(), config));
  expect(tools.map(({ name }) => name)).toEqual(['make_my_numbers_', 'make_numbers']);
  expect(tools[1]?.description).toContain('Columns: n (uniform).');
  const made = await call(tools[1], { num_records: 5, show_records: 2 });
  expect(made).toMatchObject({ dataset: 'numbers', status: 'complete', records: 5 });
  expect(made['records_shown']).toHaveLength(2);
  const usual = await call(tools[1], { num_records: 5 });
  expect(usual['records_shown']).toHaveLength(3);
  const none = await call(tools[1], { num_records: 1, show_records: 0 });
  expect(none['records_shown']).toEqual([]);
});

/** Starts a server over HTTP; `said` are its messages. */
async function serving(settings: ServeSettings, options: { folder?: string; token?: string } = {}) {
  const said: string[] = [];
  const [end, stopNow] = [new AbortController(), new AbortController()];
  const ended = serveDatasets(settings, {
    ...options,
    port: 0,
    end: end.signal,
    stopNow: stopNow.signal,
    say: (message) => said.push(message),
  });
  while (!said.at(-1)?.includes('http')) await Promise.race([ended, sleep(5)]);
  const address = /at (\S+)\.$/.exec(said.at(-1) ?? '')?.[1] ?? '';
  return { said, end, stopNow, ended, address };
}

const hello = (address: string, headers: object = {}) =>
  fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    }),
  });

test('a server is served over HTTP to clients with its token, until it is ended', async () => {
  const configs = join(folder, 'configs');
  mkdirSync(configs);
  writeFileSync(join(configs, 'numbers.yaml'), JSON.stringify(LOCAL));
  writeFileSync(join(configs, 'bad.yaml'), '[');
  const { settings } = makerOf();
  const { said, end, ended, address } = await serving(settings, { folder: configs, token: 'secret' });
  expect(said).toEqual([
    expect.stringContaining('bad.yaml is not served'),
    expect.stringMatching(/^Serving 10 tools at http:/),
  ]);
  expect((await hello(address)).status).toBe(401);
  const answer = await hello(address, { authorization: 'Bearer secret' });
  expect(answer.status).toBe(200);
  expect(await answer.text()).toContain('list_column_types describes');
  end.abort();
  await ended;
  await expect(hello(address)).rejects.toThrow('fetch failed');
});
