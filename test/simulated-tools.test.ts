import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CreateOptions, DataDesigner, DataDesignerConfigBuilder, loadDataset } from 'data-designer';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type AnsweringServer, completion, openAnsweringServer, reply } from '@data-designer/testing/answering-server';
import { type ModelRequest, playAgent } from './calling-model.ts';
import { startDataDesigner } from './command-line.ts';

let folder: string;
let server: AnsweringServer;
let asked: ModelRequest[];
/** The answers of the worlds' model in place of those that it works out, by the thing that is bought. */
let scripted: Readonly<Record<string, (request: ModelRequest) => object | number>>;
/** After so many answers nobody is answered any more. */
let holdsAfter: number;
let held: ServerResponse[];

const USAGE = { prompt_tokens: 3, completion_tokens: 2 };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'simulated-tools-'));
  server = await openAnsweringServer((text, response) => {
    if (asked.length >= holdsAfter) return void held.push(response);
    const request = JSON.parse(text) as ModelRequest;
    asked.push(request);
    const answer = request.model === 'world' ? playWorld(request) : playAgent(request);
    if (typeof answer === 'number') return reply(response, { error: { message: 'no' } }, { status: answer });
    return reply(response, answer);
  });
});
beforeEach(() => {
  asked = [];
  scripted = {};
  holdsAfter = Infinity;
  held = [];
});
afterAll(() => {
  server[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

interface Buying {
  readonly thing: string;
  readonly count: number;
}

/** The state and the call of a question to the worlds' model. */
function questionIn({
  messages,
}: ModelRequest): { readonly state: Record<string, number>; readonly call: Buying } | undefined {
  const [, , state = '', call = ''] = /^(The state:)\n(.*)\n\nThe call:\n(.*)/.exec(messages[1]?.content ?? '') ?? [];
  if (state === '') return undefined;
  return { state: JSON.parse(state), call: (JSON.parse(call) as { arguments: Buying }).arguments };
}

/** Plays the shop: what is bought is gone. */
function playWorld(request: ModelRequest): object | number {
  const question = questionIn(request);
  if (!question) return completion(request.messages.length === 1 ? 'Hello!' : '{}');
  const { state, call } = question;
  const other = scripted[call.thing]?.(request);
  if (other !== undefined) return other;
  const left = (state[call.thing] ?? 0) - call.count;
  const answer =
    left < 0 ? { result: null, error: 'sold out' } : { result: { left }, state: { ...state, [call.thing]: left } };
  return json(answer);
}

function json(answer: object): object {
  return completion(JSON.stringify(answer), USAGE);
}

const buy = (thing: string, count = 1) => ({ name: 'buy', arguments: { thing, count } });

const price = (thing: string) => ({ name: 'price', arguments: { thing } });

const shop = {
  name: 'shop',
  kind: 'simulated',
  modelAlias: 'world',
  state: '{{ stock }}',
  instructions: 'The shop sells{% for thing in stock %} {{ thing }}{% endfor %}.',
  tools: [
    {
      name: 'buy',
      description: 'Buys things.',
      parameters: {
        type: 'object',
        properties: { thing: { type: 'string' }, count: { type: 'integer' } },
        required: ['thing', 'count'],
      },
      outputSchema: { type: 'object', properties: { left: { type: 'integer' } }, required: ['left'] },
    },
    {
      name: 'price',
      parameters: { type: 'object', properties: { thing: { type: 'string' } } },
      lookup: '{{ prices }}',
    },
  ],
} as const;

const PRICES = [{ arguments: { thing: 'apples' }, result: { price: 2 } }];

function model(alias: string) {
  return { alias, model: alias, provider: 'own', structuredOutput: false, pricing: { input: 1e6, output: 0 } };
}

/** Rows with 10, 20, … apples, whose agent makes the given calls. */
function shopping(calls: object, rows = 4) {
  return new DataDesignerConfigBuilder()
    .addModelConfig({ ...model('agent'), inferenceParameters: { maxParallelRequests: 4 } })
    .addModelConfig({ ...model('world'), inferenceParameters: { maxParallelRequests: 4 } })
    .addToolConfig({ toolAlias: 'shop-tools', providers: ['shop'] })
    .addEnvironment(shop)
    .withSeedDataset({
      seedType: 'df',
      rows: Array.from({ length: rows }, (_, at) => ({ stock: { apples: 10 * (at + 1) }, prices: PRICES })),
    })
    .addColumn({
      name: 'done',
      columnType: 'llm-text',
      modelAlias: 'agent',
      toolAlias: 'shop-tools',
      prompt: JSON.stringify(calls),
      withTrace: true,
    });
}

function designerOf(runConfig: object = {}) {
  return new DataDesigner({
    artifactPath: folder,
    providers: { models: [{ name: 'own', endpoint: `${server.origin}/v1`, apiKey: 'key' }], tools: [] },
    runConfig: { seed: 3, disableEarlyShutdown: true, ...runConfig },
  });
}

async function create(
  config: DataDesignerConfigBuilder,
  datasetName: string,
  { runConfig, ...more }: Partial<CreateOptions> & { readonly runConfig?: object } = {},
) {
  await using designer = designerOf(runConfig);
  const results = await designer.create(config, { numRecords: 4, datasetName, ...more });
  return { results, rows: await Array.fromAsync<Record<string, unknown>>(results.records()) };
}

const requestsTo = (name: string) => asked.filter(({ model: asking }) => asking === name).length;

test('a model plays the tools of each row, and its requests are counted as its own', async () => {
  const { results, rows } = await create(
    shopping([[buy('apples', 3), buy('apples', 4)], [buy('apples', 5)]]),
    'played',
  );
  expect(rows.map(({ done, done__state: state }) => [done, state])).toEqual([
    ['{"left":7}\n{"left":3}\nError: Tool \'buy\' failed: sold out', { apples: 3 }],
    ['{"left":17}\n{"left":13}\n{"left":8}', { apples: 8 }],
    ['{"left":27}\n{"left":23}\n{"left":18}', { apples: 18 }],
    ['{"left":37}\n{"left":33}\n{"left":28}', { apples: 28 }],
  ]);
  expect(JSON.stringify(rows[0]?.['done__trace'])).not.toContain('The state');
  const { usage } = results;
  expect(usage['agent']).toMatchObject({ requests: requestsTo('agent') });
  expect(usage['world']).toMatchObject({ requests: 12, inputTokens: 36, outputTokens: 24, cost: 36 });
  expect(requestsTo('world')).toBe(12);
  const [system] = asked.find(({ model: name }) => name === 'world')?.messages ?? [];
  expect(system?.content).toContain('The shop sells apples.');
});

test('a table answers without a model, and other arguments are an error', async () => {
  const { rows } = await create(shopping([[price('apples'), price('pears')]]), 'table');
  expect(rows[0]).toMatchObject({
    done: '{"price":2}\nError: Tool \'price\' failed: no entry has these arguments: {"thing":"pears"}',
    done__state: { apples: 10 },
  });
  expect(requestsTo('world')).toBe(0);
});

test('an answer that does not fit is corrected, within the call', async () => {
  scripted = {
    pears: ({ messages }) => json(messages.length < 4 ? { result: { left: 'many' } } : { result: { left: 1 } }),
  };
  const { rows, results } = await create(shopping([[buy('pears')], [buy('apples')]]), 'corrected', { numRecords: 1 });
  expect(rows[0]).toMatchObject({ done: '{"left":1}\n{"left":9}', done__state: { apples: 9 } });
  expect(results.usage['world']).toMatchObject({ requests: 3 });
  expect(asked[2]?.messages.at(-1)?.content).toContain("'result.left' must be of type integer");
});

test.each<[string, (request: ModelRequest) => object, number, string]>([
  [
    '5 MB as a result',
    () => json({ result: { left: 1, more: 'x'.repeat(100) }, state: { x: 'x'.repeat(5e6) } }),
    1,
    'its simulation gave no valid result: the answer has 5',
  ],
  [
    '1 MB as a result',
    () => json({ result: { left: 'x'.repeat(1e6) } }),
    3,
    "its simulation gave no valid result: Response doesn't match",
  ],
  ['another schema', () => json({ outcome: 'bought' }), 3, 'its simulation gave no valid result: '],
  [
    'a state that is text',
    () => json({ result: { left: 1 }, state: 'fewer apples' }),
    3,
    'its simulation gave no valid result: ',
  ],
  ['no JSON', () => completion('You have bought it.'), 3, 'its simulation gave no valid result: '],
  ['a refusal in words', () => completion("I'm sorry, but I can't."), 3, 'its simulation gave no valid result: '],
  ['nothing', () => completion(''), 3, 'its simulation gave no valid result: '],
])(
  'a model that answers %s costs the call, and changes nothing',
  { tags: 'long' },
  async (...[title, answer, requests, text]) => {
    scripted = { pears: answer };
    const config = shopping([[buy('pears')], [buy('apples')]]);
    const { rows, results } = await create(config, `hostile ${title}`, { numRecords: 1 });
    expect(rows[0]?.['done']).toContain(`Error: Tool 'buy' failed: ${text}`);
    expect(rows[0]?.['done']).toContain('\n{"left":9}');
    expect(rows[0]).toMatchObject({ done__state: { apples: 9 } });
    expect(results.usage['world']).toMatchObject({ requests: requests + 1 });
    expect(results.tools).toMatchObject({ buy: { calls: 2, errors: 1 } });
  },
);

test('a state that grows in each call ends at its limit, and the calls after it go on', { tags: 'long' }, async () => {
  scripted = {
    pears: (request) => {
      const { state } = questionIn(request) ?? {};
      return json({
        result: { left: 1 },
        state: { ...state, [`n${Object.keys(state ?? {}).length}`]: 'x'.repeat(400_000) },
      });
    },
  };
  const calls = [[buy('pears')], [buy('pears')], [buy('pears')], [buy('apples')]];
  const { rows } = await create(shopping(calls), 'growing', { numRecords: 1 });
  const [first, second, third, last] = String(rows[0]?.['done']).split('\n');
  expect([first, second, last]).toEqual(['{"left":1}', '{"left":1}', '{"left":9}']);
  expect(third).toMatch(/^Error: Tool 'buy' failed: the state after the call has 12\d{5} bytes, more than 1048576/);
});

test('a model that refuses a request costs its row, and the conversation of the column is told', async () => {
  scripted = { pears: () => 400 };
  const prompt = '[[{"name":"buy","arguments":{"thing":"{{ thing }}","count":1}}]]';
  const config = shopping([])
    .withSeedDataset({
      seedType: 'df',
      rows: ['apples', 'pears'].map((thing) => ({ stock: { apples: 5 }, prices: PRICES, thing })),
    })
    .deleteColumn('done')
    .addColumn({ ...DONE, prompt });
  const { rows, results } = await create(config, 'refused', { numRecords: 2 });
  expect(rows).toHaveLength(1);
  expect(results.lost).toMatchObject([{ column: 'done', code: 'model/rejected', rows: 1 }]);
  const [failure] = await Array.fromAsync(results.failures());
  expect(failure?.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
});

const DONE = { name: 'done', columnType: 'llm-text', modelAlias: 'agent', toolAlias: 'shop-tools' } as const;

test('attempts begin with the same world, and send the seeds of theirs', async () => {
  const config = shopping([[buy('apples')]])
    .addColumn({ name: 'verdict', columnType: 'expression', expr: '{{ done__state.apples < 9 }}', dtype: 'bool' })
    .addAttempts({ name: 'try', columns: ['done', 'verdict'], until: 'verdict', max: 3, onExhausted: 'keep_last' });
  const { rows } = await create(config, 'attempts', { numRecords: 2 });
  expect(rows.map((row) => [row['try__attempts'], row['done__state']])).toEqual([
    [3, { apples: 9 }],
    [3, { apples: 19 }],
  ]);
  const seeds = asked.filter(({ model: name }) => name === 'world').map(({ seed }) => seed);
  expect(new Set(seeds)).toHaveProperty('size', 6);
  expect(seeds).not.toContain(undefined);
});

test('rows bring tools, and an unused alias of a table needs no model', async () => {
  const config = new DataDesignerConfigBuilder()
    .addModelConfig(model('agent'))
    .addToolConfig({ toolAlias: 'shop-tools', providers: ['shop'] })
    .addEnvironment({ name: 'shop', kind: 'simulated', tools: '{{ tools }}' })
    .withSeedDataset({
      seedType: 'df',
      rows: ['ask', 'tell'].map((name) => ({
        name,
        tools: [
          {
            name,
            parameters: '{"type":"object","properties":{"thing":{"type":"string"}}}',
            lookup: [{ arguments: { thing: 'x' }, result: name }],
          },
        ],
      })),
    })
    .addColumn({ ...DONE, prompt: '[[{"name":"{{ name }}","arguments":{"thing":"x"}}]]' });
  const { rows } = await create(config, 'brought', { numRecords: 2 });
  expect(rows.map(({ done }) => done)).toEqual(['ask', 'tell']);
});

test('the model is checked, probed, rehearsed and budgeted as others are', { tags: 'long' }, async () => {
  await using designer = designerOf();
  const config = shopping([[buy('apples')]])
    .deleteModelConfig('world')
    .addModelConfig({ alias: 'world', model: 'world', provider: 'own' });
  const checks = await designer.checkModels(config);
  expect(checks.map(({ alias, status }) => [alias, status])).toEqual([
    ['agent', 'ok'],
    ['world', 'ok'],
    ['shop-tools', 'ok'],
  ]);
  // It plays the tools and is not offered them.
  expect(asked.filter(({ tools }) => tools !== undefined).map(({ model: name }) => name)).toEqual(['agent']);
  const varied = shopping([], 20)
    .deleteColumn('done')
    .addColumn({ ...DONE, prompt: 'Buy some of {{ stock }}.' });
  const { models, rowsMade } = await designer.rehearse(varied, { numRecords: 20, latency: '0' });
  expect(rowsMade).toBe(20);
  expect(models.find(({ alias }) => alias === 'world')?.requests).toBeGreaterThan(3);
  asked = [];
  await create(config, 'probed', { numRecords: 1 });
  expect(asked.filter((request) => request.model === 'world' && !questionIn(request)).length).toBeGreaterThan(0);
  asked = [];
  const { results } = await create(shopping([[buy('apples')], [buy('apples')], [buy('apples')]], 40), 'budget', {
    numRecords: 40,
    runConfig: { maxCost: 260 },
  });
  expect(results.ended?.code).toBe('run/budget-spent');
  expect(results.lost).toEqual([]);
  expect(results.usage['world']?.cost).toBeGreaterThan(0);
});

test('mistakes are reported before the first request, where the environment is declared', async () => {
  const { modelAlias: _, ...unplayed } = shop;
  const mistakesOf = async (environment: Parameters<DataDesignerConfigBuilder['addEnvironment']>[0]) => {
    const config = shopping([]).addEnvironment(environment);
    return create(config, 'mistakes').then(
      () => '',
      (thrown: unknown) => (thrown as Error).message,
    );
  };
  expect(await mistakesOf({ ...shop, modelAlias: 'wrold' })).toContain(
    "environments[0].modelAlias: there is no model config with the alias 'wrold'. Did you mean 'world'?",
  );
  expect(await mistakesOf(unplayed)).toContain("environments[0].modelAlias: no model plays the tool 'buy'.");
  const embedding = shopping([]).addModelConfig({
    alias: 'vectors',
    model: 'v',
    provider: 'own',
    inferenceParameters: { generationType: 'embedding' },
  });
  await expect(create(embedding.addEnvironment({ ...shop, modelAlias: 'vectors' }), 'mistakes')).rejects.toThrow(
    "environments[0].modelAlias: the model 'vectors' has the generation type 'embedding'.",
  );
  expect(asked).toEqual([]);
});

/** A run of the command that is killed once nobody is answered any more. */
async function killAfter(answers: number, command: readonly string[]): Promise<void> {
  holdsAfter = asked.length + answers;
  held = [];
  const run = startDataDesigner([...command]);
  while (run.child.exitCode === null && held.length < 3) await sleep(10);
  if (run.child.exitCode !== null) throw new Error(`It ended by itself: ${run.said()}`);
  run.child.kill('SIGKILL');
  await run.finished;
  holdsAfter = Infinity;
}

test(
  'a killed run continues every world from the journal, and pays for no answer twice',
  { tags: 'long' },
  async () => {
    scripted = { pears: ({ messages }) => json(messages.length < 6 ? { left: 1 } : { result: { left: 1 } }) };
    const rows = 12;
    const stock = Array.from({ length: rows }, (_, at) =>
      JSON.stringify({ stock: { apples: 4 + at }, prices: PRICES }),
    );
    writeFileSync(join(folder, 'stock.jsonl'), stock.join('\n'));
    const config = shopping([[buy('pears'), buy('apples', 2)], [buy('apples', 3)]]).withSeedDataset({
      seedType: 'local',
      path: join(folder, 'stock.jsonl'),
    });
    const whole = await create(config, 'whole', { numRecords: rows });
    const once = asked.map((request) => JSON.stringify(request)).toSorted();
    asked = [];
    writeFileSync(join(folder, 'config.json'), config.toJson());
    const provider = { name: 'own', endpoint: `${server.origin}/v1`, provider_type: 'openai', api_key: 'key' };
    writeFileSync(join(folder, 'providers.json'), JSON.stringify({ providers: [provider] }));
    writeFileSync(join(folder, 'settings.json'), JSON.stringify({ buffer_size: 5 }));
    const files = ['--providers', join(folder, 'providers.json'), '-c', join(folder, 'settings.json')];
    const command = [
      'create',
      join(folder, 'config.json'),
      '-n',
      `${rows}`,
      '-o',
      folder,
      '-d',
      'killed',
      '--seed',
      '3',
      ...files,
    ];
    await killAfter(20, command);
    await killAfter(25, [...command, '-r', 'always']);
    const { code, stdout } = await startDataDesigner([...command, '-r', 'always', '--json']).finished;
    expect(code).toBe(0);
    const dataset = await loadDataset(join(folder, 'killed'));
    expect(await Array.fromAsync(dataset.records())).toEqual(whole.rows);
    // The answers under way at a kill are asked for again.
    expect(new Set(asked.map((request) => JSON.stringify(request)))).toEqual(new Set(once));
    const { usage } = JSON.parse(stdout) as { readonly usage: Readonly<Record<string, { readonly requests: number }>> };
    expect(usage['world']?.requests).toBe(whole.results.usage['world']?.requests);
  },
);
