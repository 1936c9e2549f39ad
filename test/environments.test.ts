import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type CodeEnvironment,
  type CreateOptions,
  DataDesigner,
  DataDesignerConfigBuilder,
  defineEnvironment,
} from 'data-designer';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type AnsweringServer, openAnsweringServer, reply } from '@data-designer/testing/answering-server';
import { type ModelRequest, playAgent } from './calling-model.ts';

let folder: string;
let server: AnsweringServer;
let asked: string[];
/** The last request that is answered before the run is stopped; undefined for all. */
let last: { readonly request: number; readonly stop: AbortController } | undefined;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'environments-'));
  server = await openAnsweringServer((text, response) => {
    asked.push(text);
    if (last && asked.length > last.request) return last.stop.abort();
    return reply(response, playAgent(JSON.parse(text) as ModelRequest));
  });
});
beforeEach(() => {
  asked = [];
  last = undefined;
});
afterAll(() => {
  server[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

/** Creates a dataset until so many requests are answered. */
async function createUntil(
  request: number,
  config: DataDesignerConfigBuilder,
  { name, ...options }: Partial<CreateOptions> & { readonly name: string },
) {
  const stop = new AbortController();
  last = { request: asked.length + request, stop };
  const stopped = create(config, name, { ...options, signal: stop.signal });
  await expect(stopped).rejects.toMatchObject({ code: 'run/aborted' });
  last = undefined;
}

async function create(
  config: DataDesignerConfigBuilder,
  datasetName: string,
  { runConfig, ...more }: Partial<CreateOptions> & { readonly runConfig?: object } = {},
) {
  await using designer = new DataDesigner({
    artifactPath: folder,
    providers: { models: [{ name: 'own', endpoint: `${server.origin}/v1`, apiKey: 'key' }], tools: [] },
    runConfig: { seed: 3, ...runConfig },
  });
  const results = await designer.create(config, { numRecords: 4, datasetName, ...more });
  return { results, rows: await Array.fromAsync<Record<string, unknown>>(results.records()) };
}

const TABLES = 'CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER CHECK (balance >= 0))';
const MOVE = {
  name: 'move',
  description: 'Moves money.',
  parameters: {
    type: 'object',
    properties: { from: { type: 'string' }, to: { type: 'string' }, amount: { type: 'integer' } },
    required: ['from', 'to', 'amount'],
  },
  sql: [
    'UPDATE account SET balance = balance + :amount WHERE id = :to',
    'UPDATE account SET balance = balance - :amount WHERE id = :from RETURNING id, balance',
  ],
};

const bank = {
  name: 'bank',
  kind: 'sqlite',
  schema: TABLES,
  rows: { account: '{{ accounts }}' },
  tools: [MOVE],
} as const;

function banking(calls: object = [[move('a', 'b', 10)]]) {
  return new DataDesignerConfigBuilder()
    .addModelConfig({ alias: 'agent', model: 'agent', provider: 'own' })
    .addToolConfig({ toolAlias: 'bank-tools', providers: ['bank'] })
    .addEnvironment(bank)
    .withSeedDataset({
      seedType: 'df',
      rows: [100, 200, 300, 400].map((balance) => ({
        accounts: [
          { id: 'a', balance },
          { id: 'b', balance: 0 },
        ],
      })),
    })
    .addColumn({
      name: 'done',
      columnType: 'llm-text',
      modelAlias: 'agent',
      toolAlias: 'bank-tools',
      prompt: JSON.stringify(calls),
      withTrace: true,
    });
}

function move(from: string, to: string, amount: number) {
  return { name: 'move', arguments: { from, to, amount } };
}

function accounts(a: number, b: number) {
  return {
    account: [
      { id: 'a', balance: a },
      { id: 'b', balance: b },
    ],
  };
}

test('each row has a world of its own, and its state is a column', async () => {
  const { rows } = await create(banking(), 'own');
  expect(rows.map((row) => row['done__state'])).toEqual([
    accounts(90, 10),
    accounts(190, 10),
    accounts(290, 10),
    accounts(390, 10),
  ]);
  expect(rows[0]).toMatchObject({ done: '[{"id":"a","balance":90}]' });
});

test('calls of one turn run in their order, and a call that fails changes nothing', { tags: 'long' }, async () => {
  const turn = [move('a', 'b', 90), move('a', 'b', 20), move('b', 'a', 80)];
  const { rows } = await create(banking([turn, [move('a', 'b', 1)]]), 'order');
  expect(rows[0]).toMatchObject({ done__state: accounts(89, 11) });
  expect(String(rows[0]?.done).split('\n')).toEqual([
    '[{"id":"a","balance":10}]',
    "Error: Tool 'move' failed: CHECK constraint failed: balance >= 0",
    '[{"id":"b","balance":10}]',
    '[{"id":"a","balance":89}]',
  ]);
});

const counter = defineEnvironment({
  name: 'counter',
  requiredColumns: ['start'],
  open: ({ values }) => ({ count: Number(values['start']) }),
  tools: {
    add: {
      parameters: { type: 'object', properties: { by: { type: 'integer' } }, required: ['by'] },
      execute: ({ by }, state: { count: number }, { row }) => {
        state.count += Number(by);
        if (state.count > 150) throw new Error('too many');
        return { row: row.index, count: state.count };
      },
    },
  },
});

test('an environment of functions sees its row, and continues from column to column', async () => {
  const config = new DataDesignerConfigBuilder()
    .addModelConfig({ alias: 'agent', model: 'agent', provider: 'own' })
    .addToolConfig({ toolAlias: 'counting', providers: ['counter'] })
    .addEnvironment(counter)
    .addColumn({ name: 'start', columnType: 'sampler', samplerType: 'category', params: { values: [100] } })
    .addColumn({
      name: 'first',
      columnType: 'llm-text',
      modelAlias: 'agent',
      toolAlias: 'counting',
      prompt: JSON.stringify([[{ name: 'add', arguments: { by: 20 } }], [{ name: 'add', arguments: { by: 90 } }]]),
    })
    .addColumn({
      name: 'second',
      columnType: 'llm-text',
      modelAlias: 'agent',
      toolAlias: 'counting',
      prompt: `{% if first %}${JSON.stringify([[{ name: 'add', arguments: { by: 1 } }]])}{% endif %}`,
    });
  const { rows } = await create(config, 'counter');
  expect(rows.map(({ first__state: one, second__state: two }) => [one, two])).toEqual(
    rows.map(() => [{ count: 120 }, { count: 121 }]),
  );
  expect(rows[2]).toMatchObject({ second: '{"row":2,"count":121}' });
  expect(rows[2]?.first).toContain('too many');
});

test('a verdict names how a state differs, and decides attempts, which begin with the same world', async () => {
  const wanted = {
    account: [
      { id: 'a', balance: 60 },
      { id: 'b', balance: 40 },
    ],
  };
  const calls = '[[{ "name": "move", "arguments": { "from": "a", "to": "b", "amount": {{ amount }} } }]]';
  const config = banking()
    .withSeedDataset({
      seedType: 'df',
      rows: [40, 30].map((amount) => ({ amount, accounts: accounts(100, 0).account, wanted })),
    })
    .addColumn({ name: 'done', columnType: 'llm-text', modelAlias: 'agent', toolAlias: 'bank-tools', prompt: calls })
    .addColumn({
      name: 'verdict',
      columnType: 'validation',
      targetColumns: ['done__state'],
      validatorType: 'state',
      validatorParams: {
        sameAs: '{{ wanted }}',
        checks: [
          { name: 'sum', sql: 'SELECT sum(balance) FROM account', equals: 100 },
          { name: 'moved', expr: 'state.account[1].balance == amount' },
        ],
      },
    })
    .addAttempts({
      name: 'solve',
      columns: ['done', 'verdict'],
      until: '{{ verdict.is_valid }}',
      max: 3,
      onExhausted: 'keep_last',
    });
  const { rows } = await create(config, 'verdict', { numRecords: 2 });
  expect(rows[0]).toMatchObject({
    solve__attempts: 1,
    done__state: wanted,
    verdict: { is_valid: true, differences: [] },
  });
  // Each of three attempts moved 30, and from 100.
  expect(rows[1]).toMatchObject({ solve__attempts: 3, done__state: accounts(70, 30) });
  expect(rows[1]?.['verdict']).toEqual({
    is_valid: false,
    differences: [
      { check: null, path: 'account[0].balance', expected: '60', found: '70' },
      { check: null, path: 'account[1].balance', expected: '40', found: '30' },
    ],
  });
});

test(
  'a run that is stopped continues every world from the journal, and asks for nothing again',
  { tags: 'long' },
  async () => {
    const numRecords = 80;
    const many = () =>
      banking([[move('a', 'b', 1)], [move('a', 'b', 2)], [move('b', 'a', 3)]]).withSeedDataset({
        seedType: 'df',
        rows: Array.from({ length: numRecords }, (_, at) => ({ accounts: accounts(100 + at, 0).account })),
      });
    const whole = await create(many(), 'whole', { numRecords });
    const once = asked.toSorted();
    asked = [];
    await createUntil(35, many(), { name: 'stopped', numRecords });
    for (const request of [60, 100])
      await createUntil(request, many(), { name: 'stopped', numRecords, resume: 'always' });
    const again = await create(many(), 'stopped', { numRecords, resume: 'always', runConfig: { bufferSize: 7 } });
    expect(again.rows).toEqual(whole.rows);
    expect(new Set(asked)).toEqual(new Set(once));
  },
);

test('a tool that uses the clock is found on a resume, named, and costs its row', { tags: 'long' }, async () => {
  let clock = 0;
  const timed = defineEnvironment({
    name: 'counter',
    open: () => ({ count: 0 }),
    tools: {
      add: {
        parameters: { type: 'object', properties: { by: { type: 'integer' } } },
        execute: (_, state: { count: number }) => ({ at: clock, count: ++state.count }),
      },
    },
  });
  const config = new DataDesignerConfigBuilder()
    .addModelConfig({
      alias: 'agent',
      model: 'agent',
      provider: 'own',
      inferenceParameters: { maxParallelRequests: 4 },
    })
    .addToolConfig({ toolAlias: 'counting', providers: ['counter'] })
    .addEnvironment(timed)
    .addColumn({ name: 'id', columnType: 'sampler', samplerType: 'uuid', params: {} })
    .addColumn({
      name: 'first',
      columnType: 'llm-text',
      modelAlias: 'agent',
      toolAlias: 'counting',
      prompt: `{% if id %}${JSON.stringify([[{ name: 'add', arguments: { by: 1 } }], [{ name: 'add', arguments: { by: 2 } }]])}{% endif %}`,
    });
  await createUntil(60, config, { name: 'clock', numRecords: 60 });
  clock = 1;
  // Every row with a journaled call fails, and early ones would end the run.
  const runConfig = { disableEarlyShutdown: true };
  const { results, rows } = await create(config, 'clock', { numRecords: 60, resume: 'always', runConfig });
  expect(results.lost[0]).toMatchObject({ column: 'first', code: 'environment/not-repeatable' });
  expect(results.lost[0]?.message).toContain("The tool 'add' of the environment 'counter' gave another result");
  expect(rows.length + (results.lost[0]?.rows ?? 0)).toBe(60);
});

test('mistakes in environments are reported before the first request', async () => {
  const config = banking()
    .addEnvironment({
      ...bank,
      schema: 'CREATE TABLE account (id TEXT, balance INTEGER',
    })
    .addEnvironment({
      ...bank,
      name: 'other',
      rows: {},
      tools: [
        { ...MOVE, sql: 'UPDATE accounts SET balance = 0' },
        { ...MOVE, name: 'read', sql: 'SELECT :amonut' },
      ],
    })
    .addColumn({
      name: 'beside',
      columnType: 'llm-text',
      modelAlias: 'agent',
      toolAlias: 'bank-tools',
      prompt: '{{ accounts }}',
    });
  const error = await create(config, 'mistakes').catch((thrown: unknown) => thrown as Error);
  const { message } = error as Error;
  expect(message).toContain('environments[0].schema: the SQL cannot run: incomplete input.');
  expect(message).toContain("environments[1].tools[0].sql: the SQL of 'move' cannot run: no such table: accounts.");
  expect(message).toContain("the SQL reads ':amonut', which is no argument of 'read'. Did you mean 'amount'?");
  expect(message).toContain("'done' and 'beside' both use the environment 'bank', and neither waits for the other");
  expect(asked).toEqual([]);
});

test('a query over a state with a wrong name is reported before the first request', async () => {
  const checks = [
    { name: 'paid', sql: 'SELECT balnce FROM account', equals: 1 },
    { name: 'right', sql: 'SELECT balance FROM account WHERE id = 1', equals: 1 },
    { name: 'of the row', sql: 'SELECT {{ person }} FROM account', equals: 1 },
  ];
  const config = banking().addColumn({
    name: 'checked',
    columnType: 'validation',
    targetColumns: ['done__state'],
    validatorType: 'state',
    validatorParams: { checks },
  });
  const error = await create(config, 'wrong-query').catch((thrown: unknown) => thrown as Error);
  const { message } = error as Error;
  expect(message).toContain(
    ".checks[0].sql: the SQL of 'paid' cannot run on the tables of 'bank': no such column: balnce. Correct it.",
  );
  expect(message).not.toContain('checks[1]');
  expect(asked).toEqual([]);
});

/** A tool that counts in a table of its name. */
function countingTool(name: string): object {
  return {
    name,
    description: `Counts ${name}.`,
    parameters: { type: 'object', properties: {} },
    sql: `UPDATE ${name} SET n = n + 1 RETURNING n`,
  };
}

test('tables, rows and tools of a world may come from columns, and each row is offered its own tools', async () => {
  const config = new DataDesignerConfigBuilder()
    .addModelConfig({ alias: 'agent', model: 'agent', provider: 'own' })
    .addToolConfig({ toolAlias: 'world-tools', providers: ['world'] })
    .withSeedDataset({
      seedType: 'df',
      rows: ['apples', 'pears'].map((thing) => ({
        thing,
        tables: `CREATE TABLE ${thing} (n INTEGER)`,
        begin: [{ n: thing.length }],
        tools: JSON.stringify([countingTool(thing)]),
      })),
    })
    .addEnvironment({
      name: 'world',
      kind: 'sqlite',
      schema: '{{ tables }}',
      seed: 'INSERT INTO {{ thing }} VALUES ({{ begin[0].n }})',
      tools: '{{ tools }}',
    })
    .addColumn({
      name: 'work',
      columnType: 'llm-text',
      modelAlias: 'agent',
      toolAlias: 'world-tools',
      prompt: '[[{"name":"{{ thing }}","arguments":{}}]]',
    });
  const { rows } = await create(config, 'ofRow', { numRecords: 2 });
  expect(rows.map(({ work, work__state: state }) => [work, state])).toEqual([
    ['[{"n":7}]', { apples: [{ n: 7 }] }],
    ['[{"n":6}]', { pears: [{ n: 6 }] }],
  ]);
  const offered = asked.map((text) => (JSON.parse(text) as ModelRequest).tools?.map((one) => one.function.name).join());
  expect(new Set(offered)).toEqual(new Set(['apples', 'pears']));
});

test('a world that cannot be opened costs its row, with the reason', async () => {
  const config = banking().withSeedDataset({
    seedType: 'df',
    rows: [
      {
        accounts: [
          { id: 'a', balance: 1 },
          { id: 'b', balance: 2 },
        ],
      },
      { accounts: [{ id: 'a', balance: -1 }] },
    ],
  });
  const { results, rows } = await create(config, 'unopened', { numRecords: 2 });
  expect(rows).toHaveLength(1);
  expect(results.lost).toMatchObject([{ column: 'done', code: 'environment/not-opened', rows: 1 }]);
  expect(results.lost[0]?.message).toContain('its rows.account cannot be used: CHECK constraint failed');
});

test('a cell that fails leaves the world as it was for the next column', async () => {
  const config = banking([[move('a', 'b', 10)]])
    .addColumn({
      name: 'broken',
      columnType: 'llm-structured',
      modelAlias: 'agent',
      toolAlias: 'bank-tools',
      prompt: `{% if done %}${JSON.stringify([[move('a', 'b', 50)]])}{% endif %}`,
      outputFormat: { type: 'object', properties: { x: { type: 'string' } }, required: ['x'] },
      onFailure: 'null',
    })
    .addColumn({
      name: 'after',
      columnType: 'llm-text',
      modelAlias: 'agent',
      toolAlias: 'bank-tools',
      prompt: `{% if broken__state is none %}${JSON.stringify([[move('a', 'b', 1)]])}{% endif %}`,
    });
  const { rows } = await create(config, 'failed', { numRecords: 1, runConfig: { maxConversationRestarts: 0 } });
  expect(rows[0]).toMatchObject({
    done__state: accounts(90, 10),
    broken: null,
    broken__state: null,
    after__state: accounts(89, 11),
  });
});

const hostile = defineEnvironment({
  name: 'counter',
  requiredColumns: ['kind'],
  open: ({ values }) => {
    if (values['kind'] === 'open') throw new Error('no such world');
    return { count: 0, huge: '' };
  },
  tools: {
    add: {
      parameters: { type: 'object', properties: {} },
      execute: (_, state: { count: number; huge: string }, { row }) => {
        const kind = row.values['kind'];
        state.count++;
        if (kind === 'throw') throw new Error('it cannot add');
        if (kind === 'function') return { f: () => 1 };
        if (kind === 'cycle') {
          const cycle: Record<string, unknown> = {};
          return Object.assign(cycle, { cycle });
        }
        if (kind === 'state') Object.assign(state, { map: new Map() });
        if (kind === 'leak') state.huge = 'x'.repeat(2_000_000);
        return { count: state.count };
      },
    },
  },
});

test.each([
  ['throws', 'throw', "Error: Tool 'add' failed: it cannot add", 0],
  ['returns a function', 'function', 'Error', 0],
  ['returns a cycle', 'cycle', 'Error', 0],
  ['leaves a state that is no plain data', 'state', 'Error', 0],
  ['keeps much', 'leak', '{"count":1}', 1],
])('a function that %s is a failed call at most', { tags: 'long' }, async (...[, kind, text, count]) => {
  const { rows } = await create(counting(hostile, kind), `hostile-${kind}`, { numRecords: 2 });
  expect(rows).toHaveLength(2);
  expect(rows[0]?.['work']).toContain(text);
  expect(rows[0]?.['work__state']).toMatchObject({ count });
});

test('a function that gives no answer in time is a failed call, and what it does later counts for nothing', async () => {
  const slow = defineEnvironment({
    name: 'counter',
    open: () => ({ count: 0 }),
    tools: {
      add: {
        parameters: { type: 'object', properties: {} },
        execute: async (_, state: { count: number }) => {
          state.count++;
          await new Promise((resolve) => setTimeout(resolve, state.count === 1 && asked.length < 2 ? 800 : 0));
          return state.count;
        },
      },
    },
  });
  const config = counting(slow, 'slow')
    .addColumn({
      name: 'work',
      columnType: 'llm-text',
      modelAlias: 'agent',
      toolAlias: 'counting',
      prompt: `{% if kind %}${JSON.stringify(Array.from({ length: 2 }, () => [{ name: 'add', arguments: {} }]))}{% endif %}`,
    })
    .deleteToolConfig('counting')
    .addToolConfig({ toolAlias: 'counting', providers: ['counter'], timeoutSec: 0.2 });
  const { rows } = await create(config, 'slow', { numRecords: 1 });
  expect(rows[0]).toMatchObject({
    work: "Error: Tool 'add' failed: no answer within 200 ms\n1",
    work__state: { count: 1 },
  });
});

test('a world whose function open throws costs its row', async () => {
  await expect(create(counting(hostile, 'open'), 'hostile-open', { numRecords: 2 })).rejects.toThrow('no such world');
});

function counting(environment: CodeEnvironment, kind: string) {
  return new DataDesignerConfigBuilder()
    .addModelConfig({ alias: 'agent', model: 'agent', provider: 'own' })
    .addToolConfig({ toolAlias: 'counting', providers: ['counter'] })
    .addEnvironment(environment)
    .addColumn({ name: 'kind', columnType: 'sampler', samplerType: 'category', params: { values: [kind] } })
    .addColumn({
      name: 'work',
      columnType: 'llm-text',
      modelAlias: 'agent',
      toolAlias: 'counting',
      prompt: '{% if kind %}[[{"name":"add","arguments":{}}]]{% endif %}',
    });
}

test('checkModels lists the tools of environments, and a rehearsal calls them', { tags: 'long' }, async () => {
  await using designer = new DataDesigner({
    artifactPath: folder,
    providers: { models: [{ name: 'own', endpoint: `${server.origin}/v1`, apiKey: 'key' }], tools: [] },
    runConfig: { seed: 3 },
  });
  const tools = async (config: DataDesignerConfigBuilder) => {
    const checks = await designer.checkModels(config);
    return checks.filter(({ kind }) => kind === 'tools');
  };
  expect(await tools(banking())).toEqual([
    { kind: 'tools', alias: 'bank-tools', status: 'ok', code: null, message: null, tools: ['move'] },
  ]);
  expect(asked.some((text) => text.includes('"name":"move"'))).toBe(true);
  const ofRows = new DataDesignerConfigBuilder()
    .addModelConfig({ alias: 'agent', model: 'agent', provider: 'own' })
    .addToolConfig({ toolAlias: 'bank-tools', providers: ['bank'] })
    .addEnvironment({ ...bank, rows: { account: [] }, tools: '{{ offered }}' })
    .withSeedDataset({ seedType: 'df', rows: [{ offered: [MOVE] }] })
    .addColumn({ name: 'done', columnType: 'llm-text', modelAlias: 'agent', toolAlias: 'bank-tools', prompt: 'x' });
  expect(await tools(ofRows)).toMatchObject([
    { alias: 'bank-tools', status: 'skipped', message: "the tools of the environment 'bank' come from the rows" },
  ]);
  const { requests, rowsMade, assumptions } = await designer.rehearse(banking(), { numRecords: 4, latency: '0' });
  expect(rowsMade).toBe(4);
  expect(requests).toBeGreaterThan(4);
  expect(assumptions).toContain(
    "The tools of 'bank' were called in the environments of the rows; simulated models call tools in up to two turns.",
  );
});

test('a column makes given calls without a model, whose state a model is compared with', async () => {
  const config = banking()
    .addEnvironment({ ...bank, name: 'truth' })
    .addToolConfig({ toolAlias: 'truth-tools', providers: ['truth'] })
    .addColumn({
      name: 'expected',
      columnType: 'tool-calls',
      toolAlias: 'truth-tools',
      calls: `{% if accounts %}${JSON.stringify([move('a', 'b', 4), move('a', 'b', 6)])}{% endif %}`,
    })
    .addColumn({
      name: 'verdict',
      columnType: 'validation',
      targetColumns: ['done__state'],
      validatorType: 'state',
      validatorParams: { sameAs: '{{ expected__state }}' },
    });
  const { rows } = await create(config, 'truth', { numRecords: 2 });
  expect(rows[1]).toMatchObject({
    expected: [
      { name: 'move', result: '[{"id":"a","balance":196}]', failed: false },
      { name: 'move', result: '[{"id":"a","balance":190}]', failed: false },
    ],
    expected__state: accounts(190, 10),
    verdict: { is_valid: true },
  });
});
