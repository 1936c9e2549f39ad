import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSimulator } from '@data-designer/simulator';
import type { Redis } from 'ioredis';
import { startCommand } from '../../bench/src/chaos/start-command.ts';
import { textDeclaration } from '../../bench/src/open-bench.ts';
import { GroupQueue } from '../src/redis/group-queue.ts';
import { openRedis } from '../src/redis/open-redis.ts';
import { startRedis, type TestRedis } from './start-redis.ts';

// The program of `npm run bench -- cluster`: how near 1, 2, 4 and 8 processes come to the ideal time, what a cluster of one process
// costs, how many commands Redis runs, and how much memory its queue needs. Prints its rows as JSON. `CLUSTER_SECONDS` (60) is the
// ideal time of a run, `CLUSTER_PAIRS` (7) the number of pairs, `CLUSTER_PAIR_SECONDS` (12) the ideal time of their runs,
// `CLUSTER_PROCESSES` (1,2,4,8) the processes, and `CLUSTER_GROUPS` (10000) the groups of the queue that is weighed.

const { CLUSTER_SECONDS = '60', CLUSTER_PAIRS = '7', CLUSTER_PAIR_SECONDS = '12' } = process.env;
const { CLUSTER_PROCESSES = '1,2,4,8', CLUSTER_GROUPS = '10000' } = process.env;
const CAP = 512;
const LATENCY_MS = 1000;
/** How long each further process may take to its first request, in a run that is long enough for all of them. */
const JOIN_SECONDS = 1.5;

/** A request as the simulator logged it. */
interface Request {
  readonly sender: string;
  readonly status: number | string;
  readonly arrivedAt: number;
  readonly tookMs: number;
}

/** A finished run. */
interface Measured {
  readonly requests: readonly Request[];
  /** Commands that machines have sent, and those that scripts ran. */
  readonly sent: readonly Command[];
  readonly inScripts: readonly Command[];
}

interface Command {
  readonly name: string;
  /** In milliseconds since 1970. */
  readonly at: number;
}

/** Makes a dataset on so many processes; on one without Redis if there is none. */
async function make(processes: number, seconds: number, redis?: TestRedis): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-cluster-'));
  const log = join(folder, 'requests.jsonl');
  try {
    await using simulator = await startSimulator('--latency', String(LATENCY_MS), '--log', log);
    using commands = redis ? await countCommands(redis.client) : undefined;
    const config = join(folder, 'config.json');
    const rows = Math.ceil((CAP * seconds * 1000) / LATENCY_MS);
    writeFileSync(config, JSON.stringify(textDeclaration({ rows, columns: 1, inFlight: CAP })));
    const cluster = redis ? ['--cluster', redis.address] : [];
    const machines = Array.from({ length: processes }, (_, machine) => {
      const providers = join(folder, `providers-${machine}.json`);
      const provider = {
        name: 'bench',
        endpoint: simulator.url,
        extra_headers: { 'user-agent': `machine-${machine}` },
      };
      writeFileSync(providers, JSON.stringify({ providers: [provider] }));
      const create = ['create', config, '-n', String(rows), '-o', folder, '-d', 'made'];
      const args = machine === 0 ? create : ['join', join(folder, 'made')];
      return startCommand([...args, '--providers', providers, ...cluster]);
    });
    for (const machine of machines) {
      const { code, stderr } = await machine.finished;
      if (code !== 0) throw new Error(`a machine ended with ${code}: ${stderr.slice(-1000)}`);
    }
    return { requests: readLog(log), sent: commands?.sent ?? [], inScripts: commands?.inScripts ?? [] };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function readLog(path: string): readonly Request[] {
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  return lines.map((line): Request => JSON.parse(line)).filter(({ status }) => status === 200);
}

/** Counts all commands from now on. */
async function countCommands(client: Redis) {
  const monitor = await client.monitor();
  const [sent, inScripts]: Command[][] = [[], []];
  monitor.on('monitor', (seconds: string, [name = '']: readonly string[], source: string) => {
    const commands = source === 'lua' ? inScripts : sent;
    commands?.push({ name: name.toLowerCase(), at: Number(seconds) * 1000 });
  });
  return { sent, inScripts, [Symbol.dispose]: () => monitor.disconnect() };
}

/** The time from the first request of the last machine to the last answer, over the least time for what was requested. */
function spanOf(requests: readonly Request[], processes: number) {
  const first = new Map<string, number>();
  for (const { sender, arrivedAt } of requests) first.set(sender, Math.min(first.get(sender) ?? Infinity, arrivedAt));
  if (first.size < processes) throw new Error(`only ${first.size} of ${processes} machines sent requests`);
  const from = Math.max(...first.values());
  const until = requests.reduce((last, { arrivedAt, tookMs }) => Math.max(last, arrivedAt + tookMs), 0);
  // Requests that were in flight at the beginning count with what was left of them.
  const work = requests.reduce(
    (sum, { arrivedAt }) => sum + Math.max(0, Math.min(LATENCY_MS, arrivedAt + LATENCY_MS - from)),
    0,
  );
  return { from, spanMs: until - from, idealMs: work / CAP };
}

async function spread(processes: number): Promise<object> {
  await using redis = await startRedis();
  const seconds = Number(CLUSTER_SECONDS) + JOIN_SECONDS * (processes - 1);
  const { requests, sent, inScripts } = await make(processes, seconds, redis);
  const { from, spanMs, idealMs } = spanOf(requests, processes);
  const per100 = (count: number): number => (100 * count) / requests.length;
  const often = [...Map.groupBy(sent, ({ name }) => name)].toSorted(([, a], [, b]) => b.length - a.length).slice(0, 6);
  const joined = requests.filter(({ arrivedAt }) => arrivedAt >= from);
  const sentSince = sent.filter(({ at }) => at >= from);
  return {
    what: `${processes} processes, ${CAP} permits, ${LATENCY_MS} ms`,
    figures: {
      'x of the ideal time': spanMs / idealMs,
      's ideal': idealMs / 1000,
      'commands for 100 requests': per100(sent.length),
      'since the last machine joined': (100 * sentSince.length) / joined.length,
      'more in scripts': per100(inScripts.length),
      ...Object.fromEntries(often.map(([name, commands]) => [name, per100(commands.length)])),
    },
  };
}

/** One process with and without Redis, by turns. */
async function pairs(): Promise<object> {
  const ratios: number[] = [];
  for (let pair = 0; pair < Number(CLUSTER_PAIRS); pair++) {
    const [first, second] = pair % 2 === 0 ? [alone, shared] : [shared, alone];
    const [one, other] = [await first(), await second()];
    ratios.push(pair % 2 === 0 ? other / one : one / other);
  }
  const percents = ratios.map((ratio) => 100 * (ratio - 1)).toSorted((a, b) => a - b);
  return {
    what: `one process through Redis, ${ratios.length} pairs of ${CLUSTER_PAIR_SECONDS} s`,
    figures: {
      '% longer than without': percents[Math.floor(percents.length / 2)],
      '% at least': percents[0],
      '% at most': percents.at(-1),
    },
  };
}

async function alone(): Promise<number> {
  return spanOf((await make(1, Number(CLUSTER_PAIR_SECONDS))).requests, 1).spanMs;
}

async function shared(): Promise<number> {
  await using redis = await startRedis();
  return spanOf((await make(1, Number(CLUSTER_PAIR_SECONDS), redis)).requests, 1).spanMs;
}

async function memory(): Promise<object> {
  await using redis = await startRedis();
  await using link = await openRedis(redis.address, 'a-run');
  await using queue = await GroupQueue.open(link);
  const groups = Number(CLUSTER_GROUPS);
  // The scripts of the queue are loaded.
  await queue.add([0]);
  const before = await usedMemory(redis.client);
  await queue.add(Array.from({ length: groups }, (_, group) => group + 1));
  const bytes = ((await usedMemory(redis.client)) - before) / groups;
  return { what: `${groups} waiting row groups`, figures: { 'bytes of Redis each': bytes } };
}

async function usedMemory(client: Redis): Promise<number> {
  return Number(/^used_memory:(\d+)/m.exec(await client.info('memory'))?.[1]);
}

const rows: object[] = [await memory()];
for (const processes of CLUSTER_PROCESSES.split(',').map(Number)) rows.push(await spread(processes));
if (Number(CLUSTER_PAIRS) > 0) rows.push(await pairs());
process.stdout.write(JSON.stringify(rows));
