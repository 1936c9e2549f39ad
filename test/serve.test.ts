import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { demoToolsProgram, type RunningSimulator, startSimulator } from '@data-designer/simulator';
import { connectOfficial, type OfficialClient, type OfficialResult } from '../packages/mcp/test/official-client.ts';
import { isAlive, until } from '../packages/mcp/test/providers.ts';
import { dataDesigner, program, runCommand, startDataDesigner } from './command-line.ts';

let folder: string;
let artifactPath: string;
let simulator: RunningSimulator | undefined;

/** A server without flags, and the folder of its datasets. */
let plain: OfficialClient;
let plainFolder: string;

beforeAll(async () => {
  plainFolder = mkdtempSync(join(tmpdir(), 'serve-'));
  plain = await connectOfficial({
    command: process.execPath,
    args: [program, 'mcp', 'serve', '-o', plainFolder],
    env: { NO_COLOR: '1' },
  });
});

afterAll(async () => {
  await plain[Symbol.asyncDispose]();
  rmSync(plainFolder, { recursive: true });
});

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'serve-'));
  artifactPath = join(folder, 'artifacts');
  writeFileSync(join(folder, 'colours.yaml'), LOCAL);
});

afterEach(async () => {
  await simulator?.[Symbol.asyncDispose]();
  simulator = undefined;
  rmSync(folder, { recursive: true });
});

const LOCAL = `columns:
  - {name: colour, column_type: sampler, sampler_type: category, params: {values: [red, green, blue], weights: [1, 1, 2]}}
  - {name: size, column_type: sampler, sampler_type: uniform, params: {low: 0, high: 1}}
  - {name: label, column_type: expression, expr: 'a {{ colour }} thing'}
`;

/** A config whose answers come from a model, with tools of a provider if one is named. */
function written(
  provider: string,
  { tools, ...more }: { readonly tools?: string; readonly [key: string]: unknown } = {},
) {
  const fact = { name: 'fact', column_type: 'llm-text', model_alias: 'writer', prompt: 'Of {{ id }}.' };
  return {
    model_configs: [{ alias: 'writer', model: 'sim-small', provider, ...more }],
    ...(tools && { tool_configs: [{ tool_alias: 'facts', providers: [tools] }] }),
    columns: [
      { name: 'id', column_type: 'sampler', sampler_type: 'uuid', params: {} },
      { ...fact, ...(tools && { tool_alias: 'facts' }) },
    ],
  };
}

/** The official client of our own server over stdio. */
function connect(...flags: string[]): Promise<OfficialClient> {
  const args = [program, 'mcp', 'serve', '-o', artifactPath, ...flags];
  return connectOfficial({ command: process.execPath, args, env: { NO_COLOR: '1' } });
}

/** What tools give, as far as it is looked into. */
interface Given {
  readonly dataset: string;
  readonly records: readonly object[];
  readonly records_shown: readonly object[];
  readonly [key: string]: unknown;
}

/** What a tool gave, or its error as one. */
async function given(calling: Promise<OfficialResult>): Promise<Given> {
  const { isError, content, structuredContent } = await calling;
  if (isError) throw new Error(content[0]?.text);
  expect(JSON.parse(content[0]?.text ?? '')).toEqual(structuredContent);
  return structuredContent as unknown as Given;
}

/** A model server that is slow, so that a run can be caught in the middle; one that holds its answers need not be. */
async function slowModel(latencyMs = 400): Promise<string> {
  simulator = await startSimulator('--latency', `${latencyMs}`);
  const providers = join(folder, 'own.providers');
  writeFileSync(providers, `providers: [{name: slow, endpoint: '${simulator.url}'}]`);
  return providers;
}

test(
  "the SDK's client lists the tools with schemas and annotations, including one per config of the folder",
  { tags: 'long' },
  async () => {
    writeFileSync(join(folder, 'no-config.json'), '{"type": "object"}');
    writeFileSync(join(folder, 'broken.yaml'), 'columns: [');
    await using official = await connect(folder, '--max-records', '50');
    const { tools } = await official.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'list_column_types',
      'list_models',
      'validate_config',
      'preview_config',
      'start_dataset',
      'watch_dataset',
      'cancel_dataset',
      'list_datasets',
      'read_records',
      'make_colours',
    ]);
    for (const { title, inputSchema, outputSchema, annotations } of tools) {
      expect(title).toBeTypeOf('string');
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(outputSchema).toMatchObject({ type: 'object' });
      for (const hint of ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const) {
        expect(annotations?.[hint]).toBeTypeOf('boolean');
      }
    }
    expect(tools.at(-1)?.inputSchema.properties).toMatchObject({
      num_records: { maximum: 50, default: 10 },
      values: { properties: { colour: { items: { enum: ['red', 'green', 'blue'] } } } },
    });
    expect(official.client.getInstructions()).toContain('list_column_types');
    await until(() => official.stderr().includes('Serving 10 tools over stdio.'));
    expect(official.stderr()).toContain('no-config.json is not served');
    expect(official.stderr()).toContain('broken.yaml is not served');
  },
);

test('list_column_types returns the fields of all types, and schemas on request', async () => {
  const official = plain;
  const all = await given(official.call('list_column_types'));
  expect(all.column_types).toContainEqual({
    name: 'expression',
    required: ['name', 'column_type', 'expr'],
    optional: expect.arrayContaining(['dtype']),
  });
  expect(all.samplers).toContainEqual({ name: 'uniform', required: ['low', 'high'], optional: expect.any(Array) });
  expect(all.schemas).toEqual({});
  const { schemas } = await given(official.call('list_column_types', { names: ['llm-text', 'category', 'dataset'] }));
  expect(schemas).toMatchObject({
    'llm-text': { required: expect.arrayContaining(['prompt', 'model_alias']) },
    category: { properties: { values: { type: 'array' } } },
    dataset: { properties: { model_configs: {} } },
  });
  const unknown = await official.call('list_column_types', { names: ['llm-txt'] });
  expect(unknown).toMatchObject({ isError: true });
  expect(unknown.content[0]?.text).toContain("There is no 'llm-txt'. There are dataset, ");
});

test(
  'list_models names what a provider lacks, and a config without its key is not runnable',
  { tags: 'long' },
  async () => {
    const providers = [
      "- { name: keyless, endpoint: 'http://127.0.0.1:9/v1', api_key: NO_SUCH_KEY }",
      "- { name: old, endpoint: 'http://127.0.0.1:9/v1', provider_type: telegraph }",
      '- { name: notes, provider_type: stdio, command: no-such-server }',
    ];
    const file = join(folder, 'providers.yaml');
    writeFileSync(file, `providers:\n${providers.join('\n')}\n`);
    await using official = await connect('--providers', file);
    const { model_providers, tool_providers, models } = await given(official.call('list_models'));
    expect(model_providers).toContainEqual({
      name: 'keyless',
      provider_type: 'openai',
      simulated: false,
      lacks: ['the environment variable NO_SUCH_KEY is not set'],
    });
    expect(model_providers).toContainEqual(
      expect.objectContaining({
        name: 'old',
        lacks: [
          "the provider 'old' is of type 'telegraph', which is not supported.",
          expect.stringContaining('Supported: ') as string,
        ],
      }),
    );
    expect(model_providers).toContainEqual({ name: 'simulator', provider_type: 'openai', simulated: true, lacks: [] });
    const notes = { name: 'notes', provider_type: 'stdio', lacks: ["the program 'no-such-server' is not installed"] };
    expect(tool_providers).toContainEqual(notes);
    expect(tool_providers).toContainEqual({ name: 'demo-tools', provider_type: 'stdio', lacks: [] });
    expect(models).toEqual(expect.any(Array));
    const report = await given(official.call('validate_config', { config: written('keyless') }));
    expect(report).toMatchObject({ valid: true, runnable: false });
  },
);

test(
  'a client validates and previews a config, as a mapping and as text, and gets its mistakes',
  { tags: 'long' },
  async () => {
    const official = plain;
    const report = await given(official.call('validate_config', { config: LOCAL }));
    expect(report).toMatchObject({ valid: true, runnable: true, violations: [], columns: ['colour', 'size', 'label'] });
    const wrong = { columns: [{ name: 'a', column_type: 'expression', expr: '{{ b }}' }] };
    const told = await given(official.call('validate_config', { config: wrong }));
    expect(told).toMatchObject({ runnable: false });
    expect(told.violations).toContainEqual(expect.objectContaining({ level: 'ERROR', columnName: 'a' }));
    const preview = await given(
      official.call('preview_config', {
        config: written('simulator', { tools: 'demo-tools' }),
        num_records: 3,
        seed: 4,
      }),
    );
    expect(preview).toMatchObject({ requested: 3, lost: [] });
    expect(preview.records).toHaveLength(3);
    expect(preview.records[0]).toEqual({ id: expect.any(String), fact: expect.any(String) });
    const refused = await official.call('preview_config', { config: wrong });
    expect(refused.isError).toBe(true);
    expect(refused.content[0]?.text).toContain('The config has 1 mistake');
    expect((await official.call('preview_config', { config: 'columns: [' })).isError).toBe(true);
  },
);

test('a client starts a dataset, watches its progress, lists it and reads it by page', async () => {
  const official = plain;
  const begun = await given(
    official.call('start_dataset', { config: written('simulator'), num_records: 12, dataset_name: 'facts' }),
  );
  expect(begun).toMatchObject({ dataset: 'facts', folder: join(plainFolder, 'facts'), requested: 12 });
  const steps: unknown[] = [];
  const onprogress = (step: unknown) => steps.push(step);
  const ended = await given(official.call('watch_dataset', { dataset: 'facts', wait_sec: 50 }, { onprogress }));
  expect(ended).toMatchObject({ status: 'complete', records: 12, requested: 12, lost: [], error: null });
  expect(steps.length).toBeGreaterThan(0);
  const { datasets } = await given(official.call('list_datasets'));
  expect(datasets).toEqual([ended]);
  const first = await given(official.call('read_records', { dataset: 'facts', limit: 8, columns: ['id'] }));
  expect(first).toMatchObject({ offset: 0, next_offset: 8 });
  expect(Object.keys(first.records[0] ?? {})).toEqual(['id']);
  const rest = await given(official.call('read_records', { dataset: 'facts', offset: 8 }));
  expect(rest).toMatchObject({ next_offset: null, records: { length: 4 } });
  for (const dataset of ['none', '..', '../artifacts/facts', '']) {
    const missing = await official.call('read_records', { dataset });
    expect(missing.content[0]?.text).toContain(`There is no dataset '${dataset}'`);
  }
});

test("the tool of a config makes a dataset with the call's number of records, seed and values", async () => {
  await using official = await connect(folder);
  const args = { num_records: 6, seed: 3, values: { colour: ['red'] }, show_records: 2 };
  const made = await given(official.call('make_colours', args));
  expect(made).toMatchObject({ dataset: 'colours', status: 'complete', records: 6, records_shown: { length: 2 } });
  expect(made.records_shown[0]).toMatchObject({ colour: 'red', label: 'a red thing' });
  const again = await given(official.call('make_colours', { ...args, show_records: 20 }));
  expect(again.dataset).not.toBe('colours');
  expect(again.records_shown.slice(0, 2)).toEqual(made.records_shown);
  const seeds = [1, 2].map((seed) => given(official.call('make_colours', { num_records: 3, seed })));
  const both = await Promise.all(seeds);
  expect(both.map(({ status }) => status)).toEqual(['complete', 'complete']);
  expect(new Set(both.map(({ dataset }) => dataset)).size).toBe(2);
  const wrong = await official.call('make_colours', { values: { colour: ['pink'] } });
  expect(wrong).toMatchObject({ isError: true });
  expect((await official.call('make_colours', { num_records: 1_000_000 })).isError).toBe(true);
});

/** What becomes of a dataset while nobody waits for it. */
async function statusOf(official: OfficialClient, dataset: string): Promise<unknown> {
  return (await given(official.call('watch_dataset', { dataset, wait_sec: 0 }))).status;
}

/** Cancels a dataset whose answers the server holds, and lets those go once that is heard. */
async function cancelled(official: OfficialClient, dataset: string): Promise<Given> {
  const cancelling = given(official.call('cancel_dataset', { dataset }));
  await expect.poll(() => statusOf(official, dataset)).toBe('stopping');
  await simulator?.release();
  return cancelling;
}

test('a cancelled dataset stops and can be resumed', { tags: 'long' }, async () => {
  const providers = await slowModel(50);
  await using official = await connect('--providers', providers);
  const wanted = { config: written('slow'), num_records: 16, dataset_name: 'long', seed: 1 };
  await simulator?.holdAfter(8);
  await given(official.call('start_dataset', wanted));
  await expect.poll(() => statusOf(official, 'long')).toBe('running');
  expect(await cancelled(official, 'long')).toMatchObject({
    status: 'stopped',
    error: expect.stringContaining('cancelled'),
  });
  const more = await given(official.call('start_dataset', { ...wanted, num_records: 16, resume: 'always' }));
  expect(more.dataset).toBe('long');
  const ended = await given(official.call('watch_dataset', { dataset: 'long', wait_sec: 50 }));
  expect(ended).toMatchObject({ status: 'complete', records: 16 });
});

test('the name of a dataset never refers to another dataset requested under that name', { tags: 'long' }, async () => {
  const providers = await slowModel();
  await using official = await connect('--providers', providers);
  const old = await given(official.call('start_dataset', { config: LOCAL, num_records: 2, dataset_name: 'same' }));
  await given(official.call('watch_dataset', { dataset: 'same', wait_sec: 50 }));
  const wanted = { config: written('slow'), num_records: 8, dataset_name: 'same' };
  const fresh = await given(official.call('start_dataset', wanted));
  expect([old.dataset, fresh.dataset]).toEqual(['same', expect.stringMatching(/^same_.+/)]);
  const { records } = await given(official.call('read_records', { dataset: 'same' }));
  expect(records).toMatchObject([{ colour: expect.any(String) }, { colour: expect.any(String) }]);
  for (const tool of ['watch_dataset', 'cancel_dataset']) {
    expect(await given(official.call(tool, { dataset: 'same' }))).toMatchObject({
      dataset: 'same',
      status: 'complete',
    });
  }
  expect(await given(official.call('watch_dataset', { dataset: fresh.dataset, wait_sec: 50 }))).toMatchObject({
    status: 'complete',
    records: 8,
  });
});

test('concurrent previews count toward the limit of runs from their start', { tags: 'long' }, async () => {
  const providers = await slowModel();
  const prices = join(folder, 'prices.txt');
  writeFileSync(prices, 'prices:\n  - {model: sim-small, input: 1, output: 1}\n');
  await using official = await connect('--max-cost', '50', '--prices', prices, '--providers', providers);
  const wanted = { config: written('slow'), num_records: 1, max_cost: 1 };
  const made = await Promise.all(Array.from({ length: 6 }, () => official.call('preview_config', wanted)));
  const refused = made.filter(({ isError }) => isError);
  expect(refused.map(({ content }) => content[0]?.text)).toEqual([
    expect.stringContaining('4 runs are active'),
    expect.stringContaining('4 runs are active'),
  ]);
});

test(
  'a server whose client leaves drains its runs, leaves them resumable, and leaves no process',
  { tags: 'long' },
  async () => {
    const providers = await slowModel();
    const log = join(folder, 'pids');
    const watched = written('slow', { tools: 'watched' });
    const demoTools = fileURLToPath(demoToolsProgram);
    const toolProvider = `  - {name: watched, provider_type: stdio, command: sh, args: [-c, 'echo $$ >> ${log}; exec ${process.execPath} ${demoTools}']}`;
    writeFileSync(providers, `providers:\n  - {name: slow, endpoint: '${simulator?.url}'}\n${toolProvider}\n`);
    const official = await connect('--providers', providers);
    await given(official.call('start_dataset', { config: watched, num_records: 16, dataset_name: 'left', seed: 1 }));
    const server = official.pid as number;
    const tools = readFileSync(log, 'utf8').trim().split('\n').map(Number);
    expect(tools.length).toBeGreaterThan(0);
    await official[Symbol.asyncDispose]();
    await until(() => !isAlive(server));
    await until(() => tools.every((pid) => !isAlive(pid)));
    await using next = await connect('--providers', providers);
    const { datasets } = await given(next.call('list_datasets'));
    expect(datasets).toMatchObject([{ dataset: 'left', status: 'unfinished', requested: 16 }]);
    const wanted = { config: watched, num_records: 16, dataset_name: 'left', resume: 'always' };
    await given(next.call('start_dataset', wanted));
    const ended = await given(next.call('watch_dataset', { dataset: 'left', wait_sec: 50 }));
    expect(ended).toMatchObject({ status: 'complete', records: 16 });
  },
);

/** A config with seed rows. */
function seeded(source: object) {
  return { seed_config: { source }, columns: [{ name: 'b', column_type: 'expression', expr: '{{ a }}' }] };
}

test("a client's config reads no file, uses no secret and exceeds no limit", { tags: 'long' }, async () => {
  const prices = join(folder, 'prices.txt');
  writeFileSync(join(folder, 'seed.csv'), 'a\n1\n');
  writeFileSync(prices, JSON.stringify({}));
  const providers = await slowModel();
  await using official = await connect('--max-records', '5', '--max-cost', '1', '--providers', providers);
  const refusal = async (config: unknown, more: object = {}): Promise<string> => {
    const { isError, content } = await official.call('preview_config', { config, ...more });
    expect(isError).toBe(true);
    return content[0]?.text ?? '';
  };
  expect(await refusal(seeded({ seed_type: 'local', path: join(folder, 'seed.csv') }))).toContain(
    'may not read files on this machine',
  );
  const hub = { seed_type: 'hf', path: 'datasets/a/b/c.csv', token: 'HF_TOKEN' };
  expect(await refusal(seeded(hub))).toContain('may use no secret');
  expect(await refusal(LOCAL, { num_records: 6 })).toContain('num_records');
  expect(await refusal(written('slow'))).toContain("no model in use has a price ('writer')");
  expect(await refusal(written('slow', { pricing: { input: 0, output: 0 } }))).toContain('has its own price');
  expect((await given(official.call('preview_config', { config: written('simulator') }))).records).toHaveLength(2);
});

test('the budget of a server limits the total cost of all runs', { tags: 'long' }, async () => {
  const providers = await slowModel(50);
  const prices = join(folder, 'prices.txt');
  writeFileSync(prices, 'prices:\n  - {model: sim-small, input: 500, output: 500}\n');
  await using official = await connect('--max-cost', '0.5', '--prices', prices, '--providers', providers);
  // One at a time, as what is under way when a budget is spent may go beyond it.
  const config = written('slow', { inference_parameters: { max_parallel_requests: 1 } });
  const wanted = { config, num_records: 20, seed: 1 };
  const first = await given(official.call('start_dataset', { ...wanted, max_cost: 0.3 }));
  const state = await given(official.call('watch_dataset', { dataset: first.dataset, wait_sec: 50 }));
  expect(state).toMatchObject({ status: 'stopped', error: expect.stringContaining('[run/budget-spent]') });
  const second = await given(official.call('start_dataset', { ...wanted, dataset_name: 'second' }));
  await given(official.call('watch_dataset', { dataset: second.dataset, wait_sec: 50 }));
  const third = await official.call('start_dataset', { ...wanted, dataset_name: 'third' });
  expect(third.content[0]?.text).toContain('The budget of this server is spent or reserved');
});

test(
  'the cost of a cancelled dataset counts once, also after a resume',
  { tags: 'long', timeout: 120_000 },
  async () => {
    const providers = await slowModel(50);
    const prices = join(folder, 'prices.txt');
    writeFileSync(prices, 'prices:\n  - {model: sim-small, input: 500, output: 500}\n');
    const config = written('slow');
    await using official = await connect('--max-cost', '1', '--prices', prices, '--providers', providers);
    const wanted = { config, num_records: 24, seed: 1 };
    await simulator?.holdAfter(8);
    const { dataset } = await given(official.call('start_dataset', wanted));
    const isBegun = async () =>
      Number((await given(official.call('watch_dataset', { dataset, wait_sec: 0 }))).records) > 2;
    await expect.poll(isBegun).toBe(true);
    expect(await cancelled(official, dataset)).toMatchObject({ status: 'stopped', cost: expect.any(Number) as number });
    expect((await official.call('preview_config', { config, num_records: 1 })).isError).toBe(undefined);
    const resumed = { ...wanted, dataset_name: dataset, resume: 'always' };
    await given(official.call('start_dataset', resumed));
    const whole = await given(official.call('watch_dataset', { dataset, wait_sec: 50 }));
    expect(whole).toMatchObject({ status: 'complete', records: 24 });
  },
);

test(
  'over HTTP the server accepts clients with its token at its address until it is told to end',
  { tags: 'long' },
  async () => {
    const environment = { DATA_DESIGNER_MCP_TOKEN: 'open sesame' };
    const { child, finished } = startDataDesigner(
      ['mcp', 'serve', folder, '--http', '0', '-o', artifactPath],
      environment,
    );
    let said = '';
    child.stderr?.on('data', (text: string) => (said += text));
    await until(() => /at http\S+\/mcp/.test(said));
    const [address = ''] = /http\S+\/mcp/.exec(said) ?? [];
    await expect(connectOfficial({ address, transport: 'streamable_http' })).rejects.toThrow(/401|token/i);
    const headers = { authorization: 'Bearer open sesame' };
    const official = await connectOfficial({ address, transport: 'streamable_http', headers });
    const made = await given(official.call('make_colours', { num_records: 4 }));
    expect(made).toMatchObject({ status: 'complete', records: 4 });
    child.kill('SIGTERM');
    const { code, stdout } = await finished;
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    await official[Symbol.asyncDispose]();
  },
);

test('a missing folder and an invalid port are errors', { tags: 'long' }, async () => {
  const missing = await dataDesigner(['mcp', 'serve', join(folder, 'none')]);
  expect(missing).toMatchObject({ code: 1, stdout: '' });
  expect(missing.stderr).toContain('it is not a readable folder');
  expect((await runCommand(['mcp', 'serve', '--http', 'yes'])).code).toBe(2);
});
