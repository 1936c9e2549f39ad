import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CreateOptions, DataDesigner, DataDesignerConfigBuilder, defineEnvironment } from 'data-designer';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type AnsweringServer, completion, openAnsweringServer, reply } from './answering-server.ts';

let folder: string;
let server: AnsweringServer;
let asked: string[];

interface Request {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

/** The last prompt of the user, which a test writes as JSON: the calls of each turn. */
function turnsOf({ messages }: Request): readonly (readonly { name: string; arguments: object }[])[] {
  const prompt = messages.findLast(({ role }) => role === 'user')?.content ?? '[]';
  return JSON.parse(prompt) as ReturnType<typeof turnsOf>;
}

/** Plays a model that makes the calls of its prompt turn by turn, then answers with the results of all. */
function answer(text: string): object {
  const request = JSON.parse(text) as Request;
  const since = request.messages.slice(request.messages.findLastIndex(({ role }) => role === 'user'));
  const done = since.filter(({ role }) => role === 'assistant').length;
  const turn = turnsOf(request)[done];
  const results = since.filter(({ role }) => role === 'tool').map(({ content }) => content);
  if (!turn) return completion(results.join('\n'));
  const calls = turn.map(({ name, arguments: args }, at) => ({
    id: `call_${done}_${at}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }));
  const choice = { message: { role: 'assistant', content: null, tool_calls: calls }, finish_reason: 'tool_calls' };
  return { choices: [choice], usage: { prompt_tokens: 1, completion_tokens: 1 } };
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'environments-'));
  server = await openAnsweringServer((text, response) => {
    asked.push(text);
    return reply(response, answer(text));
  });
});
beforeEach(() => {
  asked = [];
});
afterAll(() => {
  server[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

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

test('calls of one turn run in their order, and a call that fails changes nothing', async () => {
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
