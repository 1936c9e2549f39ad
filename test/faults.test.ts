import { fileURLToPath } from 'node:url';
import { type RunningSimulator, startSimulator } from '@data-designer/simulator';
import { DataDesigner } from 'data-designer';
import { afterEach, expect, test } from 'vitest';

let simulator: RunningSimulator;

afterEach(() => simulator[Symbol.asyncDispose]());

interface Setting {
  readonly model?: string;
  readonly flags?: readonly string[];
  readonly apiKey?: string;
  readonly parameters?: object;
  readonly column?: object;
  readonly tool?: { readonly command: string; readonly args: string[] };
}

const ROWS = 6;

/** Makes a few rows against a simulator that misbehaves as asked. */
async function preview({ model = 'sim-small', flags = [], apiKey, parameters = {}, column = {}, tool }: Setting) {
  simulator = await startSimulator(...flags);
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
  return designer.preview({ document, source: 'the test' }, { numRecords: ROWS });
}

test.each([
  ['500 once', { model: 'sim-500-once' }],
  ['503 once', { model: 'sim-503-once' }],
  ['a connection reset once', { model: 'sim-reset-once' }],
  ['an answer cut off once', { model: 'sim-truncate-once' }],
  ['429 with Retry-After', { flags: ['--limit', '2', '--latency', '50', '--retry-after', '1'] }],
])('no row is lost to %s', async (_, setting) => {
  const { count, lost } = await preview(setting);
  expect(lost).toEqual([]);
  expect(count).toBe(ROWS);
});

test.each([
  ['HTML with status 200', { model: 'sim-html' }, /not a JSON object \(is the endpoint a chat API\?\)/],
  ['JSON that is broken', { model: 'sim-bad-json' }, /its body is not valid JSON/],
  ['silence', { model: 'sim-hang', parameters: { timeout: 1 } }, /did not answer within 1000 ms/],
  [
    'a wrong schema for ever',
    {
      model: 'sim-wrong-schema',
      column: {
        column_type: 'llm-structured',
        output_format: { type: 'object', properties: { x: { type: 'integer' } }, required: ['x'] },
      },
    },
    /no valid answer after 0 corrections and 5 restarts/,
  ],
])('%s is said once, with its cause', async (_, setting, said) => {
  const failure = await preview(setting as Setting).catch((thrown: unknown) => thrown);
  expect(failure).toMatchObject({ code: 'run/no-rows' });
  expect((failure as Error).message).toMatch(said);
  expect((failure as Error).message).not.toContain('wrong-key-77');
});

test('a model that is not there ends the run at the first row, with its name', async () => {
  const failure = await preview({ model: 'sim-404' }).catch((thrown: unknown) => thrown);
  expect(failure).toMatchObject({ code: 'model/not-found', message: expect.stringContaining('sim-404') as string });
});

test('a key that is refused ends the run: no other row would fare better', async () => {
  const failure = await preview({ flags: ['--api-key', 'right'], apiKey: 'wrong-key-77' }).catch(
    (thrown: unknown) => thrown,
  );
  expect(failure).toMatchObject({ code: 'model/unauthorized' });
  expect((failure as Error).message).toContain('status 401');
  expect((failure as Error).message).not.toContain('wrong-key-77');
});

test('a model that never stops calling tools is refused, then asked once without tools, and so comes to an end', async () => {
  const demo = fileURLToPath(new URL('../packages/simulator/src/demo-tools/demo-tools.ts', import.meta.url));
  const results = await preview({
    model: 'sim-endless-tools',
    column: { tool_alias: 'facts', with_trace: true },
    tool: { command: process.execPath, args: ['--conditions=@data-designer/source', demo] },
  });
  expect(results.count).toBe(ROWS);
  // 5 turns that run, 3 that are refused, one last request without tools.
  expect(results.usage.writer).toMatchObject({ requests: ROWS * 9, toolTurns: ROWS * 8 });
  const records = await Array.fromAsync(results.records());
  expect(JSON.stringify(records)).toContain('the turns for tool calls are used up');
});

test('a tool server that dies in the middle of a call is data for the model, not a lost row', async () => {
  const dying = fileURLToPath(new URL('./dying-tools.ts', import.meta.url));
  const results = await preview({
    column: { tool_alias: 'facts', with_trace: true, prompt: 'Say {{ n }} with the tool get_fact.' },
    tool: { command: process.execPath, args: ['--conditions=@data-designer/source', dying] },
  });
  expect(results.lost).toEqual([]);
  const records = await Array.fromAsync(results.records());
  expect(JSON.stringify(records)).toContain("Error: Tool 'get_fact' failed:");
  expect(results.tools.get_fact?.errors).toBeGreaterThan(0);
});
