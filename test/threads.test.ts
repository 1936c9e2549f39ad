import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { customColumn, DataDesigner } from 'data-designer';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { columnTypes } from '@data-designer/columns';
import { ColumnRegistry, type Providers, type RegisteredColumn } from '@data-designer/config';
import { type Batch, type Plan, type Row, rowGroups, type UserFunction } from '@data-designer/core';
import { type RunningSimulator, startSimulator } from '@data-designer/simulator';
import { builtInProviders } from '../packages/declaration/src/built-in-providers.ts';
import { connect } from '../packages/engine/src/connect/connect.ts';
import { WorkerPool } from '../packages/engine/src/executor/worker-pool.ts';
import { ThreadExecutor } from '../packages/engine/src/executor/thread-executor.ts';
import { FunctionCalls } from '../packages/engine/src/functions/function-calls.ts';
import { FunctionHost } from '../packages/engine/src/functions/function-host.ts';
import { PortGateway } from '../packages/gateway/src/port-gateway.ts';
import { preparePlan } from '../packages/engine/src/row-group/prepare-plan.ts';
import { runRowGroup } from '../packages/engine/src/row-group/run-row-group.ts';
import type { RunEvent } from '../packages/engine/src/run-event.ts';
import { folderJournal } from '../packages/dataset/src/journal/folder-journal.ts';
import { runCommand } from './command-line.ts';
import { everything } from './custom-functions.ts';

const KEY = 'canary-key-5f1c09d2';
let folder: string;
let simulator: RunningSimulator;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'threads-'));
});

afterEach(async () => {
  await simulator[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

function providersAt(endpoint: string, apiKey: string | null = null): Providers {
  const model = {
    name: 'counted',
    endpoint,
    providerType: 'openai',
    apiKey,
    extraBody: null,
    extraHeaders: null,
  } as const;
  return { models: [model], tools: builtInProviders.tools };
}

const TOPIC = {
  name: 'topic',
  column_type: 'sampler',
  sampler_type: 'category',
  params: { values: ['moon', 'salt', 'bees'] },
};
const NUMBERS = Array.from({ length: 500 }, (_, number) => number);
const NUMBER = { name: 'number', column_type: 'sampler', sampler_type: 'category', params: { values: NUMBERS } };

/** A plan of our own columns over a few samplers, for the provider `counted`. */
function planOf(providers: Providers, columns: readonly object[], { rows = 40, limit = 8 } = {}): Promise<Plan> {
  const document = {
    model_configs: [
      {
        alias: 'writer',
        model: 'sim-small',
        provider: 'counted',
        inference_parameters: { max_parallel_requests: limit },
      },
      {
        alias: 'vectors',
        model: 'sim-vectors',
        provider: 'counted',
        inference_parameters: { generation_type: 'embedding' },
      },
      { alias: 'painter', model: 'sim-image', provider: 'counted', inference_parameters: { generation_type: 'image' } },
    ],
    tool_configs: [{ tool_alias: 'facts', providers: ['demo-tools'] }],
    columns: [TOPIC, NUMBER, ...columns],
  };
  const designer = new DataDesigner({ providers, runConfig: { seed: 3, bufferSize: 10 } });
  return designer.validate({ document, source: 'the test' }, { numRecords: rows });
}

const ANSWER = {
  name: 'answer',
  column_type: 'llm-text',
  model_alias: 'writer',
  tool_alias: 'facts',
  with_trace: true,
  prompt: 'Number {{ number }}: a fact about {{ topic }}, with the tool get_fact.',
};

test('the row groups of a killed worker thread are made again from their journals', { tags: 'long' }, async () => {
  simulator = await startSimulator('--latency', '80');
  const providers = providersAt(simulator.url);
  const plan = await planOf(providers, [ANSWER]);
  const events: RunEvent[] = [];
  await using pool = new WorkerPool();
  const options = { pool, groups: 4, maxConcurrentRowGroups: 3 };
  await using executor = new ThreadExecutor(plan, { ...options, onEvent: (event) => events.push(event) });
  await using connection = await connect(plan, { providers, modelServers: [], admission: null, allowPrivate: false });
  mkdirSync(join(folder, 'journal'));
  const channels = {
    redact: connection.gateway.redact.bind(connection.gateway),
    open: (group: number) => connection.gateway.openGroup(group, join(folder, 'journal', `${group}`)),
    destination: () => ({ kind: 'memory' }) as const,
  };
  // No group ends before its worker is lost.
  await simulator.holdAfter(28);
  const killed = (async () => {
    while ((await simulator.stats()).answers < 20) await sleep(5);
    await Promise.all(executor.threads.map((thread) => thread.terminate()));
    await simulator.release();
  })();
  let rows = 0;
  for await (const result of executor.run(rowGroups(plan), channels)) rows += result.rows;
  await killed;
  expect(rows).toBe(40);
  expect(events.filter(({ type }) => type === 'worker-fail').length).toBeGreaterThan(0);
  expect((await simulator.stats()).boughtTwice).toBe(0);
});

test('every row group is delivered, also while the consumer is busy', { tags: 'long' }, async () => {
  simulator = await startSimulator();
  const providers = providersAt(simulator.url);
  const plan = await planOf(providers, [ANSWER]);
  await using pool = new WorkerPool();
  const options = { pool, groups: 4, maxConcurrentRowGroups: 2, onEvent: () => {} };
  await using executor = new ThreadExecutor(plan, options);
  await using connection = await connect(plan, { providers, modelServers: [], admission: null, allowPrivate: false });
  const channels = {
    redact: connection.gateway.redact.bind(connection.gateway),
    open: (group: number) => connection.gateway.openGroup(group, null),
    destination: () => ({ kind: 'memory' }) as const,
  };
  const groups: number[] = [];
  for await (const { group } of executor.run(rowGroups(plan), channels)) {
    groups.push(group);
    await sleep(400);
  }
  expect(groups.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3]);
});

/** Whether topics have more than four letters. */
function areLong(rows: readonly Row[]): readonly Row[] {
  return rows.map(({ topic }) => ({ is_valid: (topic as string).length > 4 }));
}

/** Declarations that need functions of this program, tools, or side effects; any other type brings an example. */
const DECLARED: Readonly<Record<string, object | readonly object[]>> = {
  'llm-text': ANSWER,
  custom: {
    name: 'everything',
    column_type: 'custom',
    generator_function: customColumn({ requiredColumns: ['topic'], modelAliases: ['writer'], generate: everything }),
  },
  validation: [
    {
      name: 'lint',
      column_type: 'validation',
      target_columns: ['code'],
      validator_type: 'code',
      validator_params: { code_lang: 'python' },
    },
    {
      name: 'checked',
      column_type: 'validation',
      target_columns: ['topic'],
      validator_type: 'local_callable',
      validator_params: { validation_function: areLong },
    },
  ],
};

test('every column type replays from its journal without the network', { tags: 'long' }, async () => {
  // Seed columns have their own tests (test/seeds.test.ts), and the sampler columns are in every plan.
  const types: readonly RegisteredColumn[] = columnTypes.filter(
    ({ type }) => !['seed-dataset', 'sampler'].includes(type),
  );
  const columns = types.flatMap(({ type, example }) => {
    const declared = DECLARED[type] ?? example;
    if (!declared) throw new Error(`the column type '${type}' has no example`);
    return declared;
  });
  simulator = await startSimulator();
  const journal = join(folder, 'journal');

  const make = async (providers: Providers): Promise<Batch> => {
    const plan = await planOf(providers, columns, { rows: 10 });
    await using connection = await connect(plan, { providers, modelServers: [], admission: null, allowPrivate: false });
    const prepared = preparePlan(plan, new ColumnRegistry(columnTypes));
    let made: Batch | undefined;
    using gateway = new PortGateway(connection.gateway.openGroup(0, journal));
    const signal = new AbortController().signal;
    const functions = new Map<string, UserFunction>([
      ['columns.everything.generatorFunction', everything],
      ['columns.checked.validatorParams.validationFunction', areLong],
    ]);
    using calls = new FunctionCalls(new FunctionHost(functions).open(), signal);
    const [group] = rowGroups(plan);
    if (!group) throw new Error('a plan without groups');
    const { lost } = await runRowGroup(prepared, group, {
      gateway,
      functions: calls,
      signal,
      tables: () => Promise.resolve(new Map()),
      write: async (batch) => ((made = batch), { bytes: new Uint8Array() }),
    });
    expect(lost).toEqual([]);
    await connection.gateway.closeGroup(0, { keepJournal: true });
    return made as Batch;
  };

  const first = await make(providersAt(simulator.url));
  const bought = await folderJournal(journal).read();
  // Nothing listens here: any request that is not answered from the journal fails, and its row with it.
  const second = await make(providersAt('http://127.0.0.1:9/v1'));
  expect(second.rows).toBe(10);
  expect(second.columns).toEqual(first.columns);
  expect(await folderJournal(journal).read()).toEqual(bought);
  expect(readdirSync(journal)).toEqual(['000001.journal']);
});

/** The paths of all files below a folder. */
function filesIn(path: string): readonly string[] {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.map(({ parentPath, name }) => join(parentPath, name));
}

async function heapOf(thread: { getHeapSnapshot(): Promise<NodeJS.ReadableStream> }): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of await thread.getHeapSnapshot()) chunks.push(Buffer.from(chunk as string));
  return Buffer.concat(chunks).toString('latin1');
}

test('only the I/O thread holds a key: not workers, journals, the plan or the dataset', { tags: 'long' }, async () => {
  simulator = await startSimulator('--api-key', KEY, '--latency', '50');
  const providers = providersAt(simulator.url, KEY);
  const plan = await planOf(providers, [ANSWER]);
  expect(JSON.stringify(plan)).not.toContain(KEY);
  await using pool = new WorkerPool();
  const options = { pool, groups: 4, maxConcurrentRowGroups: 3, onEvent: () => {} };
  await using executor = new ThreadExecutor(plan, options);
  await using connection = await connect(plan, { providers, modelServers: [], admission: null, allowPrivate: false });
  const journals: string[] = [];
  const channels = {
    redact: connection.gateway.redact.bind(connection.gateway),
    open: (group: number) => connection.gateway.openGroup(group, join(folder, `journal-${group}`)),
    destination: (group: number) => {
      const path = join(folder, `batch-${group}.parquet`);
      return { kind: 'file', format: 'parquet', path, temporary: path } as const;
    },
  };
  await simulator.holdAfter(28);
  const looked = (async () => {
    while ((await simulator.stats()).answers < 20) await sleep(5);
    const heaps = await Promise.all(executor.threads.map(heapOf));
    for (const heap of heaps) {
      // The heap is really that of a worker at work: it holds the prompt's words, and not the key.
      expect(heap.includes('with the tool get_fact')).toBe(true);
      expect(heap.includes(KEY)).toBe(false);
    }
    for (const path of filesIn(folder)) journals.push(readFileSync(path, 'latin1'));
    await simulator.release();
  })();
  let rows = 0;
  for await (const result of executor.run(rowGroups(plan), channels)) rows += result.rows;
  await looked;
  expect(rows).toBe(40);
  expect(journals.join('')).toContain('get_fact');
  expect(journals.join('')).not.toContain(KEY);
  for (const path of filesIn(folder)) expect(readFileSync(path, 'latin1')).not.toContain(KEY);
});

test.each([
  ['right', KEY, 0],
  ['refused', 'another-key', 1],
])('the output and files of a command do not hold the key: %s', async (_, expected, code) => {
  simulator = await startSimulator('--api-key', expected);
  const config = join(folder, 'config.json');
  const providers = join(folder, 'providers.json');
  const model = { alias: 'writer', model: 'sim-small', provider: 'counted' };
  const column = {
    name: 'text',
    column_type: 'llm-text',
    model_alias: 'writer',
    with_trace: true,
    prompt: 'Say {{ topic }}.',
  };
  writeFileSync(config, JSON.stringify({ model_configs: [model], columns: [TOPIC, column] }));
  writeFileSync(
    providers,
    JSON.stringify({ providers: [{ name: 'counted', endpoint: simulator.url, api_key: '${CANARY}' }] }),
  );
  const out = join(folder, 'out');
  const args = ['create', config, '--providers', providers, '-n', '5', '-o', out, '--json'];
  const finished = await runCommand(args, { env: { CANARY: KEY } });
  expect(finished.code).toBe(code);
  expect(finished.stdout + finished.stderr).not.toContain(KEY);
  const files = readdirSync(out, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.length).toBeGreaterThan(2);
  for (const { parentPath, name } of files) expect(readFileSync(join(parentPath, name), 'latin1')).not.toContain(KEY);
});
