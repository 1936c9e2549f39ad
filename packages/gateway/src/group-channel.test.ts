import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Address, type Call, type CallOutcome, OPEN_ROWS, type Resource } from '@data-designer/core';
import { completion, reply } from '@data-designer/testing/answering-server';
import { AnsweringModels, refuse } from '../test/answering-models.ts';
import { entriesOf, type GroupOptions, openGroup, type OpenGroup } from '../test/open-group.ts';
import { until } from '@data-designer/testing/until';
import { PortGateway } from './port-gateway.ts';

const SMALL: Resource = { id: 'model/here/small', kind: 'model', provider: 'here', limit: 2, pool: 'model/here/small' };
const FUNCTIONS: Resource = { id: 'functions', kind: 'functions', provider: '', limit: 4, pool: 'functions' };
const OVER = { code: 'run/over' };
const ABORTED = { code: 'run/aborted' };

let models: AnsweringModels;
let folder: string;
let journal: string;
let opened: OpenGroup[];

beforeAll(async () => {
  models = await AnsweringModels.open();
});
afterAll(() => models[Symbol.dispose]());
beforeEach(() => {
  models.reset();
  folder = mkdtempSync(join(tmpdir(), 'group-desk-'));
  journal = join(folder, 'journal');
  opened = [];
});
afterEach(async () => {
  for (const group of opened) await group[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

function open(options: Partial<GroupOptions> = {}): OpenGroup {
  const group = openGroup({ resources: [SMALL, FUNCTIONS] }, { endpoint: models.endpoint, journal, ...options });
  opened.push(group);
  return group;
}

/** Opens a later run on the same journal. */
async function openLater(options: Partial<GroupOptions> = {}): Promise<OpenGroup> {
  await opened.pop()?.[Symbol.asyncDispose]();
  return open(options);
}

const at = (row: number, call = 0): Address => ({ row, column: 'a', call });

function callAt(address: Address, prompt = `row ${address.row}`): Call {
  const body = JSON.stringify({ model: 'small', messages: [{ role: 'user', content: prompt }] });
  return { ...address, resource: SMALL.id, path: 'chat/completions', body, timeoutMs: 20_000 };
}

/** Sends a call after its admission, as a conversation does. */
async function ask({ gateway }: { gateway: PortGateway }, row: number): Promise<CallOutcome> {
  await gateway.admit(SMALL.id, at(row));
  return gateway.call(callAt(at(row)));
}

/** Holds all answers, by prompt. */
function hold(): Map<string, ServerResponse> {
  const held = new Map<string, ServerResponse>();
  models.answer = ({ prompt }, response) => void held.set(prompt, response);
  return held;
}
const letGo = (response: ServerResponse | undefined): void => reply(response as ServerResponse, completion('late'));
/** The rows that have journal entries. */
const rowsIn = (path: string): ReadonlySet<number> => new Set(entriesOf(path).map(({ row }) => row));

test('an answer is in the journal before the worker gets it', async () => {
  const { channel } = open();
  const { port1, port2 } = new MessageChannel();
  const kept: number[] = [];
  // The real port, which also counts the entries on disk before each message.
  const send = port1.postMessage.bind(port1) as (...given: unknown[]) => void;
  port1.postMessage = (...given: unknown[]) => {
    kept.push(entriesOf(journal).length);
    send(...given);
  };
  channel.attach(port1);
  using gateway = new PortGateway(port2);
  for (const row of [0, 1, 2]) {
    await ask({ gateway }, row);
    expect(kept.at(-1)).toBe(row + 1);
  }
});

test('an entry holds resource, path, request hash and the whole answer', async () => {
  const outcome = await ask(open(), 7);
  expect(outcome).toMatchObject({ status: 200, body: expect.stringContaining('small: row 7') });
  expect(entriesOf(journal)).toEqual([
    {
      ...at(7),
      ...outcome,
      request: expect.stringMatching(/^[0-9a-f]{64}$/),
      resource: SMALL.id,
      path: 'chat/completions',
    },
  ]);
});

test('a later run is answered from the journal, without a request or a permit', async () => {
  const first = await ask(open(), 0);
  const held = hold();
  const group = await openLater();
  const busy = [1, 2].map((row) => ask(group, row));
  await until(() => held.size === 2);
  // Both permits are taken, and a journaled answer needs none.
  expect(await ask(group, 0)).toEqual(first);
  expect(models.asked).toHaveLength(3);
  for (const response of held.values()) letGo(response);
  await Promise.all(busy);
  expect(rowsIn(journal)).toEqual(new Set([0, 1, 2]));
});

test('after a journaled answer of a model, a 403 concerns its own request alone', { tags: 'long' }, async () => {
  await ask(open(), 0);
  const group = await openLater();
  models.answer = (_, response) => refuse(response, 403);
  await ask(group, 0);
  expect(await ask(group, 1)).toMatchObject({ status: 403, verdict: 'about-this' });
});

test('a changed request is sent, and the later requests of its cell are sent again', async () => {
  const { gateway } = open();
  for (const call of [0, 1]) await gateway.call(callAt(at(0, call), `question ${call}`));
  const later = await openLater();
  await later.gateway.call(callAt(at(0, 0), 'another question'));
  await later.gateway.call(callAt(at(0, 1), 'question 1'));
  expect(models.asked.map(({ prompt }) => prompt)).toEqual([
    'question 0',
    'question 1',
    'another question',
    'question 1',
  ]);
});

test('a refusal is returned and not journaled, so a later run requests again', async () => {
  models.answer = (_, response) => refuse(response);
  expect(await ask(open(), 0)).toMatchObject({ status: 400, body: expect.stringContaining('not this one') });
  expect(entriesOf(journal)).toEqual([]);
  models.reset();
  expect(await ask(await openLater(), 0)).toMatchObject({ status: 200 });
});

test('a success that is not JSON is not journaled', async () => {
  models.answer = (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Sign in</p>');
  const { gateway } = open();
  await gateway.admit(SMALL.id, at(0));
  await gateway.call({ ...callAt(at(0)), timeoutMs: 50 }).catch(() => {});
  expect(entriesOf(journal)).toEqual([]);
});

test('without a journal calls are answered, and nothing is written', async () => {
  const { journal: _, ...options } = { journal: undefined, endpoint: models.endpoint };
  const group = openGroup({ resources: [SMALL] }, options);
  opened.push(group);
  expect(await ask(group, 0)).toMatchObject({ status: 200 });
  expect(existsSync(journal)).toBe(false);
});

test('two equal calls at one address share one request', async () => {
  const held = hold();
  const { gateway } = open();
  const both = [gateway.call(callAt(at(0))), gateway.call(callAt(at(0)))];
  await until(() => held.size === 1);
  letGo(held.get('row 0'));
  const [one, other] = await Promise.all(both);
  expect(one).toEqual(other);
  expect(models.asked).toHaveLength(1);
  expect(rowsIn(journal)).toEqual(new Set([0]));
});

test('requests in flight stay within the limit, and the lowest row goes next', async () => {
  const held = hold();
  const group = open();
  const all = [0, 1, 5, 3, 4].map((row) => ask(group, row));
  await until(() => held.size === 2);
  for (const row of [0, 3, 4, 1, 5]) {
    await until(() => held.has(`row ${row}`));
    letGo(held.get(`row ${row}`));
    held.delete(`row ${row}`);
    expect(held.size).toBeLessThan(2);
  }
  await Promise.all(all);
  expect(models.asked.slice(2).map(({ prompt }) => prompt)).toEqual(['row 3', 'row 4', 'row 5']);
});

test('a call that was not admitted queues for a permit, and releases it', async () => {
  const held = hold();
  const { gateway, router } = open();
  const calls = [0, 1, 2].map((row) => gateway.call(callAt(at(row))));
  await until(() => held.size === 2 && router.admission(SMALL.id).waiting === 1);
  letGo(held.get('row 0'));
  await calls[0];
  await until(() => held.has('row 2'));
  for (const row of [1, 2]) letGo(held.get(`row ${row}`));
  await Promise.all(calls);
  expect(router.admission(SMALL.id)).toMatchObject({ inFlight: 0, waiting: 0 });
});

test('a row that ends releases its permits, leaves the queues, and aborts its requests', async () => {
  const held = hold();
  const { gateway, router } = open();
  const admission = router.admission(SMALL.id);
  const call = gateway.call(callAt(at(0)));
  await gateway.admit(SMALL.id, at(1));
  const waiting = gateway.admit(SMALL.id, at(2));
  await until(() => held.size === 1 && admission.waiting === 1);
  const closed = new Promise((resolve) => held.get('row 0')?.once('close', resolve));
  gateway.cancel(0);
  gateway.cancel(2);
  await expect(call).rejects.toMatchObject(ABORTED);
  await expect(waiting).rejects.toMatchObject(ABORTED);
  await closed;
  await until(() => admission.inFlight === 1 && admission.waiting === 0);
  gateway.cancel(1);
  await until(() => admission.inFlight === 0);
  expect(entriesOf(journal)).toEqual([]);
});

test('a lost row sends nothing more, and what it has sent is answered and journaled', async () => {
  const held = hold();
  const { gateway, router } = open();
  const admission = router.admission(SMALL.id);
  const [sent, refused] = [gateway.call(callAt(at(0))), gateway.call(callAt(at(0, 1), 'refused'))];
  await until(() => held.size === 2);
  const waiting = [gateway.admit(SMALL.id, at(0, 2)), gateway.call(callAt(at(0, 3))), gateway.admit(SMALL.id, at(1))];
  await until(() => admission.waiting === 3);
  const work = { ...at(0, 4), resource: FUNCTIONS.id, path: 'outcome', body: '{}' } as const;
  const begun = Promise.withResolvers<CallOutcome>();
  let isWorking = false;
  const working = gateway.journal(work, () => ((isWorking = true), begun.promise));
  await until(() => isWorking);
  gateway.cancel(0, { finishCalls: true });
  for (const one of waiting.slice(0, 2)) await expect(one).rejects.toMatchObject(ABORTED);
  await expect(gateway.call(callAt(at(0, 5)))).rejects.toMatchObject(ABORTED);
  // A refusal that may pass would be sent again later.
  refuse(held.get('refused') as ServerResponse, 503);
  await expect(refused).rejects.toMatchObject(ABORTED);
  await waiting[2];
  letGo(held.get('row 0'));
  expect(await sent).toMatchObject({ status: 200 });
  begun.resolve(done('worked'));
  expect(await working).toMatchObject({ body: 'worked' });
  await until(() => admission.inFlight === 1);
  await expect(gateway.call(callAt(at(0, 6)))).rejects.toMatchObject(ABORTED);
  gateway.cancel(0);
  gateway.cancel(1);
  await until(() => admission.inFlight === 0 && admission.waiting === 0);
  expect(entriesOf(journal).map(({ call, status }) => [call, status])).toEqual([
    [0, 200],
    [4, 200],
  ]);
  expect(models.asked).toHaveLength(2);
});

test('a released permit goes to the next call, and the row continues', async () => {
  const { gateway, router } = open();
  const admission = router.admission(SMALL.id);
  for (const call of [0, 1]) await gateway.admit(SMALL.id, at(0, call));
  let isIn = false;
  const other = gateway.admit(SMALL.id, at(1)).then(() => (isIn = true));
  await until(() => admission.waiting === 1);
  expect(isIn).toBe(false);
  gateway.cancel(at(0, 1));
  await other;
  expect(admission).toMatchObject({ inFlight: 2, waiting: 0 });
  expect(await gateway.call(callAt(at(0)))).toMatchObject({ status: 200 });
  // A cancelled request for a permit is not granted.
  await gateway.admit(SMALL.id, at(2));
  const given = gateway.admit(SMALL.id, at(3));
  given.catch(() => {});
  await until(() => admission.waiting === 1);
  gateway.cancel(at(3));
  await until(() => admission.waiting === 0);
  gateway.cancel(3);
});

test('a lost worker releases its permits, and its calls in flight finish and answer its successor', async () => {
  const held = hold();
  const group = open();
  const lost = ask(group, 0);
  await group.gateway.admit(SMALL.id, at(1));
  const waiting = ask(group, 2);
  for (const one of [lost, waiting]) one.catch(() => {});
  await until(() => held.size === 1 && group.router.admission(SMALL.id).waiting === 1);
  group.gateway[Symbol.dispose]();
  await expect(lost).rejects.toMatchObject({ code: 'run/gateway-lost' });
  await until(() => group.router.admission(SMALL.id).inFlight === 1);
  expect(group.channel.isBusy).toBe(true);
  using gateway = group.succeed();
  const same = ask({ gateway }, 0);
  const other = ask({ gateway }, 2);
  await until(() => held.size === 2);
  for (const response of held.values()) letGo(response);
  expect(await Promise.all([same, other])).toMatchObject([{ status: 200 }, { status: 200 }]);
  expect(models.asked).toHaveLength(2);
  expect(rowsIn(journal)).toEqual(new Set([0, 2]));
});

test('a successor is answered from the journal, including answers that arrived after it was opened', async () => {
  const group = open();
  const first = await ask(group, 0);
  const held = hold();
  const late = group.gateway.call(callAt(at(1)));
  late.catch(() => {});
  await until(() => held.size === 1);
  // The port of the lost worker may still be open when its successor starts.
  using gateway = group.succeed();
  letGo(held.get('row 1'));
  await group.channel.settled();
  await until(() => rowsIn(journal).size === 2);
  expect(await ask({ gateway }, 0)).toEqual(first);
  expect(await ask({ gateway }, 1)).toMatchObject({ status: 200 });
  expect(models.asked).toHaveLength(2);
});

test('a lost worker with an open port holds no permits and is ignored, and closing the port changes nothing', async () => {
  const group = open();
  const admission = group.router.admission(SMALL.id);
  for (const row of [5, 6]) await group.gateway.admit(SMALL.id, at(row));
  const lost = group.gateway.admit(SMALL.id, at(7));
  lost.catch(() => {});
  await until(() => admission.waiting === 1);
  using gateway = group.succeed();
  const stray = group.gateway.call(callAt(at(8)));
  stray.catch(() => {});
  for (const row of [0, 1]) await gateway.admit(SMALL.id, at(row));
  const wish = gateway.admit(SMALL.id, at(2));
  await until(() => admission.waiting === 1);
  group.gateway[Symbol.dispose]();
  await expect(lost).rejects.toMatchObject({ code: 'run/gateway-lost' });
  expect(await gateway.call(callAt(at(0)))).toMatchObject({ status: 200 });
  await wish;
  expect(admission).toMatchObject({ inFlight: 2, waiting: 0 });
  expect(models.asked.map(({ prompt }) => prompt)).toEqual(['row 0']);
});

test('at the end of a run waiting and new calls fail with run/over, and calls in flight are answered', async () => {
  const held = hold();
  const group = open();
  const under = [0, 1].map((row) => ask(group, row));
  await until(() => held.size === 2);
  const waiting = ask(group, 2);
  await until(() => group.router.admission(SMALL.id).waiting === 1);
  group.channel.endAsking();
  expect(group.router.admission(SMALL.id).waiting).toBe(0);
  group.router.pause();
  await expect(waiting).rejects.toMatchObject(OVER);
  await expect(ask(group, 3)).rejects.toMatchObject(OVER);
  await expect(group.gateway.call(callAt(at(4)))).rejects.toMatchObject(OVER);
  expect(group.channel.isBusy).toBe(true);
  // The answer of a cancelled row is still journaled, since it is paid for.
  let isIn = false;
  const settled = group.channel.settled().then(() => (isIn = true));
  const cut = (under[0] as Promise<unknown>).catch((failure: unknown) => failure);
  group.gateway.cancel(0);
  expect(await cut).toMatchObject(ABORTED);
  expect(isIn).toBe(false);
  for (const response of held.values()) letGo(response);
  expect(await under[1]).toMatchObject({ status: 200 });
  await settled;
  expect(group.channel.isBusy).toBe(false);
  await until(() => rowsIn(journal).size === 2);
});

test('after the end of the run rows with journaled answers may open, and get those answers', async () => {
  await ask(open(), 0);
  const group = await openLater();
  group.router.pause();
  group.channel.endAsking();
  await group.gateway.admit(OPEN_ROWS, { row: 0, column: '', call: 0 });
  expect(await ask(group, 0)).toMatchObject({ status: 200 });
  await expect(group.gateway.admit(OPEN_ROWS, { row: 1, column: '', call: 0 })).rejects.toMatchObject(OVER);
  await expect(group.gateway.admit(SMALL.id, at(0, 1))).rejects.toMatchObject(OVER);
});

test('an abandoned call fails, and is not journaled', async () => {
  const held = hold();
  const group = open();
  const calls = [0, 1].map((row) => ask(group, row));
  await until(() => held.size === 2);
  group.router.pause();
  group.channel.endAsking();
  group.channel.giveUp();
  for (const call of calls) await expect(call).rejects.toMatchObject(OVER);
  await group.channel.settled();
  expect(entriesOf(journal)).toEqual([]);
});

const BUDGET = {
  maxCost: 1,
  prices: { [SMALL.id]: { input: 1e6, output: 0, cachedInput: null, image: null } },
  spentBefore: 0,
};

test('a call beyond the budget gets no reply before the end of the run, and releases its permit', async () => {
  const group = open({ budget: BUDGET });
  expect(await ask(group, 0)).toMatchObject({ status: 200 });
  await until(() => group.router.spent?.aborted === true);
  expect(group.router.wantsMore).toBe(false);
  let told: unknown;
  const more = group.gateway.call(callAt(at(1))).catch((failure: unknown) => (told = failure));
  await until(() => group.router.wantsMore);
  expect(told).toBeUndefined();
  expect(group.router.admission(SMALL.id).inFlight).toBe(0);
  group.router.pause();
  group.channel.endAsking();
  await more;
  expect(told).toMatchObject(OVER);
  expect(models.asked).toHaveLength(1);
});

test('a permit granted before the budget was spent sends nothing afterwards', async () => {
  const group = open({ budget: BUDGET });
  await group.gateway.admit(SMALL.id, at(1));
  await ask(group, 0);
  await until(() => group.router.spent?.aborted === true);
  const more = group.gateway.call(callAt(at(1)));
  await until(() => group.router.wantsMore);
  expect(group.router.admission(SMALL.id).inFlight).toBe(0);
  group.router.pause();
  group.channel.endAsking();
  await expect(more).rejects.toMatchObject(OVER);
  expect(models.asked).toHaveLength(1);
});

const WORK = { ...at(0), resource: FUNCTIONS.id, path: 'outcome', body: '{"name":"send"}' } as const;
const done = (body: string): CallOutcome => ({ status: 200, headers: {}, body });

test('the work of a cell runs once and is journaled, and a later run gets its outcome', async () => {
  let times = 0;
  const work = async () => done(`done ${++times}`);
  expect(await open().gateway.journal(WORK, work)).toMatchObject({ body: 'done 1' });
  expect(rowsIn(journal)).toEqual(new Set([0]));
  const group = await openLater();
  expect(await group.gateway.journal(WORK, work)).toMatchObject({ body: 'done 1' });
  expect(times).toBe(1);
  // After the end of the run its outcome is still available, and no other work starts.
  group.channel.endAsking();
  expect(await group.gateway.journal(WORK, work)).toMatchObject({ body: 'done 1' });
  await expect(group.gateway.journal({ ...WORK, call: 1 }, work)).rejects.toMatchObject(OVER);
  expect(times).toBe(1);
});

test('changed work runs again', async () => {
  await open().gateway.journal(WORK, async () => done('old'));
  const group = await openLater();
  expect(await group.gateway.journal({ ...WORK, body: '{"name":"other"}' }, async () => done('new'))).toMatchObject({
    body: 'new',
  });
});

test('tools are listed from the frozen list, without their server', async () => {
  const schema = {
    type: 'function',
    function: { name: 'add', description: '', parameters: { type: 'object' } },
  } as const;
  const group = open({ frozen: { demo: [schema] } });
  expect(await group.gateway.listTools('demo')).toEqual([schema]);
  await expect(group.gateway.listTools('none')).rejects.toMatchObject({ code: 'tool/unavailable' });
});

test('a call to a resource that is not in the plan fails', async () => {
  const { gateway } = open();
  const call = gateway.call({ ...callAt(at(0)), resource: 'model/here/other' });
  await expect(call).rejects.toMatchObject({ code: 'internal/unexpected' });
});

test('closing a channel keeps or removes its journal, and aborts the calls in flight', async () => {
  const first = open();
  await ask(first, 0);
  await first.channel.close({ keepJournal: true });
  expect(rowsIn(journal)).toEqual(new Set([0]));
  const held = hold();
  const group = openGroup({ resources: [SMALL] }, { endpoint: models.endpoint, journal });
  const call = group.gateway.call(callAt(at(1)));
  call.catch(() => {});
  await until(() => held.size === 1);
  const closed = new Promise((resolve) => held.get('row 1')?.once('close', resolve));
  await group.channel.close({ keepJournal: false });
  await closed;
  expect(existsSync(journal)).toBe(false);
  opened = [];
  for (const one of [first, group]) await one.router[Symbol.asyncDispose]();
});
