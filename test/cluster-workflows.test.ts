import { cpSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ComposedWorkflow, DataDesigner, StageOptions, WorkflowRunOptions } from 'data-designer';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { attemptsIn, filesIn, holdAfter, rowsIn, untilHeld } from '../packages/cluster/test/made-datasets.ts';
import { NO_REDIS } from '../packages/cluster/test/start-redis.ts';
import { LIMIT_MS, TestCluster, TestMachines, WAIT_MS } from '../packages/cluster/test/test-cluster.ts';
import { openAnsweringServer, reply } from '@data-designer/testing/answering-server';

const ROWS = 12;
/** Of the stage that selects. */
const SELECTED = 5;
const AT_A_TIME = 4;
const FOLDERS = ['stage-0-topics', 'stage-1-left', 'stage-2-right', 'stage-3-both'];
/** The two that are made at the same time. */
const BRANCHES = ['stage-1-left', 'stage-2-right'];
vi.setConfig({ testTimeout: LIMIT_MS, hookTimeout: LIMIT_MS });

let cluster: TestCluster;
let machines: TestMachines;
/** The cost of each stage on one machine. */
let costs: ReadonlyMap<string, number>;

beforeAll(async () => {
  if (NO_REDIS) return;
  cluster = await TestCluster.start({ latency: 10 });
  await using designer = cluster.newDesigner();
  const { stageResults } = await compose(designer, 'alone').run();
  costs = new Map([...stageResults].map(([stage, { cost }]) => [stage, cost ?? 0]));
});

afterAll(() => cluster?.[Symbol.asyncDispose]());

beforeEach(() => {
  if (!NO_REDIS) machines = new TestMachines(cluster);
});

afterEach(() => machines?.end());

function text(name: string, prompt: string) {
  return { name, column_type: 'llm-text', model_alias: 'writer', prompt };
}

/** A config with the model of all stages. */
function configOf(...columns: readonly object[]) {
  const model = {
    alias: 'writer',
    model: 'sim-small',
    provider: 'own',
    skip_health_check: true,
    pricing: { input: 1_000_000, output: 0 },
    inference_parameters: { max_parallel_requests: AT_A_TIME },
  };
  return { model_configs: [model], columns };
}

/** Two branches that are joined again, and a selection of their rows, as the stages of a file. */
function stages(): readonly (Omit<StageOptions, 'map'> & { readonly name: string; readonly config: object })[] {
  const id = { name: 'id', column_type: 'sampler', sampler_type: 'uuid', params: {} };
  return [
    { name: 'topics', rows: ROWS, config: configOf(id, text('topic', 'Name {{ id }}')) },
    { name: 'left', config: configOf(text('l', 'Left of {{ topic }}')) },
    { name: 'right', from: 'topics', config: configOf(text('r', 'Right of {{ topic }}')) },
    {
      name: 'both',
      from: ['left', 'right'],
      join: { by: 'id' },
      rows: SELECTED,
      select: { where: "id > '5'" },
      config: configOf(text('both', '{{ l }} and {{ r }}')),
    },
  ];
}

/** The workflow with a stage that only a program can make. */
function withMap(designer: DataDesigner, name = 'mapped') {
  const last = { document: { columns: [] }, source: 'last' };
  return compose(designer, name).addStage('last', last, { map: (rows) => rows });
}

function compose(designer: DataDesigner, name: string): ComposedWorkflow {
  return composeOf(designer, name, stages());
}

function composeOf(designer: DataDesigner, name: string, declared: ReturnType<typeof stages>): ComposedWorkflow {
  const composed: ComposedWorkflow = designer.composeWorkflow(name);
  for (const { name: stage, config, ...options } of declared)
    composed.addStage(stage, { document: config, source: stage }, options);
  return composed;
}

/** Makes the workflow on the cluster. */
function run(name: string, { cluster: settings, ...options }: Partial<WorkflowRunOptions> = {}) {
  return machines.run((designer) => compose(designer, name), { ...options, cluster: settings });
}

/** The words of a command that does so. */
function createArgs(name: string): readonly string[] {
  return cluster.createArgs(name, { config: { stages: stages() }, rows: ROWS });
}

function joinArgs(name: string): readonly string[] {
  return ['join', pathOf(name), '--cluster', cluster.redis.address, '--providers', cluster.providersFile()];
}

function pathOf(...names: readonly string[]): string {
  return join(cluster.folder, ...names);
}

/** The attempts at the row groups of each branch, as the machines of its run have noted them in the folder. */
function attemptsOf(name: string): readonly (readonly string[])[] {
  return BRANCHES.map((branch) => attemptsIn(pathOf(name, branch)));
}

/** Whether a machine has given the row group back. */
function isReturned(attempt: string): boolean {
  return attempt.endsWith('.returned');
}

/** The name of the limits that the run in a folder shares with others. */
function limitsIn(folder: string): unknown {
  const [id = ''] = readdirSync(join(folder, 'cluster'));
  return JSON.parse(readFileSync(join(folder, 'cluster', id, 'start.json'), 'utf8')).limits?.id;
}

/** The ids of the machines that share the limits of the run in a folder. */
async function machinesIn(folder: string): Promise<readonly string[]> {
  const state = await cluster.redis.client.get(`{dd-${String(limitsIn(folder))}}:limits`);
  return state === null ? [] : Object.keys(JSON.parse(state).machines);
}

/** The ids under which machines have joined the branches. */
function joinedIn(name: string): readonly string[] {
  return BRANCHES.flatMap((branch) => {
    const runs = pathOf(name, branch, 'cluster');
    const names = readdirSync(runs).flatMap((id) => readdirSync(join(runs, id, 'machines')));
    return names.filter((file) => !file.includes('.tmp-'));
  });
}

/** Waits until machines work on row groups of both branches. */
async function untilInBoth(name: string): Promise<void> {
  await expect.poll(() => attemptsOf(name).every(({ length }) => length > 0), { timeout: WAIT_MS }).toBe(true);
}

async function rowsOf(name: string): Promise<readonly string[]> {
  return Promise.all(FOLDERS.map((stage) => rowsIn(pathOf(name, stage))));
}

async function expectAsAlone(name: string): Promise<void> {
  expect(await rowsOf(name)).toEqual(await rowsOf('alone'));
  expect(filesIn(pathOf(name))).toEqual(filesIn(pathOf('alone')));
}

/** What a machine does in a run, as it tells. */
interface OpenRun {
  readonly path: string;
  readonly groups: number;
}

/** Joins a workflow and collects what happens. */
function joinAndListen(
  name: string,
  { drain, onLead }: { readonly drain?: AbortSignal; readonly onLead?: () => void } = {},
) {
  const events: {
    readonly type: string;
    readonly path?: string;
    readonly reason?: string;
    readonly runs?: readonly OpenRun[];
  }[] = [];
  const onEvent = (event: { readonly type: string }): void => {
    events.push(event);
    if (event.type === 'join-lead') onLead?.();
  };
  const joined = machines.join(pathOf(name), { onEvent, ...(drain && { drain }) });
  const until = (type: string, path?: string) =>
    expect
      .poll(() => events.some((event) => event.type === type && (path === undefined || event.path === path)), {
        timeout: WAIT_MS,
      })
      .toBe(true);
  return { events, joined, until };
}

describe.skipIf(NO_REDIS)(`a workflow on a cluster${NO_REDIS ? ` (skipped: ${NO_REDIS})` : ''}`, () => {
  test(
    'two machines make the stages of one; branches stay below the limit of their model',
    { tags: 'long' },
    async () => {
      const { simulator } = cluster;
      await holdAfter(simulator, ROWS + 2);
      const joined = machines.join(pathOf('together'));
      const made = run('together');
      await untilHeld(simulator, ROWS + 2);
      await expect.poll(async () => (await simulator.stats()).inFlight, { timeout: WAIT_MS }).toBe(AT_A_TIME);
      // Each of the two has one id, with a part in each branch, also in the limits.
      await expect.poll(() => joinedIn('together').length, { timeout: WAIT_MS }).toBe(2);
      const machineParts = () => machinesIn(pathOf('together', 'stage-1-left'));
      await expect.poll(async () => (await machineParts()).length, { timeout: WAIT_MS }).toBe(4);
      const parts = await machineParts();
      expect(new Set(parts.map((part) => part.split('.')[0])).size).toBe(2);
      for (const part of joinedIn('together')) expect(parts).toContain(part);
      await simulator.release();
      expect((await made).ended).toBe(null);
      expect(await joined).toMatchObject({ isOver: true, path: pathOf('together') });
      expect((await simulator.stats()).maxInFlight).toBe(AT_A_TIME);
      await expectAsAlone('together');
      // A machine that comes too late ends at once.
      expect(await machines.join(pathOf('together'))).toMatchObject({ isOver: true, rows: 0 });
    },
  );

  test(
    'a machine that joins makes both branches at the same time, below the limit of their model',
    { tags: 'long' },
    async () => {
      const { simulator } = cluster;
      await holdAfter(simulator, ROWS + 2);
      const made = run('alike', { cluster: { connection: cluster.redis.address, work: false } });
      const { events, joined } = joinAndListen('alike');
      await untilInBoth('alike');
      const busy = () =>
        events.findLast(({ type }) => type === 'join-progress')?.runs?.filter(({ groups }) => groups > 0);
      await expect
        .poll(
          () =>
            busy()
              ?.map(({ path }) => path)
              .toSorted(),
          { timeout: WAIT_MS },
        )
        .toEqual(BRANCHES.map((branch) => pathOf('alike', branch)));
      await expect.poll(async () => (await simulator.stats()).inFlight, { timeout: WAIT_MS }).toBe(AT_A_TIME);
      await simulator.release();
      expect((await made).ended).toBe(null);
      expect((await simulator.stats()).maxInFlight).toBe(AT_A_TIME);
      const { rows, isOver } = await joined;
      // The coordinator makes none.
      expect({ isOver, isSum: rows >= 3 * ROWS + SELECTED }).toEqual({ isOver: true, isSum: true });
      await expectAsAlone('alike');
    },
  );

  test(
    'SIGTERM on a machine gives back its row groups of both branches, and another machine makes them',
    { tags: 'long' },
    async () => {
      const { simulator } = cluster;
      await holdAfter(simulator, ROWS);
      // What is in flight makes no row group complete.
      const runConfig = { seed: 6, bufferSize: ROWS };
      const settings = { connection: cluster.redis.address, work: false };
      const branched = (designer: DataDesigner) =>
        composeOf(designer.setRunConfig(runConfig), 'termed', stages().slice(0, 3));
      const made = machines.run(branched, { cluster: settings });
      const { child } = machines.command(joinArgs('termed'));
      await untilInBoth('termed');
      child.kill('SIGTERM');
      // Only what is in flight is answered: it may not have noticed the signal yet.
      const hasLeft = async () => {
        await simulator.release(0);
        return child.exitCode;
      };
      await expect.poll(hasLeft, { timeout: WAIT_MS, interval: 500 }).toBe(0);
      for (const attempts of attemptsOf('termed')) {
        expect(attempts.some(isReturned)).toBe(true);
      }
      const joined = machines.join(pathOf('termed'));
      await simulator.release();
      expect((await made).ended).toBe(null);
      expect(await joined).toMatchObject({ isOver: true });
      for (const branch of BRANCHES)
        expect(await rowsIn(pathOf('termed', branch))).toEqual(await rowsIn(pathOf('alone', branch)));
    },
  );

  test(
    'a machine that cannot make one branch gives back its row groups of the other, and ends with the failure',
    { tags: 'long' },
    async () => {
      const { simulator } = cluster;
      const models = configOf().model_configs.map((model) => ({ ...model, provider: 'second' }));
      const declared = stages()
        .slice(0, 3)
        .map((stage) => {
          return stage.name === 'right' ? { ...stage, config: { ...stage.config, model_configs: models } } : stage;
        });
      const runConfig = { seed: 6, bufferSize: ROWS };
      const branched = (designer: DataDesigner) => composeOf(designer.setRunConfig(runConfig), 'unfit', declared);
      const inBoth = Promise.withResolvers<void>();
      using refusing = await openAnsweringServer(async (_, response) => {
        await inBoth.promise;
        reply(response, { error: { message: 'no such key' } }, { status: 401 });
      });
      await holdAfter(simulator, ROWS);
      const known = { endpoints: { second: simulator.url } };
      const settings = { connection: cluster.redis.address, work: false };
      const made = machines.run(branched, { cluster: settings }, known);
      let code: string | undefined;
      const unfit = machines.join(pathOf('unfit'), {}, { endpoints: { second: `${refusing.origin}/v1` } });
      unfit.catch((failure: { readonly code: string }) => (code = failure.code));
      await untilInBoth('unfit');
      inBoth.resolve();
      await expect.poll(() => attemptsOf('unfit')[1]?.some(isReturned), { timeout: WAIT_MS }).toBe(true);
      // Its requests for the other branch are answered while it gives the row groups back.
      const ended = async () => {
        await simulator.release(0);
        return code;
      };
      await expect.poll(ended, { timeout: WAIT_MS, interval: 500 }).toBe('model/unauthorized');
      expect(attemptsOf('unfit')[0]?.some(isReturned)).toBe(true);
      const joined = machines.join(pathOf('unfit'), {}, known);
      await simulator.release();
      expect((await made).ended).toBe(null);
      expect(await joined).toMatchObject({ isOver: true });
      for (const branch of BRANCHES)
        expect(await rowsIn(pathOf('unfit', branch))).toEqual(await rowsIn(pathOf('alone', branch)));
    },
  );

  test(
    'one budget holds for all stages on all machines, and a resume goes on, with a cluster or without',
    { tags: 'long' },
    async () => {
      const [topics = 0, left = 0, right = 0] = costs.values();
      const maxCost = topics + left * 1.2;
      const runConfig = { seed: 6, bufferSize: 4, maxCost };
      const joined = machines.join(pathOf('poor'));
      const poor = await machines.run((designer) => compose(designer.setRunConfig(runConfig), 'poor'), {});
      expect(poor.ended?.code).toBe('run/budget-spent');
      expect(poor.cost).toBeGreaterThanOrEqual(maxCost);
      // Either branch alone would stay below the budget.
      expect(poor.cost).toBeLessThan(topics + left + right);
      expect(await joined).toMatchObject({ isOver: true });
      await using designer = cluster.newDesigner();
      cpSync(pathOf('poor'), pathOf('poorer'), { recursive: true });
      const whole = await compose(designer, 'poor').run({ resume: 'always' });
      expect(whole.ended).toBe(null);
      await expectAsAlone('poor');
      expect((await run('poorer', { resume: 'always' })).ended).toBe(null);
      await expectAsAlone('poorer');
    },
  );

  test(
    'a Redis that is emptied after each stage does not forget what the stages have cost',
    { tags: 'long' },
    async () => {
      const [topics = 0, left = 0, right = 0, both = 0] = costs.values();
      const maxCost = topics + left + right + both * 0.1;
      const runConfig = { seed: 6, bufferSize: 4, maxCost };
      const joined = machines.join(pathOf('emptied'));
      const poor = await machines.run((designer) => compose(designer.setRunConfig(runConfig), 'emptied'), {
        onEvent: ({ type }) => type === 'stage-end' && void cluster.redis.client.flushall(),
      });
      expect([poor.ended?.code, poor.stageResults.get('right')?.count]).toEqual(['run/budget-spent', ROWS]);
      expect(poor.cost).toBeGreaterThanOrEqual(maxCost);
      expect(await joined).toMatchObject({ isOver: true });
    },
  );

  test(
    'machines wait for a Redis that is away between two stages, longer than for a first connection',
    { tags: 'long' },
    async () => {
      const { simulator, redis } = cluster;
      await holdAfter(simulator, ROWS - 2);
      const { joined, until } = joinAndListen('away');
      const made = run('away');
      await until('join-start');
      await untilHeld(simulator, ROWS - 2);
      const restarted = redis.restart(8000);
      await simulator.release();
      const { ended } = await made;
      await restarted;
      expect(ended).toBe(null);
      expect(await joined).toMatchObject({ isOver: true, path: pathOf('away') });
      await expectAsAlone('away');
    },
  );

  test('a machine is killed in the middle of a stage, and another makes its rows', { tags: 'long' }, async () => {
    const { simulator } = cluster;
    await holdAfter(simulator, 3);
    const made = run('killed', { cluster: { connection: cluster.redis.address, work: false } });
    const killed = machines.command(joinArgs('killed'));
    await untilHeld(simulator, 3);
    const { joined, until } = joinAndListen('killed');
    await until('join-progress');
    killed.child.kill('SIGKILL');
    await killed.finished;
    await simulator.release();
    expect((await made).ended).toBe(null);
    expect(await joined).toMatchObject({ isOver: true });
    await expectAsAlone('killed');
  });

  test(
    'the coordinator is killed while two stages are made again: another machine finishes them and the workflow, and a resume is refused meanwhile',
    { tags: 'long' },
    async () => {
      const { simulator } = cluster;
      cpSync(pathOf('alone'), pathOf('lost'), { recursive: true });
      await holdAfter(simulator, ROWS + 2);
      const created = machines.command([...createArgs('lost'), '--resume', 'if_possible', '--rerun-from', 'topics']);
      await untilHeld(simulator, ROWS + 2);
      const { events, joined, until } = joinAndListen('lost');
      for (const branch of BRANCHES) await until('join-start', pathOf('lost', branch));
      await untilInBoth('lost');
      created.child.kill('SIGKILL');
      await created.finished;
      // While no answer comes, neither of them ends.
      for (const branch of BRANCHES) await until('join-lead', pathOf('lost', branch));
      await expect(run('lost', { resume: 'always' })).rejects.toMatchObject({ code: 'dataset/locked' });
      await simulator.release();
      const { rows, isOver } = await joined;
      // Those of the branches, and those of the stages after them.
      expect({ isOver, isSum: rows >= 2 * ROWS + SELECTED }).toEqual({ isOver: true, isSum: true });
      expect(events.filter(({ type, path }) => type === 'join-lead' && path === pathOf('lost'))).toHaveLength(1);
      expect(await rowsOf('lost')).toEqual(await rowsOf('alone'));
      // Each stage was made again once, whichever machine coordinated.
      const before = readdirSync(pathOf('lost')).filter((name) => /^stage-\d-[a-z]+_/.test(name));
      expect(before.map((name) => name.replace(/_.*/, ''))).toEqual(FOLDERS);
    },
  );

  test(
    'the coordinator is killed while two stages select: another machine goes on with both, below the limit of their model',
    { tags: 'long' },
    async () => {
      const { simulator } = cluster;
      const select = { where: "id > '5'" };
      // So many that each needs several steps.
      const declared = stages()
        .slice(0, 3)
        .map((stage) => (stage.name === 'topics' ? stage : { ...stage, rows: ROWS, select }));
      await using designer = cluster.newDesigner();
      await composeOf(designer, 'chosen', declared).run();
      await holdAfter(simulator, ROWS);
      const created = machines.command(cluster.createArgs('choosing', { config: { stages: declared }, rows: ROWS }));
      const { events, joined, until } = joinAndListen('choosing');
      const selections = BRANCHES.map((branch) => pathOf('choosing', branch));
      const candidates = selections.map((path) => join(path, 'candidates'));
      for (const path of candidates) await until('join-start', path);
      created.child.kill('SIGKILL');
      await created.finished;
      for (const path of candidates) await until('join-lead', path);
      const led = () => events.flatMap(({ type, path }) => (type === 'join-lead' && path !== undefined ? [path] : []));
      // Answers come one by one, and a step has several: each look sees those of the new coordinator.
      const limits = new Map<string, unknown>();
      const areLed = async () => {
        for (const [at, path] of candidates.entries()) {
          const isLed = led().includes(selections[at] ?? '');
          if (isLed && !limits.has(path) && attemptsIn(path).length > 0) limits.set(path, limitsIn(path));
        }
        await simulator.releaseHeld(1);
        return limits.size === candidates.length;
      };
      await expect.poll(areLed, { timeout: WAIT_MS, interval: 20 }).toBe(true);
      const [ofLeft, ofRight] = candidates.map((path) => limits.get(path));
      expect(ofLeft).toEqual(expect.any(String));
      expect(ofRight).toBe(ofLeft);
      await simulator.release();
      expect(await joined).toMatchObject({ isOver: true });
      expect(led().toSorted()).toEqual([pathOf('choosing'), ...candidates, ...selections].toSorted());
      expect((await simulator.stats()).maxInFlight).toBe(AT_A_TIME);
      for (const stage of FOLDERS.slice(0, 3))
        expect(await rowsIn(pathOf('choosing', stage))).toEqual(await rowsIn(pathOf('chosen', stage)));
    },
  );

  for (const { when, answers, reused } of [
    { when: 'the first stage', answers: 3, reused: [] },
    { when: 'two branches', answers: ROWS + 2, reused: ['topics'] },
    { when: 'a selection', answers: 3 * ROWS + 1, reused: ['topics', 'left', 'right'] },
  ])
    test(`a resume on the cluster goes on where all machines were killed in ${when}`, { tags: 'long' }, async () => {
      const { simulator } = cluster;
      const name = `dead-${answers}`;
      await holdAfter(simulator, answers);
      const killed = [machines.command(createArgs(name)), machines.command(joinArgs(name))];
      await untilHeld(simulator, answers);
      for (const { child } of killed) child.kill('SIGKILL');
      await Promise.all(killed.map(({ finished }) => finished));
      await simulator.release();
      const joined: ReturnType<TestMachines['join']>[] = [];
      const { ended, reusedStages } = await run(name, {
        resume: 'always',
        // Earlier it would continue the workflow itself.
        onEvent: ({ type }) =>
          type === 'stage-start' && joined.length === 0 && joined.push(machines.join(pathOf(name))),
      });
      expect([ended, reusedStages]).toEqual([null, new Set(reused)]);
      expect(await joined[0]).toMatchObject({ isOver: true });
      await expectAsAlone(name);
    });

  test('a resume on the cluster goes on with a workflow of one machine that was killed', { tags: 'long' }, async () => {
    const { simulator } = cluster;
    await holdAfter(simulator, ROWS + 2);
    const [connection] = [createArgs('solo').indexOf('--cluster')];
    const { child, finished } = machines.command(createArgs('solo').slice(0, connection));
    await untilHeld(simulator, ROWS + 2);
    child.kill('SIGKILL');
    await finished;
    await simulator.release();
    const joined = machines.command(joinArgs('solo'));
    const resumed = machines.command([...createArgs('solo'), '--resume', 'always']);
    expect(await resumed.finished).toMatchObject({ code: 0 });
    expect(await joined.finished).toMatchObject({ code: 0 });
    await expectAsAlone('solo');
  });

  test('a resume is refused while a machine of the lost coordinator works', { tags: 'long' }, async () => {
    const { simulator } = cluster;
    await holdAfter(simulator, ROWS + 2);
    const created = machines.command(createArgs('living'));
    await untilHeld(simulator, ROWS + 2);
    const { joined, until } = joinAndListen('living');
    await until('join-start');
    created.child.kill('SIGKILL');
    await created.finished;
    await expect(run('living', { resume: 'always' })).rejects.toMatchObject({ code: 'dataset/locked' });
    await simulator.release();
    expect(await joined).toMatchObject({ isOver: true });
    await expectAsAlone('living');
  });

  test('a coordinator that leaves hands the workflow over', { tags: 'long' }, async () => {
    const { simulator } = cluster;
    const leaving = new AbortController();
    await holdAfter(simulator, 3);
    let present = 0;
    const made = run('left', {
      cluster: { connection: cluster.redis.address, leave: leaving.signal },
      onEvent: (event) => {
        if (event.type !== 'stage-event' || event.event.type !== 'progress') return;
        present = Math.max(present, event.event.snapshot.machines?.length ?? 0);
      },
    });
    const { joined } = joinAndListen('left');
    await untilHeld(simulator, 3);
    await expect.poll(() => present, { timeout: WAIT_MS }).toBe(2);
    leaving.abort(new Error('by a test'));
    await simulator.release();
    await expect(made).rejects.toMatchObject({ code: 'cluster/handed-over', data: { path: pathOf('left') } });
    expect(await joined).toMatchObject({ isOver: true });
    await expectAsAlone('left');
  });

  test(
    'a coordinator that was suspended goes on as an ordinary machine, and has the stages in the end',
    { tags: 'long' },
    async () => {
      const { simulator } = cluster;
      await holdAfter(simulator, ROWS + 2);
      const { child, finished } = machines.command(createArgs('suspended'));
      await untilHeld(simulator, ROWS + 2);
      const { joined, until } = joinAndListen('suspended');
      // In whichever branch has begun.
      await until('join-start');
      child.kill('SIGSTOP');
      await until('join-lead');
      child.kill('SIGCONT');
      await simulator.release();
      expect(await joined).toMatchObject({ isOver: true });
      const { code, stderr } = await finished;
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: expect.stringContaining('another machine coordinates the run'),
      });
      await expectAsAlone('suspended');
    },
  );

  test('a coordinator that is suspended until the workflow has ended learns why', { tags: 'long' }, async () => {
    const { simulator } = cluster;
    const [topics = 0, left = 0] = costs.values();
    const most = String(topics + left * 1.2);
    await holdAfter(simulator, ROWS + 2);
    const { child, finished } = machines.command([...createArgs('asleep'), '--max-cost', most]);
    await untilHeld(simulator, ROWS + 2);
    const { joined, until } = joinAndListen('asleep');
    await until('join-start');
    child.kill('SIGSTOP');
    await until('join-lead');
    await simulator.release();
    expect(await joined).toMatchObject({ isOver: true });
    child.kill('SIGCONT');
    // A limit of the user is no failure.
    const { code, stderr } = await finished;
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('another machine coordinates the run'),
    });
    expect(stderr).toContain('The budget');
  });

  test(
    'a program that has lost its lease continues its workflow with functions where no other machine can',
    { tags: 'long' },
    async () => {
      const { simulator, redis } = cluster;
      await holdAfter(simulator, ROWS + 2);
      const changed = Promise.withResolvers<void>();
      const made = machines.run((designer) => withMap(designer, 'stolen'), {
        onEvent: ({ type }) => type === 'coordinator-change' && changed.resolve(),
      });
      await untilHeld(simulator, ROWS + 2);
      const { events, joined, until } = joinAndListen('stolen');
      await until('join-start');
      const [session = ''] = readdirSync(pathOf('stolen', 'cluster'));
      await redis.client.set(`{dd-${session}}:coordinator`, 'a machine that is lost at once');
      await changed.promise;
      await redis.client.del(`{dd-${session}}:coordinator`);
      await simulator.release();
      const { ended, stageResults, finalStageName } = await made;
      expect([ended, stageResults.size, finalStageName]).toEqual([null, FOLDERS.length + 1, 'last']);
      expect(await joined).toMatchObject({ isOver: true });
      expect(events.filter(({ type, path }) => type === 'join-lead' && path === pathOf('stolen'))).toEqual([]);
      expect(await rowsOf('stolen')).toEqual(await rowsOf('alone'));
    },
  );

  for (const { when, disturb } of [
    { when: '', disturb: () => {} },
    { when: ' although Redis is emptied', disturb: () => void cluster.redis.client.flushall() },
  ])
    test(
      `a coordinator that leaves between two stages hands the workflow over at once${when}`,
      { tags: 'long' },
      async () => {
        const { simulator } = cluster;
        const name = `between${when.length}`;
        const leaving = new AbortController();
        await holdAfter(simulator, 3);
        // A lost coordinator would be missed for longer than an offer lasts.
        const settings = { connection: cluster.redis.address, work: false, leaseSeconds: 40 };
        const made = run(name, {
          cluster: { ...settings, leave: leaving.signal },
          onEvent: (event) => {
            if (event.type !== 'stage-end' || event.stage !== 'topics') return;
            leaving.abort(new Error('by a test'));
            disturb();
          },
        });
        const { events, joined } = joinAndListen(name, { onLead: disturb });
        await untilHeld(simulator, 3);
        await simulator.release();
        await expect(made).rejects.toMatchObject({ code: 'cluster/handed-over', data: { path: pathOf(name) } });
        expect(await joined).toMatchObject({ isOver: true });
        expect(events.filter(({ type }) => type === 'join-lead')).toHaveLength(1);
        await expectAsAlone(name);
      },
    );

  test('a coordinator that leaves between two stages ends the workflow if it is alone', { tags: 'long' }, async () => {
    const leaving = new AbortController();
    const made = run('alone-left', {
      cluster: { connection: cluster.redis.address, leave: leaving.signal },
      onEvent: (event) => {
        if (event.type === 'stage-end' && event.stage === 'topics') leaving.abort(new Error('by a test'));
      },
    });
    await expect(made).rejects.toMatchObject({ code: 'run/aborted' });
    expect(readdirSync(pathOf('alone-left'))).not.toContain('cluster');
    expect((await run('alone-left', { resume: 'always' })).reusedStages).toEqual(new Set(['topics']));
    await expectAsAlone('alone-left');
  });

  test(
    'a machine leaves; Ctrl-C on the coordinator ends the workflow on all machines, and a resume goes on',
    { tags: 'long' },
    async () => {
      const { simulator } = cluster;
      await holdAfter(simulator, 3);
      const created = machines.command(createArgs('stopped'));
      const other = machines.command(joinArgs('stopped'));
      const leaving = new AbortController();
      const { joined, until } = joinAndListen('stopped', { drain: leaving.signal });
      await Promise.all([until('join-progress'), untilHeld(simulator, 3)]);
      leaving.abort(new Error('by a test'));
      await simulator.release();
      await simulator.holdAfter(0);
      expect(await joined).toMatchObject({ isOver: false });
      created.child.kill('SIGINT');
      await simulator.release();
      expect(await created.finished).toMatchObject({ code: 130, stderr: expect.stringContaining('Continue with:') });
      expect(await other.finished).toMatchObject({ code: 0 });
      expect((await run('stopped', { resume: 'always' })).ended).toBe(null);
      await expectAsAlone('stopped');
    },
  );

  test(
    'a workflow with functions waits for its program where the coordinator is lost in a selection',
    { tags: 'long' },
    async () => {
      const { simulator } = cluster;
      const lost = new AbortController();
      await holdAfter(simulator, 3 * ROWS + 1);
      const made = machines.run((designer) => withMap(designer), { signal: lost.signal });
      const { events, joined, until } = joinAndListen('mapped');
      await until('join-start', pathOf('mapped', 'stage-3-both', 'candidates'));
      await untilHeld(simulator, 3 * ROWS + 1);
      lost.abort(new Error('by a test'));
      await expect(made).rejects.toMatchObject({ code: 'run/aborted' });
      await simulator.release();
      await until('join-cannot-lead');
      expect(events.find(({ type }) => type === 'join-cannot-lead')?.reason).toContain("stage 'last'");
      // The stage at work was finished.
      expect(await rowsOf('mapped')).toEqual(await rowsOf('alone'));
      const resumed = await machines.run((designer) => withMap(designer), { resume: 'always' });
      expect([resumed.ended, resumed.stageResults.size]).toEqual([null, FOLDERS.length + 1]);
      expect(await joined).toMatchObject({ isOver: true });
    },
  );

  test(
    'a machine without the seed of a workflow finishes the stage at work, then waits for a coordinator that has it',
    { tags: 'long' },
    async () => {
      const { simulator } = cluster;
      const seed = pathOf('words.csv');
      writeFileSync(seed, 'word\nmoon\nsalt\n');
      const seeded = (designer: DataDesigner) => {
        const config = {
          ...configOf(text('about', 'Describe {{ word }}')),
          seed_config: { source: { seed_type: 'local', path: seed } },
        };
        return designer
          .composeWorkflow('seeded')
          .addStage('words', { document: config, source: 'words' }, { rows: 8 })
          .addStage('last', { document: { columns: [] }, source: 'last' });
      };
      const lost = new AbortController();
      await holdAfter(simulator, 2);
      const made = machines.run(seeded, { signal: lost.signal });
      const { events, joined, until } = joinAndListen('seeded');
      await Promise.all([until('join-progress'), untilHeld(simulator, 2)]);
      lost.abort(new Error('by a test'));
      await expect(made).rejects.toMatchObject({ code: 'run/aborted' });
      renameSync(seed, `${seed}.away`);
      await simulator.release();
      await until('join-cannot-lead');
      expect(events.find(({ type }) => type === 'join-cannot-lead')?.reason).toContain('words.csv does not exist');
      renameSync(`${seed}.away`, seed);
      const { answers } = await simulator.stats();
      expect((await machines.run(seeded, { resume: 'always' })).ended).toBe(null);
      expect(await joined).toMatchObject({ isOver: true });
      // All rows of the stage were made before.
      expect((await simulator.stats()).answers).toBe(answers);
    },
  );

  test('a coordinator that makes no rows is refused if a later stage has tools of a single machine', async () => {
    const last = {
      ...stages()[0]?.config,
      tool_configs: [{ tool_alias: 'facts', providers: ['demo-tools'], single_machine: true }],
      columns: [{ ...text('fact', 'A fact of {{ both }}.'), tool_alias: 'facts' }],
    };
    const withTools = (designer: DataDesigner) =>
      compose(designer, 'tooled').addStage('last', { document: last, source: 'last' });
    const { requests } = await cluster.simulator.stats();
    const settings = { connection: cluster.redis.address, work: false };
    await expect(machines.run(withTools, { cluster: settings })).rejects.toMatchObject({
      code: 'cluster/single-machine',
      data: { alias: 'facts' },
    });
    expect((await cluster.simulator.stats()).requests).toBe(requests);
  });
});
