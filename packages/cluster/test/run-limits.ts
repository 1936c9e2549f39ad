import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { KEY, modelWith, spawnMachine } from './calling-machine.ts';
import { type CountingServer, startCountingServer } from './counting-server.ts';
import { startRedis, type TestRedis } from './start-redis.ts';

// `npm run chaos -- limits`: three processes call one model; then its capacity falls, one process is frozen, and Redis is lost.

const LIMIT = 60;
const MACHINES = 3;
/** How long the shares of a machine are good. */
const SHARES_MS = 6000;
const MARGIN_MS = 1000;
const FALLEN = 18;
const RESOURCE = modelWith(LIMIT);

interface StoredState {
  readonly limits: Readonly<Record<string, { readonly limit: number }>>;
  readonly machines: Readonly<Record<string, { readonly uses: Readonly<Record<string, StoredUse>> }>>;
}

interface StoredUse {
  readonly permits: { readonly held: number };
}

interface Parts {
  readonly redis: TestRedis;
  readonly client: Redis;
  readonly server: CountingServer;
  readonly machines: readonly ChildProcess[];
}

const faults: string[] = [];

function check(holds: boolean, fault: string): void {
  if (!holds) faults.push(fault);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Permits that all machines hold, and the limit, as Redis has them. */
async function heldNow(client: Redis): Promise<{ readonly held: number; readonly limit: number }> {
  const { limits, machines } = JSON.parse((await client.get('{dd-a-run}:limits')) ?? '{}') as StoredState;
  const held = Object.values(machines).reduce((sum, { uses }) => sum + (uses[RESOURCE.id]?.permits.held ?? 0), 0);
  return { held, limit: limits[RESOURCE.id]?.limit ?? LIMIT };
}

async function undisturbed({ server, client }: Parts): Promise<void> {
  const { length } = server.arrivals;
  await client.config('RESETSTAT');
  await sleep(10_000);
  const requests = server.arrivals.length - length;
  const stats = await client.info('commandstats');
  const calls = Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0);
  const per100 = ((100 * calls) / requests).toFixed(2);
  say(`without faults: at most ${server.most} of ${LIMIT} in flight; ${per100} exchanges for 100 requests`);
  check(server.most === LIMIT, `without faults at most ${server.most} requests were in flight, not ${LIMIT}`);
}

async function fallen({ server, client }: Parts): Promise<void> {
  server.capacity = FALLEN;
  const fellAt = performance.now();
  let tookMs = Infinity;
  while (performance.now() - fellAt < 5000) {
    const { held, limit } = await heldNow(client);
    if (limit <= FALLEN + 2 && held <= limit) tookMs = Math.min(tookMs, performance.now() - fellAt);
    await sleep(20);
  }
  say(`capacity ${LIMIT} -> ${FALLEN}: all machines below the new limit after ${Math.round(tookMs)} ms`);
  check(tookMs < 2000, `after refusals the machines needed ${Math.round(tookMs)} ms`);
}

async function frozen({ server, machines, client }: Parts): Promise<void> {
  const [victim] = machines;
  const { limit } = await heldNow(client);
  server.most = 0;
  victim?.kill('SIGSTOP');
  await sleep(SHARES_MS + 3000);
  const { most } = server;
  victim?.kill('SIGCONT');
  await sleep(3000);
  const bound = LIMIT + Math.ceil(limit / MACHINES);
  say(`one machine frozen: at most ${most} in flight before it went on, ${server.most} after (limit ${LIMIT})`);
  check(server.most <= bound, `with a frozen machine ${server.most} requests were in flight, more than ${bound}`);
}

async function lost({ redis, server }: Parts): Promise<void> {
  server.most = 0;
  redis.process.kill('SIGKILL');
  await sleep(SHARES_MS + MARGIN_MS);
  const { length } = server.arrivals;
  await sleep(1000);
  const after = server.arrivals.length - length;
  await redis.restart();
  const startedAt = performance.now();
  await sleep(10_000);
  const [first = Infinity] = server.arrivals.slice(length + after);
  const againMs = Math.round(first - startedAt);
  say(
    `Redis lost: ${after} requests after ${SHARES_MS + MARGIN_MS} ms, the next ${againMs} ms after its restart, at most ${server.most}`,
  );
  check(after === 0, `${after} requests were sent more than ${SHARES_MS} ms after the loss of Redis`);
  check(againMs < 10_000, 'no machine went on after the restart of Redis');
  check(server.most <= LIMIT, `around the loss of Redis ${server.most} requests were in flight`);
}

async function withoutKeys({ client }: Parts): Promise<void> {
  for (const key of await client.keys('*')) {
    check(!(await client.dump(key)).includes(KEY), `the value of '${key}' holds a key of a provider`);
  }
}

await using redis = await startRedis();
await using server = await startCountingServer(Infinity, 100);
const { client } = redis;
const machines: ChildProcess[] = [];
for (let machine = 0; machine < MACHINES; machine++) {
  const options = { redis: redis.address, machine: `m-${machine}`, endpoint: server.endpoint, resource: RESOURCE };
  machines.push(await spawnMachine({ ...options, calls: 100 }));
}
await sleep(3000);
const parts = { redis, client, server, machines };
for (const phase of [undisturbed, frozen, lost, fallen, withoutKeys]) await phase(parts);
for (const machine of machines) machine.kill('SIGTERM');
await Promise.all(machines.map((machine) => once(machine, 'exit')));
for (const fault of faults) say(`FAULT: ${fault}`);
if (faults.length > 0) process.exitCode = 1;
