import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DataDesigner } from 'data-designer';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { modelProvider, type Providers } from '@data-designer/config';
import type { Plan } from '@data-designer/core';
import { startSimulator } from '@data-designer/simulator';
import { type AnsweringServer, completion, openAnsweringServer, reply } from '@data-designer/testing/answering-server';
import { runCommand } from './command-line.ts';

let folder: string;
/** A server that holds every answer to a schema, and keeps what it was asked. */
let server: AnsweringServer;
let asked: Record<string, unknown>[];
let answer: string;
let status: number;
/** What probes are answered with, where that is something else. */
let statusOfProbes: number | undefined;
/** At this server; its threads serve all tests. */
let one: DataDesigner;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'readiness-'));
  server = await openAnsweringServer((body, response) => {
    const question = JSON.parse(body) as Record<string, unknown>;
    asked.push(question);
    const code = (isProbe(question) ? statusOfProbes : undefined) ?? status;
    const answered = completion(answer, { prompt_tokens: 100, completion_tokens: 10 });
    const told = code === 200 ? answered : { error: { message: 'not today' } };
    reply(response, told, { status: code, headers: { 'retry-after': '0.01' } });
  });
  one = designer({ models: [provide('here', here())], tools: [] });
});

beforeEach(() => {
  rmSync(join(folder, 'kept'), { recursive: true, force: true });
  asked = [];
  answer = '{"ready":true,"x":1}';
  status = 200;
  statusOfProbes = undefined;
});

afterAll(async () => {
  await one[Symbol.asyncDispose]();
  server[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

const provide = (name: string, endpoint: string, more: object = {}) => modelProvider.parse({ name, endpoint, ...more });
const here = () => `${server.origin}/v1`;

function designer(providers: Providers, runConfig = {}): DataDesigner {
  return new DataDesigner({ artifactPath: folder, providers, runConfig: { seed: 1, ...runConfig } });
}

const TOPIC = { name: 't', column_type: 'sampler', sampler_type: 'uniform', params: { low: 0, high: 1 } };
const SHAPE = { type: 'object', properties: { x: { type: 'integer' } }, required: ['x'] };

const STRUCTURED = { column_type: 'llm-structured', output_format: SHAPE };

/** One column of one model, as their configs say. */
function shaped(model: object = {}, column: object = STRUCTURED) {
  const document = {
    model_configs: [{ alias: 'writer', model: 'm', provider: 'here', ...model }],
    tool_configs: [{ tool_alias: 'facts', providers: ['demo-tools'] }],
    columns: [TOPIC, { name: 's', model_alias: 'writer', prompt: '{{ t }}', ...column }],
  };
  return { document, source: 'the test' };
}

const isProbe = ({ messages }: Record<string, unknown>) => JSON.stringify(messages).includes('"Hello!"');
const probes = () => asked.filter(isProbe).length;
const rows = () => asked.filter((body) => !isProbe(body));
const held = () => rows().map((body) => 'response_format' in body);

function recorded(name: string): boolean | null | undefined {
  const { plan } = JSON.parse(readFileSync(join(folder, name, 'run.json'), 'utf8')) as { readonly plan: Plan };
  return plan.models.writer?.structuredOutput;
}

test('schema support of an endpoint is probed once per dataset and used from then on', async () => {
  await one.create(shaped(), { numRecords: 3, datasetName: 'kept' });
  expect([probes(), recorded('kept')]).toEqual([1, true]);
  expect(held()).toEqual([true, true, true]);
  asked = [];
  await one.create(shaped(), { numRecords: 5, datasetName: 'kept', resume: 'always' });
  expect([probes(), recorded('kept')]).toEqual([0, true]);
  expect(held()).toEqual([true, true]);
});

test('a preview sends the same requests as the run', async () => {
  const { count } = await one.preview(shaped(), { numRecords: 1 });
  expect({ count, probes: probes(), held: held() }).toEqual({ count: 1, probes: 1, held: [true] });
});

test('an endpoint that ignores schemas gets them in the prompt, also after it supports them', async () => {
  answer = '```json\n{"x":1}\n```';
  await one.create(shaped(), { numRecords: 2, datasetName: 'kept' });
  answer = '{"ready":true,"x":1}';
  await one.create(shaped(), { numRecords: 3, datasetName: 'kept', resume: 'always' });
  expect([probes(), recorded('kept')]).toEqual([1, false]);
  expect(held()).toEqual([false, false, false]);
});

test.each([
  ['says so itself', { model: { structured_output: true } }, true],
  ['says that it cannot', { model: { structured_output: false } }, false],
  ['is not to be probed', { model: { skip_health_check: true } }, false],
  ['is offered tools', { column: { ...STRUCTURED, tool_alias: 'facts' } }, false],
  ['writes plain text', { column: { column_type: 'llm-text' } }, false],
])(
  'a model that %s is not probed',
  { tags: 'long' },
  async (_, { model, column }: { model?: object; column?: object }, holds) => {
    await one.preview(shaped(model, column), { numRecords: 1 });
    expect(probes()).toBe(0);
    expect(held()).toEqual([holds]);
  },
);

test('a refused probe is not a failure: the run reports the cause', async () => {
  status = 403;
  const failure = await one.preview(shaped(), { numRecords: 1 }).catch((thrown: unknown) => thrown);
  expect(failure).toMatchObject({ code: expect.stringMatching(/^model\/|^run\/no-rows/) as string });
  expect(held()).toEqual([false]);
});

test('a probe is counted once, under the alias and no column', { tags: 'long' }, async () => {
  const declared = shaped({ pricing: { input: 10_000, output: 0 } });
  const { usage, cost } = await one.create(declared, { numRecords: 3, datasetName: 'kept' });
  const counts = { requests: 1, failedRequests: 0, inputTokens: 100, cost: 1 };
  expect(usage.writer).toMatchObject({ requests: 4, inputTokens: 400, columns: { '': { probe: counts } } });
  expect(cost).toBe(4);
  expect(JSON.parse(readFileSync(join(folder, 'kept', 'metadata.json'), 'utf8'))).toMatchObject({ usage, cost });
  const again = await one.create(declared, { numRecords: 4, datasetName: 'kept', resume: 'always' });
  expect(again.cost).toBe(5);
  const shown = await one.preview(declared, { numRecords: 1 });
  expect(shown.usage.writer).toMatchObject({ requests: 2, columns: { '': { probe: counts } } });
});

test('a probe that spends the budget ends the run before its first row', async () => {
  await using other = designer({ models: [provide('here', here())], tools: [] }, { maxCost: 1 });
  const declared = shaped({ pricing: { input: 10_000, output: 0 } });
  const running = other.create(declared, { numRecords: 3, datasetName: 'kept' });
  await expect(running).rejects.toMatchObject({ code: 'run/budget-spent' });
  expect([probes(), rows().length]).toEqual([1, 0]);
  await expect(other.create(declared, { numRecords: 3, datasetName: 'kept', resume: 'always' })).rejects.toMatchObject({
    code: 'run/budget-spent',
  });
  expect([probes(), rows().length]).toEqual([1, 0]);
});

test('a resume probes a server that was down if no answer is journaled', { tags: 'long' }, async () => {
  status = 503;
  const down = one.create(shaped(), { numRecords: 3, datasetName: 'kept' });
  await expect(down).rejects.toMatchObject({ code: 'run/no-rows' });
  expect(recorded('kept')).toBe(null);
  asked = [];
  status = 200;
  expect((await one.create(shaped(), { numRecords: 3, datasetName: 'kept', resume: 'always' })).count).toBe(3);
  expect([probes(), recorded('kept')]).toEqual([1, true]);
  expect(held()).toEqual([true, true, true]);
});

test('a dataset with answers and no probe result keeps schemas in the prompt', { tags: 'long' }, async () => {
  statusOfProbes = 429;
  await one.create(shaped({ inference_parameters: { timeout: 1 } }), { numRecords: 3, datasetName: 'kept' });
  expect([recorded('kept'), ...held()]).toEqual([null, false, false, false]);
  asked = [];
  statusOfProbes = 200;
  const declared = shaped({ inference_parameters: { timeout: 1 } });
  await one.create(declared, { numRecords: 4, datasetName: 'kept', resume: 'always' });
  expect([probes(), recorded('kept'), ...held()]).toEqual([0, false, false]);
});

const CHECKED = {
  model_configs: [
    { alias: 'good', model: 'sim-small', provider: 'sim' },
    { alias: 'bad', model: 'sim-404', provider: 'sim' },
    { alias: 'left', model: 'sim-404', provider: 'sim', skip_health_check: true },
    { alias: 'vectors', model: 'e', provider: 'sim', inference_parameters: { generation_type: 'embedding' } },
    { alias: 'painter', model: 'sim-image', provider: 'sim', inference_parameters: { generation_type: 'image' } },
    { alias: 'keyless', model: 'm', provider: 'locked' },
    { alias: 'built-in', model: 'sim-small', provider: 'simulator' },
    { alias: 'unused', model: 'sim-404', provider: 'sim' },
  ],
  tool_configs: [
    { tool_alias: 'facts', providers: ['demo-tools'] },
    // The tools of a server are known once it has started.
    { tool_alias: 'wrong', providers: ['started'], allow_tools: ['no_such_tool'] },
  ],
  columns: [
    TOPIC,
    ...['good', 'bad', 'left', 'keyless', 'built-in'].map((alias, index) => ({
      name: `c${index}`,
      column_type: 'llm-text',
      model_alias: alias,
      prompt: '{{ t }}',
      ...(index < 2 ? { tool_alias: ['facts', 'wrong'][index] } : {}),
    })),
    { name: 'v', column_type: 'embedding', model_alias: 'vectors', target_column: 'c0' },
    { name: 'p', column_type: 'image', model_alias: 'painter', prompt: '{{ t }}' },
  ],
};

test('checkModels checks every alias in use and reports each', { tags: 'long' }, async () => {
  await using simulator = await startSimulator();
  const locked = provide('locked', simulator.url, { apiKey: '${NO_SUCH_KEY_HERE}' });
  const args = [
    fileURLToPath(new URL('./many-tool-server.ts', import.meta.url)),
    'tool_1',
    join(mkdtempSync(join(tmpdir(), 'readiness-log-')), 'log'),
  ];
  const started = { name: 'started', providerType: 'stdio', command: process.execPath, args, env: {} } as const;
  await using other = designer({ models: [provide('sim', simulator.url), locked], tools: [started] });
  const checks = await other.checkModels({ document: CHECKED, source: 'the test' });
  expect(checks.map(({ kind, alias, status: found, code }) => [kind, alias, found, code])).toEqual([
    ['model', 'good', 'ok', null],
    ['model', 'bad', 'failed', 'model/not-found'],
    ['model', 'left', 'skipped', null],
    ['model', 'vectors', 'ok', null],
    ['model', 'painter', 'ok', null],
    ['model', 'keyless', 'failed', 'secret/missing'],
    ['model', 'built-in', 'ok', null],
    ['tools', 'facts', 'ok', null],
    ['tools', 'wrong', 'failed', 'tool/unknown'],
  ]);
  // A greeting for each model, and the tools for the one that uses them.
  expect((await simulator.stats()).requests).toBe(5);
});

test('checkModels tells of an endpoint that is down without a run to resume', { tags: 'long' }, async () => {
  const gone = await startSimulator();
  const { url } = gone;
  await gone[Symbol.asyncDispose]();
  await using other = designer({ models: [provide('sim', url)], tools: [] });
  const document = {
    model_configs: [{ alias: 'm', model: 'sim-small', provider: 'sim' }],
    columns: [TOPIC, { name: 'text', column_type: 'llm-text', model_alias: 'm', prompt: '{{ t }}' }],
  };
  const [check] = await other.checkModels({ document, source: 'the test' });
  expect(check).toMatchObject({ status: 'failed', code: 'model/unreachable' });
  expect(check?.message).toMatch(/Check that it is running and that the address is correct\.$/);
});

test('checkModels sends a model its tools once and reports a refusal', { tags: 'long' }, async () => {
  const message = "Invalid schema for function 'get_fact': it is not to my taste";
  let offers = 0;
  using picky = await openAnsweringServer((body, response) => {
    const { tools } = JSON.parse(body) as { readonly tools?: readonly unknown[] };
    if (!tools) return reply(response, completion('Hello!'));
    offers++;
    return reply(response, { error: { message } }, { status: 400 });
  });
  const column = { column_type: 'llm-text', tool_alias: 'facts' };
  await using other = designer({ models: [provide('here', `${picky.origin}/v1`)], tools: [] });
  const checks = await other.checkModels(shaped({}, column));
  expect(checks).toEqual([
    expect.objectContaining({ alias: 'writer', status: 'failed', message: expect.stringContaining(message) as string }),
    expect.objectContaining({ kind: 'tools', alias: 'facts', status: 'ok' }),
  ]);
  expect(offers).toBe(1);
});

test('checkModels includes a model that only a profiler uses', async () => {
  await using simulator = await startSimulator();
  const model_configs = ['writer', 'reader', 'idle'].map((alias) => ({ alias, model: alias, provider: 'sim' }));
  const document = {
    model_configs,
    columns: [TOPIC, { name: 'a', column_type: 'llm-text', model_alias: 'writer', prompt: '{{ t }}' }],
    profilers: [{ model_alias: 'reader' }, { model_alias: 'idle', summary_score_sample_size: null }],
  };
  await using other = designer({ models: [provide('sim', simulator.url)], tools: [] });
  const checks = await other.checkModels({ document, source: 'the test' });
  expect(checks.map(({ alias, status: found }) => [alias, found])).toEqual([
    ['reader', 'ok'],
    ['writer', 'ok'],
  ]);
  expect((await simulator.stats()).requests).toBe(2);
});

test('checkModels checks aliases of one provider in parallel', async () => {
  await using simulator = await startSimulator();
  await simulator.holdAfter(0);
  const aliases = ['a', 'b', 'c'];
  const document = {
    model_configs: aliases.map((alias) => ({ alias, model: alias, provider: 'sim' })),
    columns: [
      TOPIC,
      ...aliases.map((name) => ({ name, column_type: 'llm-text', model_alias: name, prompt: '{{ t }}' })),
    ],
  };
  await using other = designer({ models: [provide('sim', simulator.url)], tools: [] });
  const checking = other.checkModels({ document, source: 'the test' });
  await expect.poll(async () => (await simulator.stats()).inFlight).toBe(3);
  await simulator.release();
  expect((await checking).map(({ status: found }) => found)).toEqual(['ok', 'ok', 'ok']);
});

test('a stopped check ends at once', async () => {
  await using simulator = await startSimulator();
  const document = {
    model_configs: [{ alias: 'writer', model: 'sim-hang', provider: 'sim' }],
    columns: [TOPIC, { name: 'a', column_type: 'llm-text', model_alias: 'writer', prompt: '{{ t }}' }],
  };
  await using other = designer({ models: [provide('sim', simulator.url)], tools: [] });
  const stop = new AbortController();
  const checking = other.checkModels({ document, source: 'the test' }, { signal: stop.signal });
  await expect.poll(async () => (await simulator.stats()).inFlight).toBe(1);
  stop.abort();
  await expect(checking).rejects.toMatchObject({ code: 'run/aborted' });
});

test('check-models prints a line per alias and exits with 1 if one fails', { tags: 'long' }, async () => {
  await using simulator = await startSimulator();
  const providers = join(folder, 'providers.yaml');
  const config = join(folder, 'config.json');
  writeFileSync(providers, `providers:\n  - {name: sim, endpoint: "${simulator.url}"}\n`);
  const write = (models: object[]) => {
    const columns = models.map((model, index) => {
      const { alias } = model as { readonly alias: string };
      return { name: `c${index}`, column_type: 'llm-text', model_alias: alias, prompt: '{{ t }}' };
    });
    writeFileSync(config, JSON.stringify({ model_configs: models, columns: [TOPIC, ...columns] }));
  };
  const good = { alias: 'good', model: 'sim-small', provider: 'sim' };
  const bad = { alias: 'bad', model: 'sim-404', provider: 'sim' };
  const check = ['check-models', config, '--providers', providers];

  write([good, bad, { ...bad, alias: 'left', skip_health_check: true }]);
  const text = await runCommand(check);
  expect(text.code).toBe(1);
  expect(text.stdout).toContain('model good: ok\nmodel bad: failed [model/not-found]: The endpoint of model');
  expect(text.stdout).toContain('model left: skipped, its config says skip_health_check\n');
  const json = JSON.parse((await runCommand([...check, '--json'])).stdout) as object;
  expect(json).toMatchObject({ ready: false, checks: [{ alias: 'good' }, { code: 'model/not-found' }, {}] });

  const skipping = await runCommand(check, { env: { DATA_DESIGNER_SKIP_MODEL_HEALTH_CHECKS: '1' } });
  expect(skipping).toMatchObject({ code: 0, stdout: expect.stringContaining('model bad: skipped') as string });
  write([good]);
  expect(await runCommand(check)).toMatchObject({ code: 0, stdout: 'model good: ok\n' });
  write([]);
  expect((await runCommand(check)).stdout).toMatch(/uses no models and no tools/);

  const ask = (alias: string) => ({
    model_configs: [good, bad],
    columns: [TOPIC, { name: alias, column_type: 'llm-text', model_alias: alias, prompt: '{{ t }}' }],
  });
  const first = { name: 'asked', config: ask('good') };
  const extended = { ...ask('bad'), columns: ask('bad').columns.slice(1) };
  writeFileSync(config, JSON.stringify({ stages: [first, { name: 'extended', config: extended }] }));
  const flow = await runCommand(check);
  expect(flow.code).toBe(1);
  expect(flow.stdout).toContain("Stage 'asked': model good: ok\nStage 'extended': model bad: failed [model/not-found]");
});
