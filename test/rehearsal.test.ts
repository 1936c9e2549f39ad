import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDesigner } from 'data-designer';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startSimulator } from '@data-designer/simulator';
import { dataDesigner, runCommand } from './command-line.ts';

let folder: string;
let server: Server;
let asked: string[];

/** A model server and a tool server that a rehearsal must leave alone. */
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rehearsal-'));
  asked = [];
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(500).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterEach(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const CONFIG = {
  model_configs: [
    {
      alias: 'writer',
      model: 'gpt-x',
      provider: 'real',
      pricing: { input: 1, output: 2 },
      inference_parameters: { max_parallel_requests: 8, max_tokens: 30 },
    },
    { alias: 'judge', model: 'claude-x', provider: 'other', inference_parameters: { max_parallel_requests: 2 } },
  ],
  tool_configs: [
    { tool_alias: 'theirs', providers: ['their-tools'], allow_tools: ['search', 'look_up'] },
    { tool_alias: 'ours', providers: ['demo-tools'] },
  ],
  columns: [
    { name: 'id', column_type: 'sampler', sampler_type: 'uuid', params: {} },
    {
      name: 'fact',
      column_type: 'llm-text',
      model_alias: 'writer',
      tool_alias: 'theirs',
      allow_tools: ['search'],
      prompt: 'Use a tool: {{ id }}',
    },
    {
      name: 'more',
      column_type: 'llm-text',
      model_alias: 'writer',
      tool_alias: 'ours',
      prompt: 'Use the tool get_fact: {{ id }}',
    },
    {
      name: 'quiz',
      column_type: 'llm-structured',
      model_alias: 'judge',
      prompt: 'On {{ fact }} and {{ more }}',
      output_format: { type: 'object', properties: { x: { type: 'integer' } }, required: ['x'] },
    },
  ],
};

function providers() {
  const { port } = server.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}/v1`;
  return {
    models: [
      { name: 'real', endpoint, provider_type: 'openai', api_key: '${NO_SUCH_KEY}' },
      { name: 'other', endpoint, provider_type: 'anthropic', api_key: '${NO_SUCH_KEY}' },
    ],
    tools: [{ name: 'their-tools', provider_type: 'streamable_http', endpoint: `http://127.0.0.1:${port}/mcp` }],
  };
}

function files(): { readonly config: string; readonly flags: readonly string[] } {
  const { models, tools } = providers();
  const config = join(folder, 'config.json');
  const list = join(folder, 'providers.json');
  writeFileSync(config, JSON.stringify(CONFIG));
  writeFileSync(list, JSON.stringify({ providers: [...models, ...tools] }));
  return { config, flags: ['--providers', list, '--seed', '7'] };
}

test('rehearse needs no key and calls no real model or tool', { tags: 'long' }, async () => {
  const { config, flags } = files();
  const environment = { TMPDIR: folder };
  const command = ['rehearse', config, '-n', '1000', '--sample', '20', '--latency', 'uniform:5,15', ...flags];
  const { code, stdout, stderr } = await dataDesigner([...command, '--json'], environment);
  expect(code).toBe(0);
  const events = stderr.trim().split('\n');
  expect(new Set(events.map((line) => (JSON.parse(line) as { type: string }).type))).toEqual(new Set(['progress']));
  const said = JSON.parse(stdout) as Awaited<ReturnType<DataDesigner['rehearse']>>;
  expect(asked).toEqual([]);
  expect(said).toMatchObject({ rows: 1000, rowsMade: 1000, sample: { rows: 20, rowsMade: 20, lost: [] }, cost: null });
  const [writer, judge] = said.models;
  expect(judge).toMatchObject({ alias: 'judge', model: 'claude-x', provider: 'other', requests: 1000, cost: null });
  // One request for each fact, two or more for each of the others, whose tools are built in.
  expect(writer?.requests).toBeGreaterThanOrEqual(3000);
  expect(writer?.cost).toBeCloseTo((writer!.inputTokens + 2 * writer!.outputTokens) / 1e6, 5);
  expect(said.requests).toBe(writer!.requests + judge!.requests);
  expect(said.wall.bounds.map(({ name }) => name).toSorted()).toEqual(
    expect.arrayContaining(['other/claude-x', 'real/gpt-x']),
  );
  expect(said.wall.ms).toBeGreaterThanOrEqual(said.wall.bounds[0]!.ms);
  expect(said.assumptions.join('\n')).toMatch(/not offered 'theirs'[^]*No price is known for 'judge'/);
  expect(readdirSync(folder).toSorted()).toEqual(['config.json', 'providers.json']);
});

test(
  'the forecast matches the run, including tools and failed requests',
  { tags: 'long', timeout: 60_000 },
  async () => {
    await using simulator = await startSimulator('--latency', 'uniform:5:25', '--faults', '500=0.05');
    const { models } = providers();
    const designer = new DataDesigner({
      artifactPath: folder,
      providers: {
        models: models.map(({ name }) => ({ ...SERVED, name, endpoint: simulator.url })),
        tools: [],
      },
      runConfig: { seed: 7 },
    });
    const priced = CONFIG.model_configs.map((model) => ({ pricing: { input: 3, output: 9 }, ...model }));
    const columns = CONFIG.columns.filter(({ name }) => name !== 'fact');
    const quiz = columns.map((column) => ('output_format' in column ? { ...column, prompt: 'On {{ more }}' } : column));
    const declared = { document: { ...CONFIG, model_configs: priced, columns: quiz }, source: 'the test' };
    const rates = { latency: 'uniform:5,25', errorRate: 0.05 };
    const foreseen = await designer.rehearse(declared, { numRecords: 160, sampleRows: 60, ...rates });
    const { usage, count, cost } = await designer.create(declared, { numRecords: 160 });
    await designer[Symbol.asyncDispose]();
    expect(count).toBe(foreseen.rowsMade);
    const took = Object.values(usage);
    const sum = (kind: 'requests' | 'inputTokens' | 'outputTokens') => took.reduce((all, one) => all + one[kind], 0);
    for (const kind of ['requests', 'inputTokens', 'outputTokens'] as const) {
      expect(foreseen[kind] / sum(kind)).toBeGreaterThan(0.88);
      expect(foreseen[kind] / sum(kind)).toBeLessThan(1.12);
    }
    expect(foreseen.cost! / cost!).toBeGreaterThan(0.88);
    expect(foreseen.cost! / cost!).toBeLessThan(1.12);
  },
);

/** The simulator as an endpoint of the user's. */
const SERVED = { providerType: 'openai', apiKey: null, extraBody: null, extraHeaders: null } as const;

test('rehearse names the bottleneck and the effect of more parallel requests', { tags: 'long' }, async () => {
  const { config, flags } = files();
  // So slow that the models bound the run on a busy machine, too.
  const rates = ['--latency', '200', '--tokens-per-second', '2000', '--output-tokens', 'max', '--error-rate', '0.05'];
  const command = ['rehearse', config, '-n', '5000', '--sample', '20', ...rates, ...flags];
  const { code, stdout } = await runCommand(command);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /Wall time: .*The bottleneck is \S+ with [28] parallel requests\.\nWith twice its max_parallel_requests: /,
  );
  expect(stdout).toMatch(/^judge \(other\/claude-x\) .* unknown$/m);
  expect(stdout).toContain('5 % of the requests fail');
  expect(stdout).toContain('as long as max_tokens allows');
});

test('longer answers raise the forecast of tokens', { tags: 'long' }, async () => {
  const { models } = providers();
  await using designer = new DataDesigner({
    artifactPath: join(folder, 'artifacts'),
    providers: {
      models: models.map(({ name, endpoint }) => ({
        name,
        endpoint,
        providerType: 'openai',
        apiKey: null,
        extraBody: null,
        extraHeaders: null,
      })),
      tools: [],
    },
  });
  const [, , , quiz] = CONFIG.columns;
  const document = {
    model_configs: [{ alias: 'writer', model: 'gpt-x', provider: 'real' }, CONFIG.model_configs[1]],
    columns: [
      CONFIG.columns[0],
      { name: 'fact', column_type: 'llm-text', model_alias: 'writer', prompt: 'On {{ id }}' },
      { ...quiz, prompt: 'On {{ fact }}' },
    ],
  };
  const rehearsed = (outputTokens: number) =>
    designer.rehearse(
      { document, source: 'the test' },
      { numRecords: 100, sampleRows: 10, latency: '0', outputTokens },
    );
  const [short, long] = [await rehearsed(100), await rehearsed(400)];
  expect([short, long].map(({ models: [writer] }) => writer?.outputTokens)).toEqual([10_000, 40_000]);
  expect(long.models[1]!.inputTokens).toBeGreaterThan(short.models[1]!.inputTokens + 20_000);
  expect(asked).toEqual([]);
});

test('a time limit is reported and does not end the sample', { tags: 'long' }, async () => {
  const { config, flags } = files();
  const command = [
    'rehearse',
    config,
    '-n',
    '50000',
    '--sample',
    '4',
    '--latency',
    '400',
    '--max-time',
    '1s',
    ...flags,
  ];
  const { code, stdout } = await runCommand(command);
  expect(code).toBe(0);
  expect(stdout).toContain('50,000 rows; rehearsed with 4 ');
  expect(stdout).toContain('The run would stop at its max_duration_seconds of 1, after about');
});

test('a rehearsal without models states no assumptions about them', { tags: 'long' }, async () => {
  const config = join(folder, 'plain.json');
  const column = { name: 'id', column_type: 'sampler', sampler_type: 'uuid', params: {} };
  writeFileSync(config, JSON.stringify({ columns: [column] }));
  const { code, stdout } = await runCommand(['rehearse', config, '-n', '100', '--json']);
  expect(code).toBe(0);
  const { assumptions } = JSON.parse(stdout) as { assumptions: string[] };
  expect(assumptions).toEqual([
    expect.stringMatching(/^All 100 rows were rehearsed/),
    expect.stringMatching(/^Wall time is/),
  ]);
});

test.each([
  [['-n', '0'], 2, 'It must be a whole number, 1 or more.'],
  [['-n', '10', '--latency', 'soon'], 2, 'It must be milliseconds, or'],
  [['-n', '10', '--error-rate', '0.9'], 2, 'It must be a share from 0 to 0.5: with more, the rehearsal'],
  [[], 2, 'num-records'],
])('the flags %j are refused', async (flags, code, words) => {
  const { config } = files();
  const finished = await runCommand(['rehearse', config, ...flags]);
  expect(finished.code).toBe(code);
  expect(finished.stderr).toContain(words);
});

test('rehearse reports an unreadable or wrong config like any command', async () => {
  const missing = await runCommand(['rehearse', join(folder, 'none.yaml'), '-n', '5']);
  expect([missing.code, missing.stderr.slice(0, 26)]).toEqual([1, 'Error [config/unreadable]:']);
  const config = join(folder, 'wrong.json');
  writeFileSync(config, JSON.stringify({ columns: [{ name: 'a', column_type: 'expression', expr: '{{ b }}' }] }));
  const wrong = await runCommand(['rehearse', config, '-n', '5']);
  expect([wrong.code, wrong.stderr.slice(0, 23)]).toEqual([1, 'Error [config/invalid]:']);
});
