import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Call, type CallOutcome, DataDesignerError, OPEN_ROWS, type Resource } from '@data-designer/core';
import { until } from '@data-designer/testing/until';
import type { ClusterLimits, MachineUse } from './admission/cluster-limits.ts';
import { GatewayHost } from './gateway-host.ts';
import { folderJournal } from '../../dataset/src/journal/folder-journal.ts';
import type { ProviderRouterOptions } from './provider-router.ts';
import { PortGateway } from './port-gateway.ts';
import { warmIoThread } from './thread/start-io-thread.ts';

const SMALL: Resource = { id: 'model/here/small', kind: 'model', provider: 'here', limit: 4, pool: 'model/here/small' };
const PRICES = { [SMALL.id]: { input: 1000, output: 5000, cachedInput: null, image: null } };
const CHOICES = [{ message: { content: 'ok' } }];
const ANSWER = JSON.stringify({ choices: CHOICES, usage: { prompt_tokens: 1000, completion_tokens: 100 } });

let folder: string;
let path: string;
let server: Server;
let asked: number;
let answer: (response: ServerResponse) => void;

const say =
  (status: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(ANSWER);
  };

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-'));
  path = join(folder, 'group_00000');
  asked = 0;
  answer = say(200);
  server = createServer((request, response) => {
    asked++;
    request.resume();
    answer(response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

function open(options: Partial<ProviderRouterOptions> = {}, cluster?: ClusterLimits): Promise<GatewayHost> {
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const model = { name: 'here', endpoint, providerType: 'openai', apiKey: null, extraBody: null, extraHeaders: null };
  return GatewayHost.open(
    { resources: [SMALL], providers: { models: [model], tools: [] }, frozen: {}, ...options },
    { cluster },
  );
}

async function ask(gateway: PortGateway, row: number): Promise<CallOutcome> {
  const at = { row, column: 'a', call: 0 };
  await gateway.admit(SMALL.id, at);
  const call: Call = { resource: SMALL.id, path: 'chat/completions', body: `{"n":${row}}`, timeoutMs: 20_000, ...at };
  return gateway.call(call);
}

test(
  'the tries of an answer cross threads, are journaled, and are the same in a replay',
  { tags: 'long' },
  async () => {
    const expected = { status: 200, body: ANSWER, tries: { requests: 3, refused: 2, possiblyPaid: 0 } };
    {
      await using host = await open();
      using gateway = new PortGateway(host.openGroup(0, path));
      answer = (response) => say(asked < 3 ? 429 : 200, { 'retry-after': '0.01' })(response);
      expect(await ask(gateway, 0)).toMatchObject(expected);
      expect(await ask(gateway, 1)).not.toHaveProperty('tries');
    }
    expect(asked).toBe(4);
    await using host = await open();
    using gateway = new PortGateway(host.openGroup(0, path));
    expect(await ask(gateway, 0)).toMatchObject(expected);
    expect(await ask(gateway, 1)).not.toHaveProperty('tries');
    expect(asked).toBe(4);
  },
);

test('a key that is set after the thread has started is found', { tags: 'long' }, async () => {
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const name = 'GATEWAY_HOST_TEST_KEY';
  const apiKey = `\${${name}}`;
  const model = { name: 'here', endpoint, providerType: 'openai', apiKey, extraBody: null, extraHeaders: null };
  const providers = { models: [model], tools: [] };
  warmIoThread();
  await expect(open({ providers })).rejects.toMatchObject({ code: 'secret/missing' });
  warmIoThread();
  process.env[name] = 'sk-set-later';
  try {
    await using host = await open({ providers });
    using gateway = new PortGateway(host.openGroup(0, path));
    expect(await ask(gateway, 0)).toMatchObject({ status: 200 });
  } finally {
    delete process.env[name];
  }
});

async function threeRuns(): Promise<void> {
  for (const run of [0, 1, 2]) {
    await using host = await open();
    using gateway = new PortGateway(host.openGroup(run, null));
    expect(await ask(gateway, run)).toMatchObject({ status: 200 });
  }
}

test('the thread of a run serves the next ones, but no run after one that failed', { tags: 'long' }, async () => {
  const started: Worker[] = [];
  const note = (worker: Worker): void => void started.push(worker);
  await threeRuns();
  process.on('worker', note);
  try {
    await threeRuns();
    expect(started).toHaveLength(0);
    const apiKey = '${GATEWAY_HOST_TEST_NO_KEY}';
    const model = { name: 'here', endpoint: '', providerType: 'openai', apiKey, extraBody: null, extraHeaders: null };
    const providers = { models: [model], tools: [] };
    await expect(open({ providers })).rejects.toMatchObject({ code: 'secret/missing' });
    await threeRuns();
    expect(started).toHaveLength(1);
    // Runs at the same time have threads of their own, one of which serves the next.
    const hosts = [await open(), await open()];
    await Promise.all(hosts.map((host) => host[Symbol.asyncDispose]()));
    expect(started).toHaveLength(2);
    await threeRuns();
    expect(started).toHaveLength(2);
  } finally {
    process.off('worker', note);
  }
});

test('a spent budget ends the run with every answer in flight in the journal', async () => {
  const budget = { maxCost: 10, prices: PRICES, spentBefore: 0 };
  {
    await using host = await open({ budget });
    using gateway = new PortGateway(host.openGroup(0, path));
    answer = (response) => void setTimeout(() => say(200)(response), 30);
    for (let row = 0; row < 40; row++) ask(gateway, row).catch(() => {});
    expect(await host.spent).toMatchObject({ code: 'run/budget-spent', data: { maxCost: 10 } });
  }
  expect(asked).toBeGreaterThanOrEqual(7);
  expect(asked).toBeLessThanOrEqual(10);
  expect((await folderJournal(path).read()).entries).toHaveLength(asked);
  // With the same budget the next run gets the journaled answers, and nothing more.
  const before = asked;
  const rows = (await folderJournal(path).read()).entries.map(({ row }) => row);
  const spent = { ...budget, spentBefore: before * 1.5 };
  {
    await using host = await open({ budget: spent });
    using gateway = new PortGateway(host.openGroup(0, path));
    await Promise.all(rows.map((row) => ask(gateway, row)));
    ask(gateway, 100).catch(() => {});
    expect(await host.spent).toMatchObject({ code: 'run/budget-spent' });
  }
  expect(asked).toBe(before);
  // With a larger budget it continues.
  await using host = await open({ budget: { ...spent, maxCost: 100 } });
  using gateway = new PortGateway(host.openGroup(0, path));
  expect(await ask(gateway, 100)).toMatchObject({ status: 200 });
  expect(asked).toBe(before + 1);
});

test('a machine of a cluster sends what its shares allow, and exchanges at once when it is told to', async () => {
  const uses: MachineUse[] = [];
  let permits = 0;
  const listeners: (() => void)[] = [];
  const cluster: ClusterLimits = {
    exchange: async (use) => {
      uses.push(use);
      const share = { permits, limit: 4, round: 0, stoppedMs: 0 };
      return { resources: { [SMALL.id]: share }, machines: 2, spent: 0, mayCost: 0 };
    },
    onExchangeNow: (listener) => {
      listeners.push(listener);
      return () => void listeners.pop();
    },
  };
  await using host = await open({}, cluster);
  using gateway = new PortGateway(host.openGroup(0, path));
  const answers = [0, 1, 2].map((row) => ask(gateway, row));
  await until(() => uses.at(-1)?.resources[SMALL.id]?.permits.wanted === 3);
  expect(asked).toBe(0);
  permits = 2;
  for (const exchange of listeners) exchange();
  expect(await Promise.all(answers)).toMatchObject([{ status: 200 }, { status: 200 }, { status: 200 }]);
});

test('a budget spent by the last answer does not end the run', async () => {
  await using host = await open({ budget: { maxCost: 3, prices: PRICES, spentBefore: 0 } });
  using gateway = new PortGateway(host.openGroup(0, path));
  await Promise.all([ask(gateway, 0), ask(gateway, 1)]);
  await sleep(100);
  await expect(host.closeGroup(0, { keepJournal: false })).resolves.toBeUndefined();
});

test('a failed cell is in the journal once the thread has replied', async () => {
  const failure = new DataDesignerError('cell/killed-worker', {
    column: 'answer',
    row: 1,
    cause: 'blocked its worker',
  }).toWire();
  await using host = await open();
  using gateway = new PortGateway(host.openGroup(0, path));
  await ask(gateway, 0);
  await gateway.failCell({ row: 1, column: 'answer', failure });
  const { entries, failedCells } = await folderJournal(path).read();
  expect(entries).toHaveLength(1);
  expect(failedCells).toEqual([{ row: 1, column: 'answer', failure }]);
});

test('a drained thread still answers the calls in flight', async () => {
  await using host = await open();
  using gateway = new PortGateway(host.openGroup(0, path));
  answer = (response) => void setTimeout(() => say(200)(response), 100);
  const rows = [ask(gateway, 0), ask(gateway, 1)];
  await until(() => asked >= 2);
  const late = ask(gateway, 2);
  late.catch(() => {});
  await host.drain(60_000);
  expect((await Promise.all(rows)).map(({ status }) => status)).toEqual([200, 200]);
});

const OVER = { code: 'run/over' };

test('at the end of a run waiting and later calls fail with run/over, after the calls in flight are answered', async () => {
  await using host = await open();
  using gateway = new PortGateway(host.openGroup(0, path));
  const held: ServerResponse[] = [];
  answer = (response) => held.push(response);
  const under = [0, 1, 2, 3].map((row) => ask(gateway, row));
  await until(() => asked >= 4);
  const waiting = ask(gateway, 4);
  const drained = host.drain(5000);
  await expect(waiting).rejects.toMatchObject(OVER);
  await expect(ask(gateway, 5)).rejects.toMatchObject(OVER);
  // A row may be cancelled while the answer of one of its cells is in flight: it is paid for, so it is journaled.
  const cut = (under[0] as Promise<unknown>).catch((thrown: unknown) => thrown);
  gateway.cancel(0);
  held.forEach(say(200));
  await drained;
  expect(await Promise.all(under.slice(1))).toMatchObject([{ status: 200 }, { status: 200 }, { status: 200 }]);
  expect(await cut).toMatchObject({ code: 'run/aborted' });
  await host.closeGroup(0, { keepJournal: true });
  expect((await folderJournal(path).read()).entries).toHaveLength(4);
});

test('after the grace period calls in flight fail with run/over, and a group opened later replays its journal', async () => {
  {
    await using host = await open();
    using gateway = new PortGateway(host.openGroup(0, path));
    await ask(gateway, 0);
  }
  await using host = await open();
  answer = () => {};
  using other = new PortGateway(host.openGroup(1, join(folder, 'other')));
  const hanging = ask(other, 10);
  await until(() => asked >= 2);
  await Promise.all([expect(hanging).rejects.toMatchObject(OVER), host.drain(50)]);
  using gateway = new PortGateway(host.openGroup(0, path));
  await gateway.admit(OPEN_ROWS, { row: 0, column: '', call: 0 });
  expect(await ask(gateway, 0)).toMatchObject({ status: 200 });
  await expect(gateway.admit(OPEN_ROWS, { row: 1, column: '', call: 0 })).rejects.toMatchObject(OVER);
});

test('a closed thread sends nothing more, and released permits admit no other row', async () => {
  const host = await open();
  using gateway = new PortGateway(host.openGroup(0, path));
  answer = () => {};
  // A worker that has lost a row continues with the next one.
  let next = 4;
  const goOn = (row: number): void => void ask(gateway, row).catch(() => next < 50 && goOn(next++));
  for (const row of [0, 1, 2, 3]) goOn(row);
  await until(() => asked >= 4);
  await host[Symbol.asyncDispose]();
  expect(asked).toBe(4);
});

test('a closed gateway answers what it was asked before, and refuses further questions', async () => {
  const host = await open();
  using gateway = new PortGateway(host.openGroup(0, path));
  answer = () => {};
  ask(gateway, 0).catch(() => {});
  await until(() => asked >= 1);
  const closing = host.closeGroup(0, { keepJournal: true });
  await host[Symbol.asyncDispose]();
  await closing;
  await expect(host.closeGroup(0, { keepJournal: true })).rejects.toMatchObject({ code: 'run/aborted' });
});
