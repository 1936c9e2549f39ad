import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { modelWith, spawnMachine } from './calling-machine.ts';
import { startCountingServer } from './counting-server.ts';
import { startRedis } from './start-redis.ts';

// The program of `npm run bench -- permits`: how much of a shared limit the processes of a cluster use, and how many commands that
// takes. Prints its rows as JSON; `PERMITS_SECONDS` (60) is the time of each.

const LIMIT = 512;
const LATENCY_MS = 1000;
const SECONDS = Number(process.env.PERMITS_SECONDS ?? 60);

/** Counts from the first answers to requests of the last process on. */
async function shared(processes: number): Promise<object> {
  await using redis = await startRedis();
  await using server = await startCountingServer(Infinity, LATENCY_MS);
  const { client } = redis;
  const options = { redis: redis.address, endpoint: server.endpoint, resource: modelWith(LIMIT), calls: 2 * LIMIT };
  const names = Array.from({ length: processes }, (_, index) => `machine-${index}`);
  const machines = await Promise.all(names.map((machine) => spawnMachine({ ...options, machine })));
  await sleep(LATENCY_MS);
  await client.config('RESETSTAT');
  const { answered } = server;
  const begunAt = performance.now();
  await sleep(SECONDS * 1000);
  const tookMs = performance.now() - begunAt;
  const answers = server.answered - answered;
  if (answers === 0) throw new Error(`no answers in ${SECONDS} s: PERMITS_SECONDS must be larger`);
  const exchanges = /cmdstat_evalsha:calls=(\d+),usec=(\d+)/.exec(await client.info('commandstats'));
  for (const machine of machines) machine.kill('SIGTERM');
  await Promise.all(machines.map((machine) => once(machine, 'exit')));
  const ideal = (LIMIT * tookMs) / LATENCY_MS;
  const figures = {
    'x of the ideal time': ideal / answers,
    'in flight at most': server.most,
    'exchanges for 100 requests': (100 * Number(exchanges?.[1] ?? 0)) / answers,
    '% of the time of Redis': Number(exchanges?.[2] ?? 0) / 10 / tookMs,
  };
  return { what: `${processes} processes, ${LIMIT} permits, ${LATENCY_MS} ms`, figures };
}

const rows: object[] = [];
for (const processes of [1, 2, 4, 8]) rows.push(await shared(processes));
process.stdout.write(JSON.stringify(rows));
