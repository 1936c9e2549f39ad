import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DataDesigner } from '@data-designer/designer';
import { loadDataset } from '@data-designer/results';
import { type AnsweringServer, completion, openAnsweringServer, reply } from '@data-designer/testing/answering-server';
import { testFolder } from '@data-designer/testing/test-folder';
import { until } from '@data-designer/testing/until';
import { NO_REDIS, startRedis, type TestRedis } from '../test/start-redis.ts';

const artifactPath = testFolder('shared-runs');
const GROUP = 4;
const ROWS = 4 * GROUP;
let redis: TestRedis;
let model: AnsweringServer;
/** The requests to the model, and how many of them are answered before the others wait. */
let requests = 0;
let free = Infinity;
let waiting: (() => void)[] = [];
let designers: DataDesigner[] = [];

function release(): void {
  free = Infinity;
  for (const go of waiting) go();
  waiting = [];
}

beforeAll(async () => {
  if (NO_REDIS) return;
  redis = await startRedis();
  model = await openAnsweringServer(async (body, response) => {
    if (++requests > free) await new Promise<void>((resolve) => waiting.push(resolve));
    const { messages } = JSON.parse(body) as { messages: { content: string }[] };
    const usage = { prompt_tokens: 10, completion_tokens: 1 };
    reply(response, completion(`Answer to ${messages.at(-1)?.content ?? ''}`, usage));
  });
});
afterAll(async () => {
  model?.[Symbol.dispose]();
  await redis?.[Symbol.asyncDispose]();
});
beforeEach(() => {
  requests = 0;
  free = Infinity;
});
afterEach(async () => {
  release();
  for (const designer of designers) await designer[Symbol.asyncDispose]();
  designers = [];
});

const own = () => [{ name: 'own', endpoint: model.origin }];

/** One machine; they all share the folder. */
function machine(models: readonly object[] = own()): DataDesigner {
  const runConfig = { seed: 3, bufferSize: GROUP };
  const designer = new DataDesigner({ artifactPath, providers: { models, tools: [] } as never, runConfig });
  designers.push(designer);
  return designer;
}

const writer = {
  alias: 'writer',
  model: 'm',
  provider: 'own',
  skip_health_check: true,
  pricing: { input: 1, output: 1 },
  inference_parameters: { max_parallel_requests: 6 },
};
const uuid = { name: 'id', column_type: 'sampler', sampler_type: 'uuid', params: {} };
const text = { name: 'text', column_type: 'llm-text', model_alias: 'writer', prompt: 'Say {{ id }}' };
const declared = (more: object = {}) => ({
  document: { model_configs: [writer], columns: [uuid, text], ...more },
  source: 'test',
});

type Created = Omit<NonNullable<Parameters<DataDesigner['create']>[1]>, 'cluster'>;
const clustered = (settings: object = {}) => ({ connection: redis.address, leaseSeconds: 3, ...settings });
const create = (
  datasetName: string,
  { cluster, ...more }: Created & { readonly cluster?: object } = {},
  config = declared(),
) => machine().create(config, { numRecords: ROWS, datasetName, cluster: clustered(cluster), ...more });
const joined = (name: string, more: object = {}, models?: readonly object[]) =>
  machine(models).join(pathOf(name), { connection: redis.address, ...more });

const pathOf = (...names: string[]): string => join(artifactPath, ...names);
const rowsIn = async (name: string) => Array.fromAsync((await loadDataset(pathOf(name))).records());
const usageIn = (name: string) =>
  (
    JSON.parse(readFileSync(pathOf(name, 'metadata.json'), 'utf8')) as {
      readonly usage: Readonly<Record<string, { requests: number }>>;
    }
  ).usage['writer'];

describe.skipIf(NO_REDIS)(`runs that machines share${NO_REDIS ? ` (skipped: ${NO_REDIS})` : ''}`, () => {
  test('three machines make a dataset together, and one of them may leave it', { tags: 'long' }, async () => {
    free = 4;
    const seen = new Set<number>();
    const created = create('together', {
      onEvent: (event) => event.type === 'progress' && seen.add(event.snapshot.machines?.length ?? 0),
    });
    const events: { readonly type: string; readonly folder?: string }[] = [];
    const stays = joined('together', { onEvent: (event: { type: string }) => events.push(event) });
    const leave = new AbortController();
    const leaves = joined('together', { drain: leave.signal });
    await expect.poll(() => Math.max(0, ...seen)).toBe(3);
    const stored = await redis.client.keys('*');
    expect(stored.length).toBeGreaterThan(0);
    expect(existsSync(pathOf('together', 'cluster'))).toBe(true);
    leave.abort();
    release();
    expect(await leaves).toMatchObject({ isOver: false, ended: null, path: pathOf('together') });
    const results = await created;
    expect([results.count, results.ended]).toEqual([ROWS, null]);
    const { isOver, rows, ended } = await stays;
    expect([isOver, ended, rows <= ROWS]).toEqual([true, null, true]);
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['join-start', 'join-progress']));
    expect(requests).toBe(ROWS);
    expect(usageIn('together')?.requests).toBe(ROWS);
    const made = await rowsIn('together');
    expect(made.map(({ text: said, id }) => said === `Answer to Say ${String(id)}`)).toEqual(made.map(() => true));
    expect(existsSync(pathOf('together', 'cluster'))).toBe(false);
    expect(existsSync(pathOf('together', '.lock'))).toBe(false);
    // What is over needs no work.
    expect(await joined('together')).toMatchObject({ isOver: true, rows: 0, ended: null });
    const alone = await machine().create(declared(), { numRecords: ROWS, datasetName: 'alone' });
    expect(await Array.fromAsync(alone.records())).toEqual(made);
    await expect(create('together', { resume: 'always' })).resolves.toMatchObject({ count: ROWS });
  });

  test(
    'a machine without the model of a run cannot take part, and a coordinator need not work',
    { tags: 'long' },
    async () => {
      free = 2;
      const created = create('apart', { cluster: { work: false } });
      await until(() => existsSync(pathOf('apart', 'run.json')));
      const other = [{ name: 'other', endpoint: model.origin }];
      await expect(joined('apart', {}, other)).rejects.toMatchObject({
        code: expect.stringMatching(/^cluster\//) as string,
        message: expect.stringContaining('own') as string,
      });
      expect(requests).toBe(0);
      const works = joined('apart');
      await until(() => requests > 2);
      release();
      expect((await created).count).toBe(ROWS);
      expect(await works).toMatchObject({ isOver: true, rows: ROWS });
    },
  );

  test('a coordinator that leaves hands its run over, and the last machine ends it', { tags: 'long' }, async () => {
    free = 3;
    const leave = new AbortController();
    const seen = new Set<number>();
    const created = create('handed', {
      cluster: { leave: leave.signal },
      onEvent: (event) => event.type === 'progress' && seen.add(event.snapshot.machines?.length ?? 0),
    });
    const stop = new AbortController();
    const events: string[] = [];
    const goesOn = joined('handed', {
      drain: stop.signal,
      onEvent: ({ type }: { type: string }) => void events.push(type),
    });
    await expect.poll(() => Math.max(0, ...seen)).toBe(2);
    leave.abort();
    const handed = created.catch((thrown: unknown) => thrown);
    await expect.poll(() => events).toContain('progress');
    stop.abort();
    release();
    expect(await handed).toMatchObject({ code: 'cluster/handed-over', data: { path: pathOf('handed') } });
    expect(events).toContain('join-lead');
    expect(await goesOn).toMatchObject({ isOver: true });
    expect(existsSync(pathOf('handed', 'cluster'))).toBe(false);
    const { count } = await create('handed', { resume: 'always' });
    expect(count).toBe(ROWS);
    expect(await rowsIn('handed')).toEqual(await rowsIn('alone'));
    expect(requests).toBe(ROWS);
  });

  test('a machine goes on with a selection whose coordinator is gone', { tags: 'long' }, async () => {
    const select = declared({ select: { where: "id > '8'", unique: [{ exact: ['text'] }] } });
    free = 3;
    const gone = new AbortController();
    const created = create('selected', { signal: gone.signal, numRecords: GROUP }, select);
    const events: string[] = [];
    const goesOn = joined('selected', { onEvent: ({ type }: { type: string }) => void events.push(type) });
    await expect.poll(() => events).toContain('join-progress');
    gone.abort(new Error('by a test'));
    await expect(created).rejects.toMatchObject({ code: 'run/aborted' });
    release();
    expect(await goesOn).toMatchObject({ isOver: true, path: pathOf('selected') });
    expect(events).toContain('join-lead');
    const rows = await rowsIn('selected');
    expect(rows).toHaveLength(GROUP);
    expect(rows.every(({ id }) => String(id) > '8')).toBe(true);
    expect(existsSync(pathOf('selected', 'cluster'))).toBe(false);
  });

  test(
    'machines make the stages of a workflow, and one takes it over from a coordinator that leaves',
    { tags: 'long' },
    async () => {
      const compose = (designer: DataDesigner) =>
        designer
          .composeWorkflow('flow')
          .addStage('first', declared(), { rows: 2 * GROUP })
          .addStage('second', {
            source: 'second',
            document: { model_configs: [writer], columns: [{ ...text, name: 'more', prompt: 'On {{ text }}' }] },
          });
      free = 3;
      const leave = new AbortController();
      const made = compose(machine()).run({ cluster: clustered({ leave: leave.signal }) });
      const handed = made.catch((thrown: unknown) => thrown);
      const events: string[] = [];
      const goesOn = joined('flow', { onEvent: ({ type }: { type: string }) => void events.push(type) });
      await expect.poll(() => events).toContain('join-progress');
      leave.abort();
      await expect.poll(() => events).toContain('join-lead');
      release();
      expect(await handed).toMatchObject({ code: 'cluster/handed-over' });
      expect(await goesOn).toMatchObject({ isOver: true });
      const rows = await rowsIn(join('flow', 'stage-1-second'));
      expect(rows).toHaveLength(2 * GROUP);
      expect(rows.every(({ text: said, more }) => more === `Answer to On ${String(said)}`)).toBe(true);
      expect(readdirSync(pathOf('flow'))).not.toContain('cluster');
      const results = await compose(machine()).run({ resume: 'always', cluster: clustered() });
      expect([...results.reusedStages]).toEqual(['first', 'second']);
    },
  );
});
