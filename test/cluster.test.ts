import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { constants } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { startSimulator } from '@data-designer/simulator';
import { DataDesignerConfigBuilder, type JoinRunOptions } from 'data-designer';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { filesIn, holdAfter, rowsIn, untilHeld } from '../packages/cluster/test/made-datasets.ts';
import { NO_REDIS, startRedis, type TestRedis } from '../packages/cluster/test/start-redis.ts';
import { completion, openAnsweringServer, reply } from '@data-designer/testing/answering-server';
import {
  GROUP,
  LIMIT_MS,
  type MachineCode,
  SECRET,
  type SharedOptions,
  TestCluster,
  TestMachines,
  WAIT_MS,
} from '../packages/cluster/test/test-cluster.ts';

const ROWS = 60;
/** The parallel requests of the model. */
const PERMITS = 8;
vi.setConfig({ testTimeout: LIMIT_MS, hookTimeout: LIMIT_MS });
/** How long Redis is away when it is restarted. */
const AWAY_MS = 200;

let cluster: TestCluster;
let undisturbed: string;
let machines: TestMachines;

beforeAll(async () => {
  if (NO_REDIS) return;
  cluster = await TestCluster.start({ latency: 20 });
  await using designer = cluster.newDesigner();
  await designer.create(declared(), { numRecords: ROWS, datasetName: 'undisturbed' });
  undisturbed = await rowsIn(pathOf('undisturbed'));
});

afterAll(() => cluster?.[Symbol.asyncDispose]());

beforeEach(() => {
  if (!NO_REDIS) machines = new TestMachines(cluster);
});

// Also after a test that failed in the middle: its machines would take the answers of the next one.
afterEach(() => machines?.end());

/** Two columns of a model, one made of the other. */
function declared() {
  const model = { alias: 'writer', model: 'sim-small', provider: 'own', skipHealthCheck: true };
  return new DataDesignerConfigBuilder()
    .addModelConfig({ ...model, inferenceParameters: { maxParallelRequests: PERMITS } })
    .addColumn({ name: 'id', columnType: 'sampler', samplerType: 'uuid', params: {} })
    .addColumn({ name: 'text', columnType: 'llm-text', modelAlias: 'writer', prompt: 'Say {{ id }}.' })
    .addColumn({ name: 'more', columnType: 'llm-text', modelAlias: 'writer', prompt: 'More: {{ text }}' });
}

/** The same with a side table that keeps types. */
function shapedBy(v: string) {
  const template = { v, whole: { id: '{{ id }}', texts: ['{{ text }}', '{{ more }}'] } };
  return declared().addProcessor({ name: 'shape', processorType: 'schema_transform', keepTypes: true, template });
}

/** Creates a dataset of that config on the cluster. */
function create(datasetName: string, options: SharedOptions = {}) {
  return machines.create(declared(), { numRecords: ROWS, datasetName, ...options });
}

/** How often machines have told each other something since the statistics of Redis began. */
async function callsOf({ client }: TestRedis): Promise<number> {
  return Number(/^cmdstat_evalsha:calls=(\d+)/m.exec(await client.info('commandstats'))?.[1]);
}

/** The words of a command that does so. */
function createArgs(name: string): readonly string[] {
  const config = JSON.parse(readFileSync(pathOf('undisturbed', 'builder_config.json'), 'utf8'));
  return cluster.createArgs(name, { config, rows: ROWS });
}

/** A machine whose tools are those of a program of Node. */
function withTools(...args: string[]): MachineCode {
  return { tools: [{ name: 'own-tools', providerType: 'stdio', command: process.execPath, args }] };
}

function pathOf(...names: readonly string[]): string {
  return join(cluster.folder, ...names);
}

function usageIn(name: string): unknown {
  return JSON.parse(readFileSync(pathOf(name, 'metadata.json'), 'utf8')).usage;
}

describe.skipIf(NO_REDIS)(`a cluster${NO_REDIS ? ` (skipped: ${NO_REDIS})` : ''}`, () => {
  test(
    'a processor that can make no row ends a shared run too, and the corrected one finds the answers',
    { tags: 'long' },
    async () => {
      const options = { numRecords: ROWS, datasetName: 'shaped' };
      const failed = machines.create(shapedBy('{{ text.x.y }}'), options);
      await expect(failed).rejects.toMatchObject({ code: 'processor/no-rows' });
      const { answers } = await cluster.simulator.stats();
      const made = await machines.create(shapedBy('{{ text }}'), { ...options, resume: 'always' });
      expect([made.count, made.findings.lost]).toEqual([ROWS, []]);
      expect((await cluster.simulator.stats()).answers - answers).toBeLessThan(2 * ROWS);
      const rows = await Array.fromAsync(made.records());
      expect(await Array.fromAsync(made.loadProcessorDataset('shape'))).toEqual(
        rows.map(({ id, text, more }) => ({ v: text, whole: { id, texts: [text, more] } })),
      );
    },
  );

  test('three machines make the dataset of one; Redis may lose everything, a machine may leave, no key is stored', async () => {
    const seen = new Set<number>();
    await holdAfter(cluster.simulator, 30);
    const created = create('shared', {
      onEvent: (event) => event.type === 'progress' && seen.add(event.snapshot.machines?.length ?? 0),
    });
    const leaving = new AbortController();
    const path = pathOf('shared');
    const joined = machines.join(path);
    const left = machines.join(path, { drain: leaving.signal });
    await untilHeld(cluster.simulator, 30);
    await expect.poll(() => Math.max(...seen), { timeout: WAIT_MS }).toBe(3);
    const stored = await everythingIn(cluster.redis);
    expect(stored).toContain('groups');
    expect(stored).not.toContain(SECRET);
    expect(everyFileIn(path)).not.toContain(SECRET);
    await cluster.redis.client.flushall();
    leaving.abort();
    await cluster.simulator.release();
    expect(await left).toMatchObject({ isOver: false });
    expect((await created).count).toBe(ROWS);
    expect(await joined).toMatchObject({ isOver: true, path });
    expect(await rowsIn(pathOf('shared'))).toBe(undisturbed);
    expect(filesIn(pathOf('shared'))).toEqual(filesIn(pathOf('undisturbed')));
    expect(usageIn('shared')).toEqual(usageIn('undisturbed'));
    expect(await machines.join(path)).toMatchObject({ isOver: true, rows: 0 });
  });

  test(
    'machines give each row its own schema as one machine does, and lose the same rows',
    { tags: 'long' },
    async () => {
      const schemas = [
        { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        { type: 'array', items: { enum: ['red', 'blue'] }, minItems: 1, maxItems: 3 },
        'no schema',
      ].map((schema) => (typeof schema === 'string' ? schema : JSON.stringify(schema)));
      const model = { alias: 'writer', model: 'sim-small', provider: 'own', skipHealthCheck: true };
      const builder = () =>
        new DataDesignerConfigBuilder()
          .addModelConfig(model)
          .withSeedDataset({ seedType: 'df', rows: schemas.map((schema, n) => ({ n, schema })) })
          .addColumn({
            name: 'card',
            columnType: 'llm-structured',
            modelAlias: 'writer',
            prompt: 'Card {{ n }}.',
            outputFormat: '{{ schema }}',
          });
      await using designer = cluster.newDesigner();
      const alone = await designer.create(builder(), { numRecords: ROWS, datasetName: 'schemas-alone' });
      const shared = machines.create(builder(), { numRecords: ROWS, datasetName: 'schemas' });
      const joined = [machines.join(pathOf('schemas')), machines.join(pathOf('schemas'))];
      const { count, lost } = await shared;
      await Promise.all(joined);
      expect({ count, lost }).toEqual({ count: ROWS - ROWS / schemas.length, lost: alone.lost });
      expect(lost).toMatchObject([{ column: 'card', rows: ROWS / schemas.length }]);
      expect(await rowsIn(pathOf('schemas'))).toBe(await rowsIn(pathOf('schemas-alone')));
    },
  );

  test('three machines make the conversations of one', { tags: 'long' }, async () => {
    const chats = declared()
      .deleteColumn('more')
      .deleteColumn('text')
      .addColumn({
        name: 'chat',
        columnType: 'conversation',
        turns: { min: 1, max: 3 },
        user: { modelAlias: 'writer', systemPrompt: 'You ask about {{ id }}.' },
        assistant: { modelAlias: 'writer' },
        withTrace: true,
      });
    await using designer = cluster.newDesigner();
    await designer.create(chats, { numRecords: 6 * GROUP, datasetName: 'chats-alone' });
    const machinesSeen = new Set<number>();
    await holdAfter(cluster.simulator, 10);
    const created = machines.create(chats, {
      numRecords: 6 * GROUP,
      datasetName: 'chats',
      onEvent: (event) => event.type === 'progress' && machinesSeen.add(event.snapshot.machines?.length ?? 0),
    });
    const joined = [machines.join(pathOf('chats')), machines.join(pathOf('chats'))];
    await untilHeld(cluster.simulator, 10);
    await expect.poll(() => Math.max(...machinesSeen), { timeout: WAIT_MS }).toBe(3);
    await cluster.simulator.release();
    expect((await created).count).toBe(6 * GROUP);
    for (const machine of await Promise.all(joined)) expect(machine).toMatchObject({ isOver: true });
    expect(await rowsIn(pathOf('chats'))).toBe(await rowsIn(pathOf('chats-alone')));
    expect(usageIn('chats')).toEqual(usageIn('chats-alone'));
  });

  test(
    'another machine goes on with the run of a coordinator that was killed, over an empty Redis',
    { tags: 'long' },
    async () => {
      const path = pathOf('killed');
      await holdAfter(cluster.simulator, 30);
      const run = machines.command(createArgs('killed'));
      await untilHeld(cluster.simulator, 30);
      run.child.kill('SIGKILL');
      await run.finished;
      // What a process leaves that is killed while it writes.
      writeFileSync(join(path, 'metadata.json.tmp-1-0-1'), '{');
      const [id = ''] = readdirSync(join(path, 'cluster'));
      const left = {
        lock: readFileSync(join(path, '.lock')),
        start: readFileSync(join(path, 'cluster', id, 'start.json')),
      };
      await cluster.redis.restart(AWAY_MS);
      await cluster.simulator.release();
      const events: string[] = [];
      const onEvent = ({ type }: { readonly type: string }) => void events.push(type);
      expect(await machines.join(path, { onEvent })).toMatchObject({ isOver: true });
      expect(events).toContain('join-lead');
      expect(await rowsIn(pathOf('killed'))).toBe(undisturbed);
      expect(filesIn(pathOf('killed'))).toEqual(filesIn(pathOf('undisturbed')));
      // Killed while it completes the dataset: all rows are made, and the logs are merged.
      const completed = readFileSync(join(path, 'metadata.json'), 'utf8');
      for (const goOn of [() => machines.join(path), () => create('killed', { resume: 'always' })]) {
        rmSync(join(path, 'metadata.json'));
        mkdirSync(join(path, 'cluster', id, 'machines'), { recursive: true });
        writeFileSync(join(path, 'cluster', id, 'finishing.json'), left.start);
        writeFileSync(join(path, '.lock'), left.lock);
        // It still tells that the run is over.
        await cluster.redis.client.flushall();
        await goOn();
        expect(readFileSync(join(path, 'metadata.json'), 'utf8')).toBe(completed);
        expect(filesIn(pathOf('killed'))).toEqual(filesIn(pathOf('undisturbed')));
      }
    },
  );

  test(
    'a coordinator that was suspended goes on as an ordinary machine and harms nothing',
    { tags: 'long' },
    async () => {
      const path = pathOf('suspended');
      await holdAfter(cluster.simulator, 30);
      const { child, finished } = machines.command(createArgs('suspended'));
      await untilHeld(cluster.simulator, 30);
      const events: string[] = [];
      const present = new Set<number>();
      const joined = machines.join(path, {
        onEvent: (event) => {
          events.push(event.type);
          if (event.type !== 'progress') return;
          for (const { pid, isLost } of event.snapshot.machines ?? []) if (!isLost) present.add(pid);
        },
      });
      await expect.poll(() => events, { timeout: WAIT_MS }).toContain('join-progress');
      child.kill('SIGSTOP');
      await expect.poll(() => events, { timeout: WAIT_MS }).toContain('join-lead');
      child.kill('SIGCONT');
      // It takes its answers first; the run goes on until it is back.
      await cluster.simulator.release(40);
      await expect.poll(() => [...present], { timeout: WAIT_MS }).toContain(child.pid);
      await cluster.simulator.release();
      expect(await joined).toMatchObject({ isOver: true });
      const { code, stderr } = await finished;
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: expect.stringContaining('another machine coordinates the run'),
      });
      expect(await rowsIn(path)).toBe(undisturbed);
      expect(filesIn(path)).toEqual(filesIn(pathOf('undisturbed')));
    },
  );

  test('a coordinator that leaves hands the run over; alone it ends the run', { tags: 'long' }, async () => {
    const leaving = new AbortController();
    const seen = new Set<number>();
    await holdAfter(cluster.simulator, 30);
    const created = create('left', {
      cluster: { leave: leaving.signal },
      onEvent: (event) => event.type === 'progress' && seen.add(event.snapshot.machines?.length ?? 0),
    });
    const path = pathOf('left');
    const alone = new AbortController();
    const events: string[] = [];
    const joined = machines.join(path, { drain: alone.signal, onEvent: ({ type }) => void events.push(type) });
    await untilHeld(cluster.simulator, 30);
    await expect.poll(() => Math.max(...seen), { timeout: WAIT_MS }).toBe(2);
    leaving.abort();
    await expect.poll(() => events, { timeout: WAIT_MS }).toContain('progress');
    alone.abort();
    await cluster.simulator.release();
    await expect(created).rejects.toMatchObject({ code: 'cluster/handed-over', data: { path } });
    expect(await joined).toMatchObject({ isOver: true });
    expect(readdirSync(pathOf('left'))).not.toContain('cluster');
    const { count } = await create('left', { resume: 'always' });
    expect(count).toBe(ROWS);
    expect(await rowsIn(pathOf('left'))).toBe(undisturbed);
  });

  test(
    'a coordinator that leaves hands the run over to a machine that lives, even if another was lost just before',
    { tags: 'long' },
    async () => {
      const leaving = new AbortController();
      const seen = new Set<number>();
      await holdAfter(cluster.simulator, 30);
      const created = create('left-two', {
        cluster: { leave: leaving.signal },
        onEvent: (event) => event.type === 'progress' && seen.add(event.snapshot.machines?.length ?? 0),
      });
      const path = pathOf('left-two');
      const joining = ['join', path, '--cluster', cluster.redis.address, '--providers', cluster.providersFile()];
      const lost = [machines.command(joining), machines.command(joining)];
      const joined = machines.join(path);
      await untilHeld(cluster.simulator, 30);
      await expect.poll(() => Math.max(...seen), { timeout: WAIT_MS }).toBe(4);
      for (const { child } of lost) child.kill('SIGKILL');
      leaving.abort();
      const outcome = created.catch((failure: unknown) => failure);
      await cluster.simulator.release();
      expect(await outcome).toMatchObject({ code: 'cluster/handed-over', data: { path } });
      expect(await joined).toMatchObject({ isOver: true, ended: null });
      expect(await rowsIn(path)).toBe(undisturbed);
    },
  );

  test(
    'tools of a single machine: the others wait, and one goes on when the coordinator leaves',
    { tags: 'long' },
    async () => {
      const model = { alias: 'writer', model: 'sim-small', provider: 'own', skipHealthCheck: true };
      const config = new DataDesignerConfigBuilder()
        .addModelConfig({ ...model, inferenceParameters: { maxParallelRequests: 4 } })
        .addToolConfig({ toolAlias: 'facts', providers: ['demo-tools'], singleMachine: true })
        .addColumn({ name: 'id', columnType: 'sampler', samplerType: 'uuid', params: {} })
        .addColumn({
          name: 'fact',
          columnType: 'llm-text',
          modelAlias: 'writer',
          toolAlias: 'facts',
          prompt: 'A fact for {{ id }}, with the tool get_fact.',
        });
      // More groups than one machine opens at a time.
      const numRecords = 80;
      const wanted = { numRecords, datasetName: 'single' };
      await expect(machines.create(config, { ...wanted, cluster: { work: false } })).rejects.toMatchObject({
        code: 'cluster/single-machine',
        data: { alias: 'facts' },
      });
      const path = pathOf('single');
      expect(existsSync(path)).toBe(false);
      const leaving = new AbortController();
      await holdAfter(cluster.simulator, 4);
      let present = 0;
      const created = machines.create(config, {
        ...wanted,
        cluster: { leave: leaving.signal },
        onEvent: (event) => {
          if (event.type === 'progress') present = Math.max(present, event.snapshot.machines?.length ?? 0);
        },
      });
      const [told, waiting]: [object[], { readonly rows: number; readonly groups: number }[]] = [[], []];
      const joined = machines.join(path, {
        onEvent: (event) => {
          if (event.type === 'join-progress') waiting.push(event);
          else told.push(event);
        },
      });
      await untilHeld(cluster.simulator, 4);
      await expect.poll(() => present, { timeout: WAIT_MS }).toBe(2);
      await expect.poll(() => waiting.length, { timeout: WAIT_MS }).toBeGreaterThan(1);
      expect(told).toContainEqual(expect.objectContaining({ type: 'join-start', standsByFor: ['facts'] }));
      expect(told).not.toContainEqual(expect.objectContaining({ type: 'tool-session-start' }));
      expect(waiting.filter(({ groups, rows }) => groups > 0 || rows > 0)).toEqual([]);
      leaving.abort();
      await cluster.simulator.release();
      await expect(created).rejects.toMatchObject({ code: 'cluster/handed-over' });
      const { rows, isOver } = await joined;
      expect({ isOver, madeSome: rows > 0 }).toEqual({ isOver: true, madeSome: true });
      expect(JSON.parse(await rowsIn(path))).toHaveLength(numRecords);
    },
  );

  for (const giver of ['joined', 'coordinator'])
    test(`a ${giver} machine gives groups that it has not begun to one that has none`, { tags: 'long' }, async () => {
      const [numRecords, openGroups, datasetName] = [120, 10, `spare-of-${giver}`];
      await using quick = await startSimulator('--latency', '20');
      const path = pathOf(datasetName);
      await holdAfter(cluster.simulator, 10);
      const work = giver === 'coordinator';
      const created = machines.create(declared(), { numRecords, datasetName, cluster: { work } }, { openGroups });
      if (!work) void machines.join(path);
      await untilHeld(cluster.simulator, 10);
      let rows = 0;
      const onEvent: JoinRunOptions['onEvent'] = (event) => {
        if (event.type === 'join-progress') ({ rows } = event);
      };
      // The first machine has all permits; it gets its answers until it has left some to the other.
      await expect.poll(() => epochsIn(path), { timeout: WAIT_MS }).toBe(openGroups);
      const joined = machines.join(path, { onEvent }, { endpoint: quick.url });
      const turns = { timeout: WAIT_MS, interval: 1000 };
      await expect.poll(() => cluster.simulator.release(0).then(() => rows), turns).toBeGreaterThan(0);
      // Its requests, which are held, are in few of the groups that it took; the other makes the rest, not only those that waited.
      // While it is without groups, all permits may go to held requests, which must end before it gets one.
      const missing = async (): Promise<number> => {
        await cluster.simulator.release(0);
        const { answers } = await cluster.simulator.stats();
        return Math.max(numRecords - openGroups * GROUP, numRecords - answers / 2 - 8 * GROUP) - rows;
      };
      await expect.poll(missing, turns).toBeLessThan(0);
      await cluster.simulator.release();
      expect((await created).count).toBe(numRecords);
      await joined;
      // No request was sent twice: a group that goes back has sent none.
      const requests = (await cluster.simulator.stats()).requests + (await quick.stats()).requests;
      expect(requests).toBe(2 * numRecords);
      expect(filesIn(path).filter((name) => name.includes('tmp-') || name.includes('journal'))).toEqual([]);
    });

  test('the row groups of a machine that was killed go to others, and the progress shows it as lost', async () => {
    const path = pathOf('lost');
    const seen = new Map<number, boolean>();
    await holdAfter(cluster.simulator, 30);
    const created = create('lost', {
      cluster: { work: false },
      onEvent: (event) => {
        if (event.type !== 'progress') return;
        for (const { pid, isLost } of event.snapshot.machines ?? []) seen.set(pid, isLost);
      },
    });
    const { child } = machines.command([
      'join',
      path,
      '--cluster',
      cluster.redis.address,
      '--providers',
      cluster.providersFile(),
    ]);
    await untilHeld(cluster.simulator, 30);
    child.kill('SIGKILL');
    await expect.poll(() => seen.get(child.pid ?? 0), { timeout: WAIT_MS }).toBe(true);
    await cluster.simulator.release();
    expect(await machines.join(path)).toMatchObject({ isOver: true });
    expect((await created).count).toBe(ROWS);
    expect(await rowsIn(pathOf('lost'))).toBe(undisturbed);
  });

  test(
    'a drain of the coordinator ends the run on all machines, and a resume makes the other rows',
    { tags: 'long' },
    async () => {
      const drain = new AbortController();
      await holdAfter(cluster.simulator, 30);
      const created = create('drained', { drain: drain.signal });
      const events: string[] = [];
      const joined = machines.join(pathOf('drained'), { onEvent: ({ type }) => void events.push(type) });
      await untilHeld(cluster.simulator, 30);
      await expect.poll(() => events, { timeout: WAIT_MS }).toContain('join-start');
      await cluster.redis.client.config('RESETSTAT');
      const begunAt = performance.now();
      drain.abort(new Error('by a test'));
      await cluster.simulator.release();
      await expect(created).rejects.toMatchObject({ code: 'run/aborted' });
      // Each of the two tells something every tenth of a second, and what cannot wait at once.
      expect(await callsOf(cluster.redis)).toBeLessThan(100 + (performance.now() - begunAt) / 20);
      expect(await joined).toMatchObject({ isOver: true, ended: { code: 'run/aborted' } });
      expect(readdirSync(pathOf('drained'))).not.toContain('cluster');
      const { count } = await create('drained', { resume: 'always' });
      expect(count).toBe(ROWS);
      expect(await rowsIn(pathOf('drained'))).toBe(undisturbed);
    },
  );

  test(
    'lost rows are made again by several machines, also those that machines of a cluster have lost',
    { tags: 'long' },
    async () => {
      const asked = new Map<string, number>();
      let isBroken = true;
      using server = await openAnsweringServer((text, response) => {
        const digest = createHash('sha256').update(text).digest();
        if (isBroken && text.includes('More:') && digest[0]! % 4 === 0)
          return reply(response, { error: { message: 'not today' } }, { status: 422 });
        asked.set(text, (asked.get(text) ?? 0) + 1);
        return reply(response, completion(`words ${digest.toString('hex')}`));
      });
      const code = { endpoint: `${server.origin}/v1` };
      const shared = async (options: Partial<SharedOptions> = {}) => {
        const made = machines.create(declared(), { numRecords: ROWS, datasetName: 'losing', ...options }, code);
        await expect.poll(() => existsSync(pathOf('losing', 'cluster')), { timeout: WAIT_MS }).toBe(true);
        const joined = machines.join(pathOf('losing'), {}, code).catch(() => undefined);
        const results = await made;
        await joined;
        return results;
      };
      const losing = await shared();
      expect(losing.count).toBeLessThan(ROWS - 5);
      isBroken = false;
      const again = await shared({ resume: 'always', retryLost: true });
      expect(again.count).toBe(ROWS);
      expect([...asked.values()].filter((count) => count > 1)).toEqual([]);
      await using designer = cluster.newDesigner(code);
      await designer.create(declared(), { numRecords: ROWS, datasetName: 'losing-whole' });
      expect(await rowsIn(pathOf('losing'))).toBe(await rowsIn(pathOf('losing-whole')));
      expect(usageIn('losing')).toMatchObject({ writer: { requests: 2 * ROWS + (ROWS - losing.count) } });
    },
  );

  test('a machine that is suspended until the run has ended learns why', { tags: 'long' }, async () => {
    const drain = new AbortController();
    const seen = new Map<number, boolean>();
    await holdAfter(cluster.simulator, 30);
    const created = create('ended-without', {
      drain: drain.signal,
      onEvent: (event) => {
        if (event.type !== 'progress') return;
        for (const { pid, isLost } of event.snapshot.machines ?? []) seen.set(pid, isLost);
      },
    });
    const path = pathOf('ended-without');
    const joining = ['join', path, '--cluster', cluster.redis.address, '--providers', cluster.providersFile()];
    const { child, finished } = machines.command(joining);
    await untilHeld(cluster.simulator, 30);
    await expect.poll(() => seen.has(child.pid ?? 0), { timeout: WAIT_MS }).toBe(true);
    child.kill('SIGSTOP');
    drain.abort(new Error('by a test'));
    await cluster.simulator.release();
    await expect(created).rejects.toMatchObject({ code: 'run/aborted' });
    expect(readdirSync(path)).not.toContain('cluster');
    child.kill('SIGCONT');
    expect(await finished).toEqual({ code: 0, stderr: expect.stringContaining('The run was stopped: by a test') });
  });

  test('a machine whose tools start when the run has ended learns why', { tags: 'long' }, async () => {
    const [begun, path] = [pathOf('tools-begun'), pathOf('ended-before')];
    const tools = fileURLToPath(new URL('../packages/data-designer/dist/demo-tools.js', import.meta.url));
    const late = `const { existsSync, writeFileSync } = require('node:fs');
      writeFileSync(${JSON.stringify(begun)}, '');
      const timer = setInterval(() => {
        if (existsSync(${JSON.stringify(begun)})) return;
        clearInterval(timer);
        import(${JSON.stringify(pathToFileURL(tools).href)});
      }, 50);`;
    const config = declared()
      .deleteColumn('more')
      .deleteColumn('text')
      .addToolConfig({ toolAlias: 'facts', providers: ['own-tools'] })
      .addColumn({
        name: 'fact',
        columnType: 'llm-text',
        modelAlias: 'writer',
        toolAlias: 'facts',
        prompt: '{{ id }}',
      });
    const drain = new AbortController();
    await holdAfter(cluster.simulator, 0);
    const wanted = { numRecords: 2 * GROUP, datasetName: 'ended-before', drain: drain.signal };
    const created = machines.create(config, wanted, withTools(tools));
    const joined = machines.join(path, {}, withTools('-e', late));
    await untilHeld(cluster.simulator, 0);
    await expect.poll(() => existsSync(begun), { timeout: WAIT_MS }).toBe(true);
    drain.abort(new Error('by a test'));
    await cluster.simulator.release();
    await expect(created).rejects.toMatchObject({ code: 'run/aborted' });
    expect(readdirSync(path)).not.toContain('cluster');
    rmSync(begun);
    expect(await joined).toMatchObject({ isOver: true, rows: 0, ended: { code: 'run/aborted' } });
  });

  test('SIGTERM ends a machine within 15 s in every state', { tags: 'long' }, async () => {
    await holdAfter(cluster.simulator, 0);
    const requesting = MACHINE_STATES.filter(({ waitsFor }) => waitsFor === 'answers').length;
    const busy = (async () => expect.poll(requestsInFlight, { timeout: 2 * WAIT_MS }).toBe(requesting * PERMITS))();
    const ends = await Promise.all(MACHINE_STATES.map((state) => stopped(state, busy)));
    expect(ends.filter(({ ms, code }) => ms > STOP_BOUND_MS || code === null)).toEqual([]);
  });

  test('a machine that cannot take part is refused before it requests anything', { tags: 'long' }, async () => {
    await using designer = cluster.newDesigner();
    const code = (connection: string, datasetName = 'refused') =>
      designer.create(declared(), { numRecords: 4, datasetName, cluster: { connection } }).then(
        () => 'none',
        (failure: { readonly code: string }) => failure.code,
      );
    await fetch(`${cluster.simulator.origin}/stats/reset`, { method: 'POST' });
    expect(await code('queue:6379')).toBe('cluster/invalid-connection');
    expect(await code('redis://127.0.0.1:1')).toBe('cluster/unreachable');
    await cluster.redis.client.config('SET', 'maxmemory-policy', 'allkeys-lru');
    expect(await code(cluster.redis.address)).toBe('cluster/evicting');
    // A machine that waits for a run has the same errors at once.
    const joins = (connection: string) => designer.join(pathOf('not-begun'), { connection });
    await expect(joins(cluster.redis.address)).rejects.toMatchObject({ code: 'cluster/evicting' });
    await expect(joins('redis://127.0.0.1:1')).rejects.toMatchObject({ code: 'cluster/unreachable' });
    await cluster.redis.client.config('SET', 'maxmemory-policy', 'noeviction');
    const connection = cluster.redis.address;
    await expect(designer.join(pathOf('not-begun'), { connection, waitSeconds: 0.1 })).rejects.toMatchObject({
      code: 'cluster/no-run',
    });
    expect((await cluster.simulator.stats()).requests).toBe(0);
  });

  test('a copy of the folder, another version and other functions are refused', { tags: 'long' }, async () => {
    const drain = new AbortController();
    await holdAfter(cluster.simulator, 10);
    const created = create('whole', { drain: drain.signal });
    await untilHeld(cluster.simulator, 10);
    await expect(machines.join(copy('copy'))).rejects.toMatchObject({ code: 'cluster/not-shared' });
    const changed = copy('changed');
    const [run = ''] = readdirSync(join(changed, 'cluster'));
    const start = join(changed, 'cluster', run, 'start.json');
    const record = JSON.parse(readFileSync(start, 'utf8'));
    const refused = async (difference: object) => {
      writeFileSync(start, JSON.stringify({ ...record, ...difference }));
      return machines.join(changed).catch(({ code, message }: Error & { code: string }) => [code, message]);
    };
    const all = { version: '0.0.1', functions: ['columns.score'], plan: 'other', mediaRoots: 2, allowPrivate: true };
    expect(await refused(all)).toEqual([
      'cluster/lacks',
      expect.stringMatching(
        /lacks version 0\.0\.1 of data-designer \(it has \S+\), the same run\.json \(.*\), the function columns\.score, 2 media roots \(--media-root\), the permission for private addresses \(--allow-private\)\. Use/,
      ),
    ]);
    // Another version may have another format.
    for (const file of ['run.json', 'run.copy.json']) writeFileSync(join(changed, file), '{');
    expect(await refused({ version: '0.0.1' })).toEqual([
      'cluster/lacks',
      expect.stringMatching(/lacks version 0\.0\.1 of data-designer \(it has \S+\)\. Use/),
    ]);
    drain.abort(new Error('by a test'));
    await cluster.simulator.release();
    await expect(created).rejects.toMatchObject({ code: 'run/aborted' });
  });
});

/** The requests that the model has not answered yet. */
async function requestsInFlight(): Promise<number> {
  return (await cluster.simulator.stats()).inFlight;
}

/** A machine in the moment of SIGTERM. */
interface MachineState {
  readonly role: 'joins' | 'creates';
  readonly waitsFor: 'a run' | 'answers';
  /** What becomes of Redis before: its process ends, or answers no more. */
  readonly redis?: 'SIGKILL' | 'SIGSTOP';
}

const MACHINE_STATES: readonly MachineState[] = [
  { role: 'joins', waitsFor: 'a run' },
  { role: 'joins', waitsFor: 'a run', redis: 'SIGSTOP' },
  { role: 'joins', waitsFor: 'a run', redis: 'SIGKILL' },
  { role: 'joins', waitsFor: 'answers' },
  { role: 'joins', waitsFor: 'answers', redis: 'SIGSTOP' },
  { role: 'joins', waitsFor: 'answers', redis: 'SIGKILL' },
  { role: 'creates', waitsFor: 'a run', redis: 'SIGSTOP' },
  { role: 'creates', waitsFor: 'a run', redis: 'SIGKILL' },
  { role: 'creates', waitsFor: 'answers' },
  { role: 'creates', waitsFor: 'answers', redis: 'SIGSTOP' },
  { role: 'creates', waitsFor: 'answers', redis: 'SIGKILL' },
];

/** With a margin for a busy machine: one that waited for its requests or for Redis would take 30 s and more. */
const STOP_BOUND_MS = 20_000;

/**
 * Brings a machine with a Redis of its own into a state, and sends it SIGTERM once all are busy. Returns how long it goes on, and
 * its exit code, which is null if the signal has ended it before it could do anything.
 */
async function stopped(state: MachineState, busy: Promise<void>) {
  const { role, waitsFor, redis: fault } = state;
  await using redis = await startRedis();
  const name = `stopped-${MACHINE_STATES.indexOf(state)}`;
  const at = ['--cluster', redis.address];
  const isBegun = waitsFor === 'answers';
  // A machine that waits for a run looks for its Redis first.
  if (fault && !isBegun) redis.process.kill(fault);
  const createWords = [...createArgs(name), ...at];
  const joinWords = ['join', pathOf(name), '--providers', cluster.providersFile(), ...at];
  const coordinator = isBegun && role === 'joins' ? machines.command([...createWords, '--no-work']) : undefined;
  const machine = machines.command(role === 'creates' ? createWords : joinWords);
  await busy;
  await expect.poll(() => handlesSigterm(machine.child.pid), { timeout: WAIT_MS }).toBe(true);
  if (fault && isBegun) redis.process.kill(fault);
  const from = performance.now();
  machine.child.kill('SIGTERM');
  const { code } = await machine.finished;
  coordinator?.child.kill('SIGKILL');
  return { state, code, ms: performance.now() - from };
}

/** Whether a process has a handler of SIGTERM, by its mask in `/proc`; true also for one that has ended. */
function handlesSigterm(pid: number | undefined): boolean {
  const status = `/proc/${pid}/status`;
  if (!existsSync(status)) return true;
  const [, mask = '0'] = /^SigCgt:\s*([0-9a-f]+)/m.exec(readFileSync(status, 'utf8')) ?? [];
  return (BigInt(`0x${mask}`) & (1n << BigInt(constants.signals.SIGTERM - 1))) !== 0n;
}

/** Copies the dataset `whole`, as a machine has it whose folder is not shared. */
function copy(name: string): string {
  cpSync(pathOf('whole'), pathOf(name), { recursive: true });
  return pathOf(name);
}

/** How many row groups have been begun. */
function epochsIn(path: string): number {
  const [run = ''] = readdirSync(join(path, 'cluster'));
  return readdirSync(join(path, 'cluster', run, 'epochs')).length;
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
