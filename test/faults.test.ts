import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DataDesigner } from 'data-designer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FLAW_NAMES } from '@data-designer/core';
import type { RunEvent } from '@data-designer/engine';
import { demoToolsProgram, type RunningSimulator, startSimulator } from '@data-designer/simulator';

/** Simulator and designer of all settings without flags and tools. */
let shared: Setup;

beforeAll(async () => {
  shared = await setUp({ flags: ['--retry-after', '0.05'] });
});
afterAll(() => shared[Symbol.asyncDispose]());

interface Setup extends AsyncDisposable {
  readonly simulator: RunningSimulator;
  readonly designer: DataDesigner;
}

interface Setting {
  readonly model?: string;
  readonly rows?: number;
  readonly flags?: readonly string[];
  /** Whether the simulator's counts are to be of this run alone. */
  readonly isCounted?: boolean;
  readonly apiKey?: string;
  readonly parameters?: object;
  readonly column?: object;
  readonly onEvent?: (event: RunEvent) => void;
  readonly tool?: { readonly command: string; readonly args: string[] };
}

const ROWS = 6;
const STRUCTURED = {
  column_type: 'llm-structured',
  output_format: { type: 'object', properties: { x: { type: 'integer' } }, required: ['x'] },
};
const GAVE_UP = /no valid answer after 0 corrections and 5 restarts/;

async function setUp({ flags = [], apiKey, tool }: Setting): Promise<Setup> {
  const simulator = await startSimulator(...flags);
  const provider = {
    name: 'faulty',
    endpoint: simulator.url,
    providerType: 'openai',
    apiKey: apiKey ?? null,
    extraBody: null,
    extraHeaders: null,
  } as const;
  const tools = tool ? [{ name: 'breaking', providerType: 'stdio', env: {}, ...tool } as const] : [];
  const designer = new DataDesigner({ providers: { models: [provider], tools }, runConfig: { seed: 1 } });
  const end = async (): Promise<void> => {
    await designer[Symbol.asyncDispose]();
    await simulator[Symbol.asyncDispose]();
  };
  return { simulator, designer, [Symbol.asyncDispose]: end };
}

/** Makes a few rows against a simulator that misbehaves as asked. */
async function preview(setting: Setting) {
  const { model = 'sim-small', rows = ROWS, parameters = {}, column = {}, tool, onEvent } = setting;
  await using own = setting.flags || tool ? await setUp(setting) : undefined;
  const { designer, simulator } = own ?? shared;
  if (setting.isCounted) await fetch(`${simulator.origin}/stats/reset`, { method: 'POST' });
  const document = {
    model_configs: [
      { alias: 'writer', model, provider: 'faulty', inference_parameters: { max_parallel_requests: 8, ...parameters } },
    ],
    ...(tool ? { tool_configs: [{ tool_alias: 'facts', providers: ['breaking'] }] } : {}),
    columns: [
      {
        name: 'n',
        column_type: 'sampler',
        sampler_type: 'category',
        params: { values: Array.from({ length: 999 }, (_, i) => i) },
      },
      { name: 'a', column_type: 'llm-text', model_alias: 'writer', prompt: 'Say {{ n }}.', ...column },
    ],
  };
  return await designer.preview({ document, source: 'the test' }, { numRecords: rows, ...(onEvent && { onEvent }) });
}

async function expectAllRows(_: string, setting: Setting): Promise<void> {
  const { count, lost } = await preview(setting);
  expect(lost).toEqual([]);
  expect(count).toBe(ROWS);
}

/** Faults that a model has once for each request: what comes of each is told by the column of its name. */
const ONCE: readonly [string, string, object?][] = [
  ['500 once', 'sim-500-once'],
  ['503 once', 'sim-503-once'],
  ['a connection reset once', 'sim-reset-once'],
  ['an answer cut off once', 'sim-truncate-once'],
  ['520 once', 'sim-520-once'],
  ['409 once', 'sim-409-once'],
  ['425 once', 'sim-425-once'],
  ['an empty list of choices once', 'sim-no-choices-once'],
  ['a choice that carries an error once', 'sim-choice-error-once'],
  ['429 with Retry-After', 'sim-429-once'],
  ['an answer of the wrong shape once', 'sim-wrong-schema-once', STRUCTURED],
  ['an empty answer once', 'sim-empty-once', STRUCTURED],
  ['an answer cut short once', 'sim-length-once', STRUCTURED],
  ['tool calls without tools once', 'sim-stray-tools-once', STRUCTURED],
];

test('no cell is lost to a fault that occurs once', { tags: 'long' }, async () => {
  const document = {
    model_configs: ONCE.map(([, model]) => ({ alias: model, model, provider: 'faulty' })),
    columns: [
      {
        name: 'n',
        column_type: 'sampler',
        sampler_type: 'category',
        params: { values: Array.from({ length: 999 }, (_, i) => i) },
      },
      ...ONCE.map(([, model, column]) => ({
        name: model.replaceAll('-', '_'),
        column_type: 'llm-text',
        model_alias: model,
        prompt: 'Say {{ n }}.',
        on_failure: 'null',
        ...column,
      })),
    ],
  };
  const results = await shared.designer.preview({ document, source: 'the test' }, { numRecords: ROWS });
  expect(results.failedCells).toEqual([]);
  expect([results.count, results.lost]).toEqual([ROWS, []]);
  // Each cell took a request that met the fault, and another one.
  const unmet = ONCE.filter(([, model]) => (results.usage[model]?.requests ?? 0) < 2 * ROWS);
  expect(unmet.map(([fault]) => fault)).toEqual([]);
});

test.concurrent.each<[string, Setting]>([
  ['429 without Retry-After', { model: 'sim-429-once', flags: ['--retry-after', 'none'] }],
  ['a storm of 429', { flags: ['--limit', '1', '--latency', '20', '--retry-after', '0.05'] }],
  ['a storm of 503', { flags: ['--faults', '503=0.5', '--retry-after', '0.05'] }],
])('no row is lost to %s', { tags: 'long' }, expectAllRows);

// One at a time: the second request has one second, too.
test.each<[string, Setting]>([
  ['silence once', { model: 'sim-hang-once', parameters: { timeout: 1 } }],
  ['an answer that stops in its middle once', { model: 'sim-stall-once', parameters: { timeout: 1 } }],
])('no row is lost to %s', { tags: 'long' }, expectAllRows);

async function expectOneReport(_: string, setting: Setting, said: RegExp): Promise<void> {
  const failure = await preview(setting).catch((thrown: unknown) => thrown);
  expect(failure).toMatchObject({ code: 'run/no-rows' });
  expect((failure as Error).message.split(said)).toHaveLength(2);
}

test.concurrent.each<[string, Setting, RegExp]>([
  [
    'HTML with status 200',
    { model: 'sim-html' },
    /it is not a JSON object: <.+\/v1\/chat\/completions \(provider .+Check that the endpoint is the address of a chat API/,
  ],
  ['JSON that is broken', { model: 'sim-bad-json' }, /its body is not valid JSON/],
  ['a wrong schema for ever', { model: 'sim-wrong-schema', column: STRUCTURED }, GAVE_UP],
  ['an empty answer for ever', { model: 'sim-empty', column: STRUCTURED }, GAVE_UP],
  ['an answer always cut short', { model: 'sim-length', column: STRUCTURED }, /raise the model's 'max_tokens'/],
  ['tool calls without tools', { model: 'sim-stray-tools', column: STRUCTURED }, GAVE_UP],
  ['a request that is too long', { model: 'sim-too-long' }, /exceeds the context of model '.+Shorten the prompt/],
])('%s is reported once, with its cause', { tags: 'long' }, expectOneReport);

test.each<[string, Setting, RegExp]>([
  ['silence', { model: 'sim-hang', parameters: { timeout: 1 } }, /did not answer within 1000 ms/],
  ['an answer that stops in its middle', { model: 'sim-stall', parameters: { timeout: 1 } }, /within 1000 ms/],
  ['500 for ever', { model: 'sim-500', parameters: { timeout: 1 } }, /failed with status 500/],
])('%s is reported once, with its cause', { tags: 'long' }, expectOneReport);

test.each([
  ['an empty list of choices', 'sim-no-choices', /in 3 answers with status 200: it contains no choices\./],
  ['an error in every choice', 'sim-choice-error', /it reports an error: Upstream error\./],
])('%s costs three requests per call and is reported once', { tags: 'long' }, async (_, model, said) => {
  const setting = { model, rows: 2, column: { on_failure: 'null' }, isCounted: true };
  const results = await preview(setting);
  const { requests, answers, promptTokens, completionTokens } = await shared.simulator.stats();
  expect(results.failedCells).toMatchObject([{ code: 'model/no-choice', column: 'a', cells: 2 }]);
  expect(results.failedCells[0]?.message).toMatch(said);
  expect([requests, answers]).toEqual([6, 6]);
  const { writer } = results.usage;
  expect(writer).toMatchObject({ requests: 6, failedRequests: 6 });
  expect((writer?.inputTokens ?? 0) + (writer?.outputTokens ?? 0)).toBe(promptTokens + completionTokens);
});

test(
  'a body that unpacks to a gigabyte costs one request per row, and the error names the setting that allows more',
  { tags: 'long' },
  async () => {
    const { failedCells, usage } = await preview({ model: 'sim-gzip-bomb', rows: 3, column: { on_failure: 'null' } });
    expect(failedCells).toMatchObject([{ code: 'model/answer-too-long', cells: 3 }]);
    expect(failedCells[0]?.message).toContain("longer than 16 MB. If that is intended, raise 'max_answer_mb'");
    expect(usage.writer).toMatchObject({ requests: 3, failedRequests: 3, possiblyPaidRequests: 3 });
  },
);

const NO_FLAWS = Object.fromEntries(FLAW_NAMES.map((name) => [name, 0]));

test.each([
  ['cut off', 'sim-length', { cut: 2 }],
  ['empty', 'sim-empty', { empty: 2 }],
  ['an object', 'sim-object-content', { nonText: 2 }],
  ['not UTF-8', 'sim-bad-utf8', { garbled: 2 }],
])('an answer that is %s is used and counted by column, with one warning if it was cut', async (_, model, flaw) => {
  const warned: RunEvent[] = [];
  const take = (event: RunEvent) => void (event.type === 'answer-cut' && warned.push(event));
  const results = await preview({ model, rows: 2, onEvent: take });
  expect([results.count, results.lost]).toEqual([2, []]);
  expect(results.flaws).toEqual([{ column: 'a', ...NO_FLAWS, ...flaw }]);
  expect(warned).toEqual(model === 'sim-length' ? [{ type: 'answer-cut', column: 'a' }] : []);
});

test('an endpoint that answers 500 to everything ends the run after a few dozen requests', async () => {
  const failure = await preview({ model: 'sim-500', rows: 60, isCounted: true }).catch((thrown: unknown) => thrown);
  expect(failure).toMatchObject({ code: 'model/server-error', data: { forAll: true } });
  expect((failure as Error).message).toMatch(
    /status 500.+carried the model name 'sim-500' and no key to http.+No request of this run has succeeded/,
  );
  expect((await shared.simulator.stats()).requests).toBeLessThanOrEqual(40);
});

test('a refusal of many rows is one line with their number', { tags: 'long' }, async () => {
  const { lost, count } = await preview({ rows: 60, flags: ['--faults', 'too-long=0.5'] });
  expect(lost).toMatchObject([{ code: 'model/context-exceeded', column: 'a', rows: 60 - count }]);
  expect(count).toBeGreaterThan(0);
});

test('an account without credit ends the run after few requests, with one cause', async () => {
  const failure = await preview({ model: 'sim-quota', rows: 60, isCounted: true }).catch((thrown: unknown) => thrown);
  expect(failure).toMatchObject({ code: 'model/quota-exceeded' });
  expect((failure as Error).message).toContain('exceeded your current quota');
  expect((await shared.simulator.stats()).requests).toBeLessThanOrEqual(8);
});

test('endless 429 ends the run with its cause', { tags: 'long' }, async () => {
  const failure = await preview({ model: 'sim-429', parameters: { total_timeout: 2 } }).catch(
    (thrown: unknown) => thrown,
  );
  expect(failure).toMatchObject({ code: 'model/rate-limited' });
  expect((failure as Error).message.split('(429)')).toHaveLength(2);
});

test('an unknown model ends the run at the first row and is named', async () => {
  const failure = await preview({ model: 'sim-404' }).catch((thrown: unknown) => thrown);
  expect(failure).toMatchObject({ code: 'model/not-found', message: expect.stringContaining('sim-404') as string });
});

test('a refused key ends the run', async () => {
  const failure = await preview({ flags: ['--api-key', 'right'], apiKey: 'wrong-key-77' }).catch(
    (thrown: unknown) => thrown,
  );
  expect(failure).toMatchObject({ code: 'model/unauthorized' });
  expect((failure as Error).message).toContain('status 401');
  expect((failure as Error).message).not.toContain('wrong-key-77');
});

test('a model that never stops calling tools is refused, then asked once without tools', { tags: 'long' }, async () => {
  const results = await preview({
    model: 'sim-endless-tools',
    column: { tool_alias: 'facts', with_trace: true },
    tool: { command: process.execPath, args: [fileURLToPath(demoToolsProgram)] },
  });
  expect(results.count).toBe(ROWS);
  // 5 turns that run, 3 that are refused, one last request without tools.
  expect(results.usage.writer).toMatchObject({ requests: ROWS * 9, toolTurns: ROWS * 8 });
  const records = await Array.fromAsync(results.records());
  expect(JSON.stringify(records)).toContain('the turns for tool calls are used up');
});

test('a tool server that dies during a call is reported to the model, and the call is not repeated', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'faults-'));
  const written = join(folder, 'written');
  const dying = fileURLToPath(new URL('./dying-tools.ts', import.meta.url));
  const results = await preview({
    column: { tool_alias: 'facts', with_trace: true, prompt: 'Say {{ n }} with the tool get_fact.' },
    tool: { command: process.execPath, args: ['--conditions=@data-designer/source', dying, written] },
  });
  expect(results.lost).toEqual([]);
  const records = await Array.fromAsync(results.records());
  expect(JSON.stringify(records)).toContain('; the outcome is unknown: the tool may have run');
  const { calls = 0, errors = 0 } = results.tools.get_fact ?? {};
  expect(errors).toBeGreaterThan(0);
  expect(readFileSync(written, 'utf8').trim().split('\n').length).toBeLessThanOrEqual(calls);
  rmSync(folder, { recursive: true });
});
