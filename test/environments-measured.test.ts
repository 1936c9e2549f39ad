import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataDesigner, loadDataset } from 'data-designer';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NO_REDIS, startRedis } from '../packages/cluster/test/start-redis.ts';
import { type AnsweringServer, completion, openAnsweringServer, reply } from '@data-designer/testing/answering-server';
import { type ModelRequest, toolCalls } from './calling-model.ts';
import { startDataDesigner } from './command-line.ts';

const ROWS = 10_000;
const CALLS = 3;
const KILLS = 50;
const TIMEOUT = 900_000;
const tags = ['long'];

let folder: string;
let server: AnsweringServer;
let answered = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'environments-measured-'));
  server = await openAnsweringServer((text, response) => {
    answered++;
    const { messages } = JSON.parse(text) as ModelRequest;
    const row = Number(/row (\d+)/.exec(messages.find(({ role }) => role === 'user')?.content ?? '')?.[1]);
    const done = messages.filter(({ role }) => role === 'assistant').length;
    if (done > 0) return reply(response, completion('done'));
    const calls = Array.from({ length: CALLS }, (_, at) => ({ name: 'move', arguments: moveOf(row, at) }));
    reply(response, toolCalls(calls, done));
  });
  const rows = Array.from({ length: ROWS }, (_, row) =>
    JSON.stringify({ row, accounts: balancesOf(row).map((balance, id) => ({ id, balance })) }),
  );
  writeFileSync(join(folder, 'rows.jsonl'), rows.join('\n'));
  writeFileSync(join(folder, 'config.json'), JSON.stringify(document()));
  writeFileSync(join(folder, 'settings.json'), JSON.stringify({ buffer_size: 500 }));
  const provider = { name: 'own', endpoint: `${server.origin}/v1`, provider_type: 'openai', api_key: 'key' };
  writeFileSync(join(folder, 'providers.json'), JSON.stringify({ providers: [provider] }));
});
afterAll(() => {
  server[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

function balancesOf(row: number): number[] {
  return Array.from({ length: 20 }, (_, id) => (row * 31 + id * 17) % 100);
}

function moveOf(row: number, at: number) {
  return { from: (row + at) % 20, to: (row * 7 + at + 3) % 20, amount: (row * 13 + at * 29) % 120 };
}

/** The final balances of a row, worked out without the product: a move that would leave a debt does nothing. */
function expectedOf(row: number): readonly { id: number; balance: number }[] {
  const balances = balancesOf(row);
  for (let at = 0; at < CALLS; at++) {
    const { from, to, amount } = moveOf(row, at);
    const [has = 0, gets = 0] = [balances[from], balances[to]];
    if (from === to || has < amount) continue;
    balances[from] = has - amount;
    balances[to] = gets + amount;
  }
  return balances.map((balance, id) => ({ id, balance }));
}

function document() {
  return {
    model_configs: [
      { alias: 'agent', model: 'm', provider: 'own', inference_parameters: { max_parallel_requests: 64 } },
    ],
    tool_configs: [{ tool_alias: 'bank-tools', providers: ['bank'] }],
    environments: [
      {
        name: 'bank',
        kind: 'sqlite',
        schema: 'CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER CHECK (balance >= 0))',
        rows: { account: '{{ accounts }}' },
        tools: [
          {
            name: 'move',
            parameters: {
              type: 'object',
              properties: { from: { type: 'integer' }, to: { type: 'integer' }, amount: { type: 'integer' } },
            },
            sql: [
              'UPDATE account SET balance = balance - :amount WHERE id = :from',
              'UPDATE account SET balance = balance + :amount WHERE id = :to',
            ],
          },
        ],
      },
    ],
    seed_config: { source: { seed_type: 'local', path: join(folder, 'rows.jsonl') } },
    columns: [
      {
        name: 'work',
        column_type: 'llm-text',
        model_alias: 'agent',
        tool_alias: 'bank-tools',
        prompt: 'Do what row {{ row }} needs.',
      },
    ],
  };
}

interface MadeRow {
  readonly row: number;
  readonly work__state: { readonly account: readonly object[] };
}

function designerOf(maxConcurrentRowGroups?: number) {
  return new DataDesigner({
    artifactPath: folder,
    providers: { models: [{ name: 'own', endpoint: `${server.origin}/v1`, apiKey: 'key' }], tools: [] },
    runConfig: { seed: 3, bufferSize: 500, ...(maxConcurrentRowGroups && { maxConcurrentRowGroups }) },
  });
}

/** The rows and their states, in order. */
async function statesOf(results: { records(): AsyncIterable<unknown> }): Promise<readonly MadeRow[]> {
  const rows = (await Array.fromAsync(results.records())) as readonly MadeRow[];
  return rows.map(({ row, work__state }) => ({ row, work__state }));
}

/** What a sequential reference leaves. */
function reference(): readonly MadeRow[] {
  return Array.from({ length: ROWS }, (_, row) => ({ row, work__state: { account: expectedOf(row) } }));
}

/** The requests that are answered so far. */
function total(): number {
  return answered;
}

test.each([1, 8])(
  '10,000 rows with writing tools leave the states of a sequential reference, %i row groups at once',
  { tags, timeout: TIMEOUT },
  async (groups) => {
    await using designer = designerOf(groups);
    const declared = { document: document(), source: 'the test' };
    const results = await designer.create(declared, { numRecords: ROWS, datasetName: `groups-${groups}` });
    expect(await statesOf(results)).toEqual(reference());
  },
);

test(`${KILLS} kills change no state`, { tags, timeout: TIMEOUT }, async () => {
  const at = (name: string) => join(folder, name);
  const words = ['create', at('config.json'), '--providers', at('providers.json'), '-c', at('settings.json')];
  const where = ['-n', String(ROWS), '-o', folder, '-d', 'killed', '--seed', '3'];
  const resume = ['--resume', 'always'];
  for (let kill = 0; kill < KILLS; kill++) {
    const before = total();
    const { child, finished } = startDataDesigner([...words, ...where, ...(kill > 0 ? resume : [])]);
    while (child.exitCode === null && total() < before + (ROWS * 1.8) / KILLS) await sleep(5);
    child.kill('SIGKILL');
    expect(await finished).toMatchObject({ code: null });
    await sleep(20);
  }
  expect(await startDataDesigner([...words, ...where, ...resume]).finished).toMatchObject({ code: 0 });
  expect(await statesOf(await loadDataset(join(folder, 'killed')))).toEqual(reference());
});

describe.skipIf(NO_REDIS)(`a cluster${NO_REDIS ? ` (skipped: ${NO_REDIS})` : ''}`, () => {
  test('three machines leave the same states', { tags, timeout: TIMEOUT }, async () => {
    await using redis = await startRedis();
    await using first = designerOf();
    await using second = designerOf();
    await using third = designerOf();
    const cluster = { connection: redis.address };
    const declared = { document: document(), source: 'the test' };
    const shared = first.create(declared, { numRecords: ROWS, datasetName: 'three', cluster });
    const joined = [second, third].map((one) => one.join(join(folder, 'three'), { connection: redis.address }));
    const results = await shared;
    await Promise.all(joined);
    expect(await statesOf(results)).toEqual(reference());
  });
});
