import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDesigner, DataDesignerConfigBuilder } from 'data-designer';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { CreateOptions, JoinRunOptions } from 'data-designer';
import { type RunningSimulator, startSimulator } from '@data-designer/simulator';
import { startCommand, type StartedCommand } from '../packages/bench/src/chaos/start-command.ts';
import { NO_REDIS, startRedis, type TestRedis } from '../packages/cluster/test/start-redis.ts';

const SECRET = 'sk-the-key-of-the-cluster-test';
const ROWS = 60;
/** Threads take long to start on a busy machine. */
const LIMIT_MS = 180_000;
vi.setConfig({ testTimeout: LIMIT_MS, hookTimeout: LIMIT_MS });
/** How long Redis is away when it is restarted. */
const AWAY_MS = 200;

let folder: string;
let redis: TestRedis;
let simulator: RunningSimulator;
let undisturbed: string;
let machines: Machines;

beforeAll(async () => {
  if (NO_REDIS) return;
  process.env['CLUSTER_TEST_KEY'] = SECRET;
  folder = mkdtempSync(join(tmpdir(), 'cluster-'));
  [redis, simulator] = await Promise.all([startRedis(), startSimulator('--latency', '20')]);
  await using designer = newDesigner();
  await designer.create(declared(), { numRecords: ROWS, datasetName: 'undisturbed' });
  undisturbed = await rowsIn('undisturbed');
});

afterAll(async () => {
  if (NO_REDIS) return;
  await simulator[Symbol.asyncDispose]();
  await redis[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

beforeEach(() => {
  machines = new Machines();
});

// Also after a test that failed in the middle: its machines would take the answers of the next one.
afterEach(() => machines.end());

/** The machines of a test. */
class Machines {
  readonly #stop = new AbortController();
  readonly #designers: DataDesigner[] = [];
  readonly #runs: Promise<unknown>[] = [];
  readonly #commands: StartedCommand[] = [];

  create(datasetName: string, options: CreateOptions = {}) {
    const cluster = { connection: redis.address, leaseSeconds: 3 };
    const wanted = { numRecords: ROWS, datasetName, cluster, signal: this.#stop.signal, ...options };
    return this.#track(this.#designer().create(declared(), wanted));
  }

  join(path: string, options: Partial<JoinRunOptions> = {}) {
    const given = { connection: redis.address, signal: this.#stop.signal, ...options };
    return this.#track(this.#designer().join(path, given));
  }

  command(args: readonly string[]): StartedCommand {
    const started = startCommand(args);
    this.#commands.push(started);
    return started;
  }

  /** Stops all of them and waits until none is left. */
  async end(): Promise<void> {
    this.#stop.abort();
    if (NO_REDIS) return;
    for (const { child, finished } of this.#commands) {
      child.kill('SIGKILL');
      await finished;
    }
    await simulator.release();
    await Promise.allSettled(this.#runs);
    for (const designer of this.#designers) await designer[Symbol.asyncDispose]();
  }

  #designer(): DataDesigner {
    const designer = newDesigner();
    this.#designers.push(designer);
    return designer;
  }

  #track<Run extends Promise<unknown>>(run: Run): Run {
    this.#runs.push(run);
    // Each test says what it expects of a run; one that has failed before that must not end the process.
    run.catch(() => {});
    return run;
  }
}

function newDesigner(): DataDesigner {
  const endpoint = simulator.url;
  const provider = { name: 'own', endpoint, providerType: 'openai', apiKey: 'CLUSTER_TEST_KEY' } as const;
  return new DataDesigner({
    artifactPath: folder,
    providers: { models: [provider], tools: [] },
    runConfig: { seed: 6, bufferSize: 4 },
  });
}

/** Two columns of a model, one made of the other. */
function declared() {
  const model = { alias: 'writer', model: 'sim-small', provider: 'own', skipHealthCheck: true };
  return new DataDesignerConfigBuilder()
    .addModelConfig({ ...model, inferenceParameters: { maxParallelRequests: 8 } })
    .addColumn({ name: 'id', columnType: 'sampler', samplerType: 'uuid', params: {} })
    .addColumn({ name: 'text', columnType: 'llm-text', modelAlias: 'writer', prompt: 'Say {{ id }}.' })
    .addColumn({ name: 'more', columnType: 'llm-text', modelAlias: 'writer', prompt: 'More: {{ text }}' });
}

/** The words of a command that creates a dataset on the cluster. */
function createArgs(name: string): readonly string[] {
  const [config, settings] = [join(folder, 'config.json'), join(folder, 'settings.json')];
  writeFileSync(config, JSON.stringify(document()));
  writeFileSync(settings, JSON.stringify({ buffer_size: 4 }));
  const made = ['create', config, '--providers', providersFile(), '-c', settings, '--seed', '6', '-n', `${ROWS}`];
  return [...made, '-o', folder, '-d', name, '--cluster', redis.address, '--lease', '3s'];
}

function providersFile(): string {
  const path = join(folder, 'providers.json');
  const provider = { name: 'own', endpoint: simulator.url, provider_type: 'openai', api_key: 'CLUSTER_TEST_KEY' };
  writeFileSync(path, JSON.stringify({ providers: [provider] }));
  return path;
}

/** The config as a file. */
function document(): { readonly data_designer: object } {
  return JSON.parse(readFileSync(join(folder, 'undisturbed/builder_config.json'), 'utf8'));
}

async function rowsIn(name: string): Promise<string> {
  const { loadDataset } = await import('data-designer');
  const rows = [];
  for await (const row of (await loadDataset(join(folder, name))).records()) rows.push(row);
  return JSON.stringify(rows);
}

/** The files of a dataset that a run leaves. */
function filesIn(name: string): readonly string[] {
  const entries = readdirSync(join(folder, name), { recursive: true, withFileTypes: true });
  return entries.flatMap((entry) => (entry.isFile() ? entry.name : [])).toSorted();
}

function usageIn(name: string): unknown {
  return JSON.parse(readFileSync(join(folder, name, 'metadata.json'), 'utf8')).usage;
}

/** Resolves once the simulator holds answers back. */
async function untilHeld(answers: number): Promise<void> {
  for (;;) {
    const stats = await simulator.stats();
    if (stats.answers >= answers && stats.inFlight > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function holdAfter(answers: number): Promise<void> {
  await fetch(`${simulator.origin}/stats/reset`, { method: 'POST' });
  await simulator.holdAfter(answers);
}

describe.skipIf(NO_REDIS)(`a cluster${NO_REDIS ? ` (skipped: ${NO_REDIS})` : ''}`, () => {
  test('three machines make the dataset of one; Redis may lose everything, a machine may leave, no key is stored', async () => {
    const seen = new Set<number>();
    await holdAfter(30);
    const created = machines.create('shared', {
      onEvent: (event) => event.type === 'progress' && seen.add(event.snapshot.machines?.length ?? 0),
    });
    const leaving = new AbortController();
    const path = join(folder, 'shared');
    const joined = machines.join(path);
    const left = machines.join(path, { drain: leaving.signal });
    await untilHeld(30);
    await expect.poll(() => Math.max(...seen), { timeout: LIMIT_MS }).toBe(3);
    const stored = await everythingIn(redis);
    expect(stored).toContain('groups');
    expect(stored).not.toContain(SECRET);
    expect(everyFileIn(path)).not.toContain(SECRET);
    await redis.client.flushall();
    leaving.abort();
    await simulator.release();
    expect(await left).toMatchObject({ isOver: false });
    expect((await created).count).toBe(ROWS);
    expect(await joined).toMatchObject({ isOver: true, path });
    expect(await rowsIn('shared')).toBe(undisturbed);
    expect(filesIn('shared')).toEqual(filesIn('undisturbed'));
    expect(usageIn('shared')).toEqual(usageIn('undisturbed'));
    expect(await machines.join(path)).toMatchObject({ isOver: true, rows: 0 });
  });

  test('another machine goes on with the run of a coordinator that was killed, over an empty Redis', async () => {
    const path = join(folder, 'killed');
    await holdAfter(30);
    const run = machines.command(createArgs('killed'));
    await untilHeld(30);
    run.child.kill('SIGKILL');
    await run.finished;
    // What a process leaves that is killed while it writes.
    writeFileSync(join(path, 'metadata.json.tmp-1-0-1'), '{');
    const [id = ''] = readdirSync(join(path, 'cluster'));
    const left = {
      lock: readFileSync(join(path, '.lock')),
      start: readFileSync(join(path, 'cluster', id, 'start.json')),
    };
    await redis.restart(AWAY_MS);
    await simulator.release();
    const events: string[] = [];
    const onEvent = ({ type }: { readonly type: string }) => void events.push(type);
    expect(await machines.join(path, { onEvent })).toMatchObject({ isOver: true });
    expect(events).toContain('join-lead');
    expect(await rowsIn('killed')).toBe(undisturbed);
    expect(filesIn('killed')).toEqual(filesIn('undisturbed'));
    // Killed while it completes the dataset: all rows are made, and the logs are merged.
    const completed = readFileSync(join(path, 'metadata.json'), 'utf8');
    for (const goOn of [() => machines.join(path), () => machines.create('killed', { resume: 'always' })]) {
      rmSync(join(path, 'metadata.json'));
      mkdirSync(join(path, 'cluster', id, 'machines'), { recursive: true });
      writeFileSync(join(path, 'cluster', id, 'finishing.json'), left.start);
      writeFileSync(join(path, '.lock'), left.lock);
      // It still tells that the run is over.
      await redis.client.flushall();
      await goOn();
      expect(readFileSync(join(path, 'metadata.json'), 'utf8')).toBe(completed);
      expect(filesIn('killed')).toEqual(filesIn('undisturbed'));
    }
  });

  test('a coordinator that leaves hands the run over; alone it ends the run', async () => {
    const leaving = new AbortController();
    const seen = new Set<number>();
    await holdAfter(30);
    const created = machines.create('left', {
      cluster: { connection: redis.address, leaseSeconds: 3, leave: leaving.signal },
      onEvent: (event) => event.type === 'progress' && seen.add(event.snapshot.machines?.length ?? 0),
    });
    const path = join(folder, 'left');
    const alone = new AbortController();
    const events: string[] = [];
    const joined = machines.join(path, { drain: alone.signal, onEvent: ({ type }) => void events.push(type) });
    await untilHeld(30);
    await expect.poll(() => Math.max(...seen), { timeout: LIMIT_MS }).toBe(2);
    leaving.abort();
    await expect.poll(() => events, { timeout: LIMIT_MS }).toContain('progress');
    alone.abort();
    await simulator.release();
    await expect(created).rejects.toMatchObject({ code: 'cluster/handed-over', data: { path } });
    expect(await joined).toMatchObject({ isOver: true });
    expect(filesIn('left')).not.toContain('start.json');
    const { count } = await machines.create('left', { resume: 'always' });
    expect(count).toBe(ROWS);
    expect(await rowsIn('left')).toBe(undisturbed);
  });

  test('the row groups of a machine that was killed go to others, and the progress shows it as lost', async () => {
    const path = join(folder, 'lost');
    const seen = new Map<number, boolean>();
    await holdAfter(30);
    const created = machines.create('lost', {
      cluster: { connection: redis.address, leaseSeconds: 3, work: false },
      onEvent: (event) => {
        if (event.type !== 'progress') return;
        for (const { pid, isLost } of event.snapshot.machines ?? []) seen.set(pid, isLost);
      },
    });
    const { child } = machines.command(['join', path, '--cluster', redis.address, '--providers', providersFile()]);
    await untilHeld(30);
    child.kill('SIGKILL');
    await expect.poll(() => seen.get(child.pid ?? 0), { timeout: LIMIT_MS }).toBe(true);
    await simulator.release();
    expect(await machines.join(path)).toMatchObject({ isOver: true });
    expect((await created).count).toBe(ROWS);
    expect(await rowsIn('lost')).toBe(undisturbed);
  });

  test('a drain of the coordinator ends the run on all machines, and a resume makes the other rows', async () => {
    const drain = new AbortController();
    await holdAfter(30);
    const created = machines.create('drained', { drain: drain.signal });
    const joined = machines.join(join(folder, 'drained'));
    await untilHeld(30);
    drain.abort(new Error('by a test'));
    await simulator.release();
    await expect(created).rejects.toMatchObject({ code: 'run/aborted' });
    expect(await joined).toMatchObject({ isOver: true });
    expect(filesIn('drained')).not.toContain('start.json');
    const { count } = await machines.create('drained', { resume: 'always' });
    expect(count).toBe(ROWS);
    expect(await rowsIn('drained')).toBe(undisturbed);
  });

  test('a machine that cannot take part is refused before it requests anything', async () => {
    await using designer = newDesigner();
    const code = (connection: string, datasetName = 'refused') =>
      designer.create(declared(), { numRecords: 4, datasetName, cluster: { connection } }).then(
        () => 'none',
        (failure: { readonly code: string }) => failure.code,
      );
    await fetch(`${simulator.origin}/stats/reset`, { method: 'POST' });
    expect(await code('queue:6379')).toBe('cluster/invalid-connection');
    expect(await code('redis://127.0.0.1:1')).toBe('cluster/unreachable');
    await redis.client.config('SET', 'maxmemory-policy', 'allkeys-lru');
    expect(await code(redis.address)).toBe('cluster/evicting');
    await redis.client.config('SET', 'maxmemory-policy', 'noeviction');
    expect((await simulator.stats()).requests).toBe(0);
  });

  test('a copy of the folder, another version and other functions are refused', async () => {
    const drain = new AbortController();
    await holdAfter(10);
    const created = machines.create('whole', { drain: drain.signal });
    await untilHeld(10);
    await expect(machines.join(copy('copy'))).rejects.toMatchObject({ code: 'cluster/not-shared' });
    const changed = copy('changed');
    const [run = ''] = readdirSync(join(changed, 'cluster'));
    const start = join(changed, 'cluster', run, 'start.json');
    const record = JSON.parse(readFileSync(start, 'utf8'));
    const refused = async (difference: object) => {
      writeFileSync(start, JSON.stringify({ ...record, ...difference }));
      return machines.join(changed).catch(({ code, message }: Error & { code: string }) => [code, message]);
    };
    expect(await refused({ version: '0.0.1' })).toEqual([
      'cluster/differs',
      expect.stringContaining('version of data-designer'),
    ]);
    expect(await refused({ functions: ['columns.score'] })).toEqual([
      'cluster/missing-functions',
      expect.stringContaining('columns.score'),
    ]);
    expect(await refused({ plan: 'other' })).toEqual(['cluster/differs', expect.stringContaining('run.json')]);
    drain.abort(new Error('by a test'));
    await simulator.release();
    await expect(created).rejects.toMatchObject({ code: 'run/aborted' });
  });
});

/** Copies the dataset `whole`, as a machine has it whose folder is not shared. */
function copy(name: string): string {
  cpSync(join(folder, 'whole'), join(folder, name), { recursive: true });
  return join(folder, name);
}

/** All keys and values of Redis as text. */
async function everythingIn({ client }: TestRedis): Promise<string> {
  const keys = await client.keys('*');
  // A key may expire between the two commands.
  const values = await Promise.all(keys.map((key) => client.dumpBuffer(key)));
  return [...keys, ...values.map((value) => value?.toString('latin1'))].join('\n');
}

function everyFileIn(path: string): string {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1')).join('\n');
}
