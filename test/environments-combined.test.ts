import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type CreateOptions,
  DataDesigner,
  DataDesignerConfigBuilder,
  defineEnvironment,
  environmentOfModule,
} from 'data-designer';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { NO_REDIS } from '../packages/cluster/test/start-redis.ts';
import { LIMIT_MS, TestCluster, TestMachines } from '../packages/cluster/test/test-cluster.ts';
import { type AnsweringServer, completion, openAnsweringServer, reply } from '@data-designer/testing/answering-server';
import {
  type ModelRequest,
  playAgent,
  playUser,
  type ScriptedCall,
  toolCalls,
  type UserScript,
} from './calling-model.ts';

let folder: string;
let server: AnsweringServer;
let asked: ModelRequest[];
/** Whether a request is refused. */
let isRefused: (request: ModelRequest) => boolean;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'environments-combined-'));
  server = await openAnsweringServer((text, response) => {
    const request = JSON.parse(text) as ModelRequest;
    if (isRefused(request)) return reply(response, { error: { message: 'not today' } }, { status: 422 });
    asked.push(request);
    const play =
      { user: playUser, dice: playDice, writer: () => completion('```json\n[{ "n": 7 }]\n```') }[request.model] ??
      playAgent;
    return reply(response, play(request));
  });
});
beforeEach(() => {
  asked = [];
  isRefused = () => false;
});
afterAll(() => {
  server[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

/** Adds an amount that the seed of the attempt draws, once. */
function playDice({ messages, seed = 0 }: ModelRequest): object {
  const isDone = messages.at(-1)?.role === 'tool';
  return isDone ? completion('done') : toolCalls([add(1 + (seed % 1_000))], seed);
}

function designerOf(runConfig: object = {}) {
  return new DataDesigner({
    artifactPath: folder,
    providers: { models: [{ name: 'own', endpoint: `${server.origin}/v1`, apiKey: 'key' }], tools: [] },
    runConfig: { seed: 3, disableEarlyShutdown: true, ...runConfig },
  });
}

async function create(
  config: Parameters<DataDesigner['create']>[0],
  datasetName: string,
  { runConfig, ...more }: Partial<CreateOptions> & { readonly runConfig?: object } = {},
) {
  await using designer = designerOf(runConfig);
  const results = await designer.create(config, { numRecords: 4, datasetName, ...more });
  return { results, rows: await Array.fromAsync<Record<string, unknown>>(results.records()) };
}

const integers = (...names: readonly string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'integer' }])),
});

/** An account whose balance tools add to; it begins with the balance of the row. */
const purse = {
  name: 'purse',
  kind: 'sqlite',
  schema: 'CREATE TABLE purse (balance INTEGER CHECK (balance >= 0), log TEXT)',
  seed: "INSERT INTO purse VALUES ({{ start }}, '')",
  tools: [
    {
      name: 'add',
      description: 'Adds to the balance.',
      parameters: integers('by'),
      sql: 'UPDATE purse SET balance = balance + :by RETURNING balance',
    },
  ],
} as const;

/** Rows that begin with 100, 200, … */
function purses() {
  return new DataDesignerConfigBuilder()
    .addModelConfig({ alias: 'agent', model: 'agent', provider: 'own' })
    .addModelConfig({ alias: 'user', model: 'user', provider: 'own' })
    .addToolConfig({ toolAlias: 'tools', providers: ['purse'] })
    .addEnvironment(purse)
    .withSeedDataset({ seedType: 'df', rows: [100, 200, 300, 400].map((start) => ({ start })) });
}

const add = (by: number): ScriptedCall => ({ name: 'add', arguments: { by } });
const calls = (...turns: readonly (readonly ScriptedCall[])[]): string => JSON.stringify(turns);
/** A prompt that waits for another column. */
const after = (column: string, prompt: string): string => `{% if ${column} is defined %}${prompt}{% endif %}`;
const balance = (value: number) => ({ purse: [{ balance: value, log: '' }] });

test(
  'both sides of a conversation use one environment, whose state is that after the last turn',
  { tags: 'long' },
  async () => {
    const script: UserScript = [
      { calls: [add(1)], say: calls([add(10)]) },
      { calls: [add(2)], say: calls([add(20)], [add(30)]) },
      { say: '[DONE]' },
    ];
    const config = purses()
      .addColumn({
        name: 'chat',
        columnType: 'conversation',
        turns: 5,
        user: { modelAlias: 'user', systemPrompt: JSON.stringify(script), stop: '[DONE]', toolAlias: 'tools' },
        assistant: { modelAlias: 'agent', systemPrompt: 'Help.', toolAlias: 'tools' },
      })
      .addColumn({
        name: 'next',
        columnType: 'llm-text',
        modelAlias: 'agent',
        toolAlias: 'tools',
        history: 'chat',
        prompt: calls([add(100)]),
        withTrace: true,
      });
    const { rows } = await create(config, 'both');
    expect(rows.map((row) => [row['chat__end'], row['chat__state'], row['next__state']])).toEqual(
      [100, 200, 300, 400].map((start) => ['stop', balance(start + 63), balance(start + 163)]),
    );
  },
);

test('select reads the state', { tags: 'long' }, async () => {
  const config = purses()
    .addColumn({
      name: 'by',
      columnType: 'sampler',
      samplerType: 'category',
      params: { values: [1, 2, 3] },
      convertTo: 'int',
    })
    .addColumn({
      name: 'done',
      columnType: 'llm-text',
      modelAlias: 'agent',
      toolAlias: 'tools',
      prompt: '[[{"name":"add","arguments":{"by":{{ by }} } }]]',
    })
    .select({ where: 'done__state.purse[0].balance % 2 == 1' });
  const { rows } = await create(config, 'selected', { numRecords: 12 });
  expect(rows).toHaveLength(12);
  for (const { by, start, done__state: state } of rows) expect(state).toEqual(balance(Number(start) + Number(by)));
});

/** A column that adds so much. */
const adding = (by: number, more: { readonly after?: string; readonly toolAlias?: string } = {}) =>
  ({
    columnType: 'llm-text',
    modelAlias: 'agent',
    toolAlias: more.toolAlias ?? 'tools',
    prompt: more.after === undefined ? calls([add(by)]) : after(more.after, calls([add(by)])),
  }) as const;

test('a stage of a workflow writes the worlds that the next one uses', async () => {
  const writing = new DataDesignerConfigBuilder()
    .addModelConfig({ alias: 'agent', model: 'agent', provider: 'own' })
    .addModelConfig({ alias: 'writer', model: 'writer', provider: 'own' })
    .withSeedDataset({ seedType: 'df', rows: ['apples', 'pears'].map((thing) => ({ thing })) })
    .addColumn({
      name: 'tables',
      columnType: 'expression',
      expr: "CREATE TABLE stock (n INTEGER, thing TEXT DEFAULT '{{ thing }}')",
    })
    .addColumn({
      name: 'begin',
      columnType: 'llm-structured',
      modelAlias: 'writer',
      prompt: '{{ thing }}',
      outputFormat: { type: 'array', items: { type: 'object', properties: { n: { type: 'integer' } } } },
    })
    .addColumn({
      name: 'offered',
      columnType: 'expression',
      expr: JSON.stringify([
        {
          name: 'count',
          description: 'Counts.',
          parameters: integers('by'),
          sql: 'UPDATE stock SET n = n + :by RETURNING 7 AS THING, n',
        },
      ]).replace('THING', '{{ thing }}'),
    });
  await using designer = designerOf();
  const flow = designer
    .composeWorkflow('worlds')
    .addStage('write', writing, { rows: 2 })
    .addStage('use', (from) =>
      from
        .builder()
        .addToolConfig({ toolAlias: 'world-tools', providers: ['world'] })
        .addEnvironment({
          name: 'world',
          kind: 'sqlite',
          schema: '{{ tables }}',
          rows: { stock: '{{ begin }}' },
          tools: '{{ offered }}',
        })
        .addColumn({
          name: 'work',
          columnType: 'llm-text',
          modelAlias: 'agent',
          toolAlias: 'world-tools',
          prompt: `{% if thing %}${calls([{ name: 'count', arguments: { by: 5 } }])}{% endif %}`,
        }),
    );
  const results = await flow.run();
  const rows = await Array.fromAsync<Record<string, unknown>>(results.records());
  expect(rows.map((row) => [row['work'], row['work__state']])).toEqual(
    ['apples', 'pears'].map((thing) => [`[{"${thing}":7,"n":12}]`, { stock: [{ n: 12, thing }] }]),
  );
});

/** A second purse whose tool has the same name. */
function twoPurses(prefix?: object, tools: object = purse) {
  return purses()
    .addEnvironment({ ...purse, ...tools, ...prefix, name: 'other' })
    .addToolConfig({ toolAlias: 'both', providers: ['purse', 'other'] });
}

test(
  'two environments with a tool of one name need a prefix, which is said before the first request',
  { tags: 'long' },
  async () => {
    const done = { name: 'done', ...adding(5, { toolAlias: 'both' }) } as const;
    await expect(create(twoPurses().addColumn(done), 'same-names')).rejects.toThrow(
      "Tool config 'both': more than one provider offers the same tool: 'add' by purse and other. Give each provider its own 'tool_prefix'",
    );
    await expect(create(twoPurses({ toolPrefix: 'a b' }).addColumn(done), 'bad-prefix')).rejects.toThrow(
      'environments[1].toolPrefix: expected 1 to 32 letters, digits, _ or -',
    );
    expect(asked).toEqual([]);
    const both = calls(
      [add(5), { name: 'other_add', arguments: { by: 70 } }],
      [{ name: 'other_add', arguments: { by: 1 } }],
    );
    const config = twoPurses({ toolPrefix: 'other_' }).addColumn({ ...done, prompt: both });
    const { rows } = await create(config, 'prefixed');
    expect(rows[0]).toMatchObject({
      done: '[{"balance":105}]\n[{"balance":170}]\n[{"balance":171}]',
      done__state: { purse: balance(105), other: balance(171) },
    });
    expect(asked[0]?.tools?.map((tool) => tool.function.name)).toEqual(['add', 'other_add']);
  },
);

test('tools that rows bring have the prefix too, and two of one name cost their row', { tags: 'long' }, async () => {
  const tools = { tools: '{{ brought }}' };
  const config = (prefix?: object) =>
    twoPurses(prefix, tools)
      .withSeedDataset({
        seedType: 'df',
        rows: ['add', 'other'].map((name) => ({ start: 100, brought: JSON.stringify([{ ...purse.tools[0], name }]) })),
      })
      .addColumn({ name: 'done', ...adding(5, { toolAlias: 'both' }) });
  const { rows, results } = await create(config(), 'brought', { numRecords: 2 });
  expect(rows.map((row) => row['done__state'])).toEqual([{ purse: balance(105), other: balance(100) }]);
  expect(results.lost).toMatchObject([{ column: 'done', code: 'tool/duplicate', rows: 1 }]);
  expect((await create(config({ toolPrefix: 'its_' }), 'brought-prefixed', { numRecords: 2 })).rows).toHaveLength(2);
  expect(asked.at(-1)?.tools?.map((tool) => tool.function.name)).toContainEqual(expect.stringMatching(/^its_/));
});

test('an environment and an MCP server stand in one tool config', { tags: 'long' }, async () => {
  const config = purses()
    .addToolConfig({ toolAlias: 'mixed', providers: ['purse', 'demo-tools'] })
    .addColumn({
      name: 'done',
      columnType: 'llm-text',
      modelAlias: 'agent',
      toolAlias: 'mixed',
      prompt: calls([add(5), { name: 'get_fact', arguments: { topic: 'bees' } }], [add(1)]),
    });
  const { rows, results } = await create(config, 'mixed');
  expect(rows.map((row) => row['done__state'])).toEqual([106, 206, 306, 406].map(balance));
  expect(rows[0]?.['done']).toMatch(/^\[\{"balance":105\}\]\n.*bee.*\n\[\{"balance":106\}\]$/);
  expect(results.tools).toMatchObject({ add: { calls: 8, provider: 'purse' }, get_fact: { calls: 4, errors: 0 } });
});

test(
  'a lost row of merged files is made again in its world, which costs no answer twice',
  { tags: 'long' },
  async () => {
    const config = purses()
      .addColumn({ name: 'first', ...adding(5) })
      .addColumn({ name: 'second', ...adding(7, { after: 'first' }) });
    isRefused = ({ messages }) => messages.some(({ content }) => /212|305/.test(content ?? ''));
    const runConfig = { compact: true, bufferSize: 2 };
    const losing = await create(config, 'lost', { runConfig });
    expect(losing.rows.map((row) => row['start'])).toEqual([100, 400]);
    expect(losing.results.lost.map(({ column }) => column).toSorted()).toEqual(['first', 'second']);
    isRefused = () => false;
    asked = [];
    const again = await create(config, 'lost', { runConfig, resume: 'always', retryLost: true });
    // The rest of the second column of row 1, and of both columns of row 2.
    expect(asked.filter(({ tools }) => tools).length).toBe(4);
    expect(again.rows.map((row) => [row['first__state'], row['second__state']])).toEqual(
      [100, 200, 300, 400].map((start) => [balance(start + 5), balance(start + 12)]),
    );
  },
);

test('a state of 5 MB is stored whole, from attempt to attempt', { tags: 'long' }, async () => {
  const big = defineEnvironment({
    name: 'big',
    requiredColumns: ['start'],
    open: ({ values: { start } }) => ({ text: 'x'.repeat(5_000_000), n: Number(start) }),
    tools: {
      add: {
        parameters: integers('by'),
        execute: ({ by }, state: { text: string; n: number }) => (state.n += Number(by)),
      },
    },
  });
  const config = purses()
    .addEnvironment(big)
    .addToolConfig({ toolAlias: 'big', providers: ['big'] })
    .addColumn({ name: 'done', ...adding(1, { toolAlias: 'big' }) })
    .addColumn({ name: 'length', columnType: 'expression', expr: '{{ done__state.text | length }}', dtype: 'int' })
    .addAttempts({
      name: 'tries',
      columns: ['done', 'length'],
      until: 'length < 0',
      max: 2,
      onExhausted: 'keep_last',
    });
  const { rows } = await create(config, 'big', { numRecords: 2 });
  expect(rows.map(({ length, done__state: state }) => [length, (state as { n: number }).n])).toEqual([
    [5_000_000, 101],
    [5_000_000, 201],
  ]);
});

test(
  'the best and the worst attempt keep their states, and the row goes on with that of the best',
  { tags: 'long' },
  async () => {
    const config = purses()
      .addColumn({ name: 'before', ...adding(1) })
      .addColumn({
        name: 'done',
        columnType: 'llm-text',
        modelAlias: 'dice',
        toolAlias: 'tools',
        prompt: '{% if before is defined %}roll{% endif %}',
      })
      .addColumn({ name: 'score', columnType: 'expression', expr: '{{ done__state.purse[0].balance }}', dtype: 'int' })
      .addColumn({ name: 'last', ...adding(1, { after: 'score' }) })
      .addModelConfig({ alias: 'dice', model: 'dice', provider: 'own' })
      .addAttempts({ name: 'tries', columns: ['done', 'score'], keep: { pair: '{{ score }}' }, max: 4 });
    const { rows } = await create(config, 'pair');
    type Kept = Record<'score' | 'start', number> & Record<'tries__chosen' | 'tries__rejected', Attempt>;
    interface Attempt {
      readonly score: number;
      readonly done__state: object;
    }
    for (const row of rows) {
      const { tries__chosen: chosen, tries__rejected: rejected, start, score } = row as unknown as Kept;
      expect(chosen.score).toBeGreaterThan(rejected.score);
      expect([chosen.done__state, rejected.done__state]).toEqual([balance(chosen.score), balance(rejected.score)]);
      expect(rejected.score).toBeGreaterThan(start);
      expect([row['done__state'], row['last__state']]).toEqual([balance(score), balance(score + 1)]);
      expect(score).toBe(chosen.score);
    }
  },
);

/** A column that may fail, the next one, and a verdict on the state of the first. */
function failing(onFailure?: 'null') {
  return purses()
    .addColumn({ name: 'done', ...adding(5), ...(onFailure && { onFailure }) })
    .addColumn({ name: 'last', ...adding(7, { after: 'done' }) })
    .addColumn({
      name: 'verdict',
      columnType: 'validation',
      targetColumns: ['done__state'],
      validatorType: 'state',
      validatorParams: { checks: [{ name: 'rich', expr: 'state.purse[0].balance > 0' }] },
    });
}

test(
  'a cell that fails with null leaves no state, a verdict without one is null, and the world goes on',
  { tags: 'long' },
  async () => {
    isRefused = ({ messages }) => messages.some(({ content }) => content?.includes('205'));
    const { rows } = await create(failing('null'), 'failed-null');
    expect(rows[1]).toMatchObject({ done: null, done__state: null, last__state: balance(207) });
    expect(rows.map(({ verdict }) => (verdict as { is_valid: boolean | null }).is_valid)).toEqual([
      true,
      null,
      true,
      true,
    ]);
    const { rows: kept, results } = await create(failing(), 'failed-default');
    expect(kept).toEqual(rows.filter(({ start }) => start !== 200));
    expect(results.lost).toMatchObject([{ column: 'done', code: 'model/unprocessable', rows: 1 }]);
  },
);

/** An environment of functions in a module. */
const MODULE = `import { defineEnvironment } from ${JSON.stringify(import.meta.resolve('data-designer'))};
export const tally = defineEnvironment({
  name: 'tally',
  requiredColumns: ['start'],
  open: ({ values, index }) => ({ sum: values.start, index }),
  tools: {
    add: {
      parameters: { type: 'object', properties: { by: { type: 'integer' } } },
      execute: ({ by }, state, { seed }) => {
        if (by === -1) process.exit(3);
        if (by === -2) Promise.reject(new Error('nobody listens'));
        return { sum: (state.sum += by), seed };
      },
    },
  },
});
`;

test(
  'a tool that ends its thread, or lets a promise reject alone, costs its row',
  { tags: 'long', timeout: 300_000 },
  async () => {
    const module = join(folder, 'tally.mjs');
    writeFileSync(module, MODULE);
    const config = purses()
      .addEnvironment(await environmentOfModule(module, 'tally'))
      .addToolConfig({ toolAlias: 'tally', providers: ['tally'] })
      .withSeedDataset({ seedType: 'df', rows: [4, -1, 5, -2].map((by) => ({ start: 1, by })) })
      .addColumn({
        name: 'tallied',
        columnType: 'llm-text',
        modelAlias: 'agent',
        toolAlias: 'tally',
        prompt: '[[{"name":"add","arguments":{"by":{{ by }} } }]]',
      });
    const { rows, results } = await create(config, 'ended');
    expect(rows.map((row) => row['tallied__state'])).toEqual([
      { sum: 5, index: 0 },
      { sum: 6, index: 2 },
    ]);
    expect(results.lost).toMatchObject([{ column: 'tallied', code: 'cell/killed-worker', rows: 2 }]);
  },
);

describe.skipIf(NO_REDIS)(`a cluster${NO_REDIS ? ` (skipped: ${NO_REDIS})` : ''}`, () => {
  test('two machines leave the states that one leaves', { tags: 'long', timeout: LIMIT_MS }, async () => {
    await using cluster = await TestCluster.start({ latency: 0 });
    const machines = new TestMachines(cluster);
    const module = join(cluster.folder, 'tally.mjs');
    writeFileSync(module, MODULE);
    const tally = await environmentOfModule(module, 'tally');
    const functions = {
      'environments.tally.open': tally.open,
      'environments.tally.tools.0.execute': tally.tools[0]!.execute,
    };
    const config = purses()
      .addEnvironment(tally)
      .addToolConfig({ toolAlias: 'tally', providers: ['tally'] })
      .withSeedDataset({ seedType: 'df', rows: Array.from({ length: 16 }, (_, at) => ({ start: at })) })
      .addColumn({ name: 'first', ...adding(5) })
      .addColumn({ name: 'second', ...adding(7, { after: 'first' }) })
      .addColumn({ name: 'tallied', ...adding(3, { toolAlias: 'tally' }) });
    const own = { endpoint: `${server.origin}/v1` };
    const options = { numRecords: 16, datasetName: 'shared' };
    const shared = machines.create(config, { ...options, cluster: { work: false } }, own);
    const joined = [1, 2].map(() => machines.join(join(cluster.folder, 'shared'), { functions }, own));
    await Promise.all(joined);
    const results = await shared;
    await machines.end();
    await using designer = cluster.newDesigner(own);
    const alone = await designer.create(config, { ...options, datasetName: 'alone' });
    const rows = await Array.fromAsync(results.records());
    expect(rows).toEqual(await Array.fromAsync(alone.records()));
    expect(rows.map((row) => [row.second__state, row.tallied__state])).toEqual(
      Array.from({ length: 16 }, (_, index) => [balance(index + 12), { sum: index + 3, index }]),
    );
  });
});
