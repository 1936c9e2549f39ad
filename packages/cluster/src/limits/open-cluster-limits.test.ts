import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { until } from '@data-designer/testing/until';
import { CallingMachine, type CallingOptions, KEY, modelWith } from '../../test/calling-machine.ts';
import { type CountingServer, startCountingServer } from '../../test/counting-server.ts';
import { NO_REDIS, startRedis, type TestRedis } from '../../test/start-redis.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 20_000 });

let redis: TestRedis;
let client: TestRedis['client'];
let server: CountingServer;
let machines: CallingMachine[];

beforeAll(async () => {
  if (NO_REDIS) return;
  redis = await startRedis();
  ({ client } = redis);
});
afterAll(async () => {
  await redis?.[Symbol.asyncDispose]();
  vi.resetConfig();
});
beforeEach(async () => {
  server = await startCountingServer();
  machines = [];
});
afterEach(async () => {
  for (const machine of machines) await machine[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  await client?.flushall();
});

type Options = Pick<CallingOptions, 'resource'> & Partial<CallingOptions>;

async function start(options: Options): Promise<CallingMachine> {
  const machine = `m-${machines.length}`;
  const started = await CallingMachine.start({ redis: redis.address, machine, endpoint: server.endpoint, ...options });
  machines.push(started);
  return started;
}

const STATE = '{dd-a-run}:limits';

interface StoredState {
  readonly base: number;
  readonly spent: Readonly<Record<string, number>>;
  readonly limits: Readonly<Record<string, { readonly limit: number }>>;
  readonly machines: Readonly<Record<string, { goodUntil: number }>>;
}

async function storedState(): Promise<StoredState | undefined> {
  const text = await client.get(STATE);
  return text === null ? undefined : (JSON.parse(text) as StoredState);
}

/** Waits until Redis knows what all answers of the second machine have cost: each costs 100 micro-units. */
async function untilReported({ answered }: CallingMachine): Promise<void> {
  while ((await storedState())?.spent['m-1'] !== answered * 100) await sleep(5);
}

/** Ends the calls of the second machine, and waits until Redis knows what they have cost. */
async function endCalls(machine: CallingMachine): Promise<void> {
  machine.router.pause();
  await until(() => machine.inFlight === 0);
  await untilReported(machine);
}

/** Ends the time of the second machine: the server's clock decides, and here its 6 s are over. */
async function expire(): Promise<void> {
  const state = await storedState();
  const entry = state?.machines['m-1'];
  if (entry) entry.goodUntil -= 10_000;
  await client.set(STATE, JSON.stringify(state));
}

const inFlight = (): number => machines.reduce((sum, machine) => sum + machine.inFlight, 0);

test.skipIf(NO_REDIS)(
  'machines never have more requests in flight than the limit, and use all of it',
  { tags: 'long' },
  async () => {
    const resource = modelWith(40);
    await start({ resource });
    await until(() => server.inFlight === 40);
    await start({ resource });
    await start({ resource });
    await until(() => machines.every((machine) => machine.inFlight >= 13));
    expect(inFlight()).toBeLessThanOrEqual(40);
    // A machine without work returns its permits to the others.
    const [first, ...others] = machines;
    await first?.[Symbol.asyncDispose]();
    machines = others;
    await until(() => inFlight() === 40);
    expect(server.most).toBe(40);
    expect(machines.every((machine) => machine.inFlight === 20)).toBe(true);
  },
);

test.skipIf(NO_REDIS)('only machines that have or want permits are notified of those that move', async () => {
  const resource = modelWith(40);
  await start({ resource });
  await start({ resource });
  await start({ resource, calls: 0 });
  await until(() => machines.slice(0, 2).every((machine) => machine.inFlight === 20));
  const notified: string[] = [];
  const subscriber = client.duplicate();
  subscriber.on('message', (_: string, message: string) => notified.push(message));
  await subscriber.subscribe(STATE);
  const [first, ...others] = machines;
  await first?.[Symbol.asyncDispose]();
  machines = others;
  await until(() => inFlight() === 40);
  const fourth = await start({ resource, machine: 'm-3' });
  await until(() => fourth.inFlight === 20);
  await subscriber.quit();
  expect(notified).toEqual(expect.arrayContaining(['exchange:m-0:m-1', 'exchange:m-3:m-1']));
  expect(notified.filter((message) => message.endsWith('*') || /:.*:.*m-2/.test(message))).toEqual([]);
});

test.skipIf(NO_REDIS)(
  'after refusals every machine is below the new limit, and the machines find what the endpoint serves',
  { tags: 'long' },
  async () => {
    const resource = modelWith(200);
    await start({ resource });
    await start({ resource });
    await until(() => inFlight() === 200);
    server.capacity = 24;
    await until(() => inFlight() <= 26);
    const { answered } = server;
    await until(() => server.answered > answered + 500);
    expect(inFlight()).toBeLessThanOrEqual(32);
    // The 176 requests that were too many, and few more until each machine knew.
    expect(server.refused).toBeLessThan(500);
  },
);

test.skipIf(NO_REDIS)('a Retry-After of one machine stops all of them', async () => {
  const resource = modelWith(16);
  await start({ resource });
  await start({ resource });
  await until(() => inFlight() === 16);
  server.capacity = 0;
  server.retryAfter = 19;
  await until(() => machines.every(({ router }) => router.admission(resource.id).stoppedMs > 10_000));
  await until(() => inFlight() === 0);
  const { length } = server.arrivals;
  await client.ping();
  expect(server.arrivals.length).toBe(length);
});

test.skipIf(NO_REDIS)('machines share the requests and tokens of a minute', { tags: 'long' }, async () => {
  const resource = modelWith(100, { requestsPerMinute: 6000 });
  await start({ resource });
  await start({ resource });
  await until(() => machines.every(({ answered }) => answered >= 50));
  const span = (server.arrivals.at(-1) ?? 0) - (server.arrivals[0] ?? 0);
  // 100 requests in a second, and a burst of 25 on each machine.
  expect(server.arrivals.length).toBeLessThanOrEqual(span / 10 + 2 * 25 + 5);
});

test.skipIf(NO_REDIS)(
  'a budget ends all machines when it is spent, and exceeds it by no more than what was in flight',
  { tags: 'long' },
  async () => {
    const resource = modelWith(10);
    // An answer costs 100 micro-units: 300 answers, of which an earlier run has paid 100.
    const options = { resource, maxCost: 0.03, spentBefore: 0.01 };
    await start(options);
    await start(options);
    await until(() => machines.every(({ router }) => router.spent?.aborted));
    await until(() => inFlight() === 0);
    expect(server.answered).toBeGreaterThanOrEqual(200);
    expect(server.answered).toBeLessThanOrEqual(210);
  },
);

test.skipIf(NO_REDIS)(
  'after a loss of all data machines keep their shares, and what they spent is entered again',
  { tags: 'long' },
  async () => {
    const resource = modelWith(20);
    const options = { resource, maxCost: 10, spentBefore: 1 };
    await start(options);
    await start(options);
    await until(() => inFlight() === 20);
    await until(() => server.answered > 200);
    server.most = 0;
    await client.flushall();
    while (!((await storedState())?.spent['m-1'] ?? 0)) await sleep(5);
    const { answered } = server;
    await until(() => server.answered > answered + 300);
    expect(server.most).toBe(20);
    const state = await storedState();
    expect(state?.base).toBe(1_000_000);
    expect(state?.limits[resource.id]?.limit).toBe(20);
  },
);

test.skipIf(NO_REDIS).each(['kept', 'lost'])(
  'what a run has cost that is over counts once in the budget of the next one: data %s',
  { tags: 'long' },
  async (data) => {
    const resource = modelWith(10);
    // An answer costs 100 micro-units: 300 answers for both runs.
    const options = { resource, maxCost: 0.03 };
    const first = await start({ ...options, account: 'first' });
    await until(() => first.answered >= 100);
    first.router.pause();
    await until(() => first.inFlight === 0);
    await first[Symbol.asyncDispose]();
    const { answered } = server;
    if (data === 'lost') await client.flushall();
    const second = await start({ ...options, account: 'second', made: { first: answered / 10_000 } });
    await until(() => second.router.spent?.aborted === true);
    await until(() => second.inFlight === 0);
    expect(server.answered).toBeGreaterThanOrEqual(300);
    expect(server.answered).toBeLessThanOrEqual(310);
  },
);

test.skipIf(NO_REDIS)(
  'after a loss of all data the budget counts a machine that vanished right before',
  { tags: 'long' },
  async () => {
    const resource = modelWith(10);
    // An answer costs 100 micro-units: 4000 answers.
    const options = { resource, maxCost: 0.4 };
    const first = await start(options);
    const vanished = await start(options);
    await until(() => vanished.answered >= 200);
    await endCalls(vanished);
    const { exchanges } = first;
    await until(() => first.exchanges > exchanges + 1);
    vanished.link.client.disconnect();
    await client.flushall();
    await until(() => first.router.spent?.aborted === true);
    await until(() => first.inFlight === 0);
    expect(server.answered).toBeGreaterThanOrEqual(4000);
    expect(server.answered).toBeLessThanOrEqual(4010);
  },
);

test.skipIf(NO_REDIS)(
  'a machine that was silent counts once, although the others reported its cost after a loss of all data',
  { tags: 'long' },
  async () => {
    const options = { resource: modelWith(10), maxCost: 0.16 };
    const first = await start(options);
    const silent = await start(options);
    await until(() => silent.answered >= 200);
    await endCalls(silent);
    silent.link.client.disconnect();
    await expire();
    const { exchanges } = first;
    await until(() => first.exchanges > exchanges + 2);
    await client.flushall();
    while (!(await storedState())?.spent['m-0']) await sleep(5);
    await silent.link.client.connect();
    silent.router.exchangeNow();
    await untilReported(silent);
    await until(() => first.router.spent?.aborted === true);
    await until(() => first.inFlight === 0);
    expect(server.answered).toBeGreaterThanOrEqual(1600);
    expect(server.answered).toBeLessThanOrEqual(1610);
  },
);

test.skipIf(NO_REDIS)(
  'permits of a machine that vanished go to the others, and no key is in Redis',
  { tags: 'long' },
  async () => {
    const resource = modelWith(20);
    await start({ resource });
    const vanished = await start({ resource });
    await until(() => machines.every((machine) => machine.inFlight === 10));
    machines.pop();
    vanished.router.pause();
    await until(() => vanished.inFlight === 0);
    vanished.link.client.disconnect();
    const dump = JSON.stringify(await storedState());
    expect(dump).toContain('m-1');
    expect(dump).not.toContain(KEY);
    await expire();
    await until(() => inFlight() === 20);
    await vanished[Symbol.asyncDispose]();
  },
);
