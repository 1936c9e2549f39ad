import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DataDesigner } from 'data-designer';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Plan } from '@data-designer/core';
import { readDataset } from '@data-designer/dataset';
import { run, type RunEvent, type RunOptions, WorkerPool } from '@data-designer/engine';
import { AnsweringModels, refuse, say } from '../packages/gateway/test/answering-models.ts';
import { completion, reply } from '@data-designer/testing/answering-server';

const GROUP = 50;
const ROWS = 2 * GROUP;
const PLUGIN = fileURLToPath(new URL('poisoned-plugin.ts', import.meta.url));
const NEVER = new AbortController().signal;

/** Cells of the first group, asked for side by side; none of the second is poisoned. */
const BLOCKED = 1;
const IN_FLIGHT = 8;
const HUNGRY = 3;

// A heap that a hungry cell fills soon; a cell that blocks is found within seconds, not half a minute.
const pool = new WorkerPool({ silenceMs: 8000, resourceLimits: { maxOldGenerationSizeMb: 120 } });
let models: AnsweringModels;
let folder: string;
let events: RunEvent[] = [];

beforeAll(async () => {
  models = await AnsweringModels.open();
  folder = mkdtempSync(join(tmpdir(), 'poisoned-cells-'));
});
beforeEach(() => models.reset());
afterAll(async () => {
  models[Symbol.dispose]();
  await pool[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

async function planOf(column: object, more: object = {}): Promise<Plan> {
  const document = {
    model_configs: [
      { alias: 'writer', model: 'm', provider: 'here', inference_parameters: { max_parallel_requests: IN_FLIGHT } },
    ],
    columns: [
      { name: 'id', column_type: 'sampler', sampler_type: 'uuid', params: {} },
      { name: 'said', column_type: 'llm-text', model_alias: 'writer', prompt: 'Say {{ id }}.' },
      { name: 'checked', column_type: 'poisoned', text: 'said', ...column },
    ],
    ...more,
  };
  const designer = new DataDesigner({
    providers: providers(),
    plugins: [PLUGIN],
    runConfig: { seed: 5, bufferSize: GROUP },
  });
  return designer.validate({ document, source: 'the test' }, { numRecords: ROWS });
}

function providers() {
  const here = { name: 'here', endpoint: models.endpoint, providerType: 'openai', apiKey: null };
  return { models: [{ ...here, extraBody: null, extraHeaders: null }], tools: [] };
}

function start(plan: Plan, options: Partial<RunOptions> & Pick<RunOptions, 'datasetName'>) {
  events = [];
  return run(plan, {
    providers: providers(),
    pool,
    modelServers: [],
    admission: null,
    allowPrivate: false,
    tables: [],
    maxConcurrentRowGroups: 2,
    skippedProbes: new Map(),
    ends: { maxDurationSeconds: null, errorRate: null },
    signal: NEVER,
    drain: NEVER,
    artifactPath: folder,
    resume: 'never',
    format: 'parquet',
    seed: null,
    document: {},
    onEvent: (event) => void events.push(event),
    ...options,
  });
}

const losses = () => events.filter(({ type }) => type === 'worker-fail').length;

const code = 'cell/killed-worker';
const BLOCKS = { row: BLOCKED, column: 'checked', code, message: expect.stringContaining('blocked its worker thread') };
const FILLS = { row: HUNGRY, column: 'checked', code, message: expect.stringContaining('reaching memory limit') };

/** All rows but those that failed are there, each with its own answer. */
async function expectRest(name: string, failed: readonly object[]): Promise<void> {
  const rows = (await Array.fromAsync(readDataset(join(folder, name)))) as { said: string; checked: string }[];
  expect(rows).toHaveLength(ROWS - failed.length);
  expect(rows.every(({ said, checked }) => said === checked)).toBe(true);
  const lines = readFileSync(join(folder, name, 'failures.jsonl'), 'utf8')
    .trim()
    .split('\n');
  const failures = lines.map((line) => JSON.parse(line) as { readonly row: number });
  expect(failures.toSorted((a, b) => a.row - b.row)).toMatchObject(failed);
}

test(
  'a cell that blocks its worker thread costs its row only, and no request is repeated',
  { tags: 'long', timeout: 300_000 },
  async () => {
    const plan = await planOf({ blocked_rows: [BLOCKED] });
    const { summary } = await start(plan, { datasetName: 'fresh' });
    expect(summary.lost).toMatchObject([{ column: 'checked', code: 'cell/killed-worker', rows: 1 }]);
    expect(losses()).toBeGreaterThan(0);
    expect(models.asked).toHaveLength(ROWS);
    expect(new Set(models.asked.map(({ prompt }) => prompt)).size).toBe(ROWS);
    await expectRest('fresh', [BLOCKS]);
  },
);

test(
  'a cell that blocks its worker thread in a retry of lost rows costs its row only, and no answer is bought again',
  { timeout: 300_000, tags: ['long'] },
  async () => {
    const plan = await planOf({ blocked_rows: [BLOCKED] });
    const answered: string[] = [];
    models.answer = (one, response) => {
      // The first rows, the poisoned one among them, are lost before their cells are checked.
      if (models.asked.length <= IN_FLIGHT) return refuse(response, 422);
      answered.push(one.prompt);
      say(one, response);
    };
    const options = { datasetName: 'retried' } as const;
    // One group after the other: the first requests are those of the first rows.
    const once = { ...options, maxConcurrentRowGroups: 1 };
    expect((await start(plan, once)).summary.lost).toMatchObject([{ column: 'said', rows: IN_FLIGHT }]);
    expect(losses()).toBe(0);
    const { summary } = await start(plan, { ...options, resume: 'always', retryLost: true });
    expect(losses()).toBeGreaterThan(0);
    expect(summary.lost).toMatchObject([{ column: 'checked', code: 'cell/killed-worker', rows: 1 }]);
    await expectRest('retried', [BLOCKS]);
    expect([answered.length, new Set(answered).size]).toEqual([ROWS, ROWS]);
    expect(summary.pricedUsage(plan)['writer']?.requests).toBe(models.asked.length);
  },
);

test(
  'a resume finds cells whose answers block without requests, and the next one skips them',
  { tags: 'long', timeout: 300_000 },
  async () => {
    const plan = await planOf({ blocked_rows: [BLOCKED], hungry_rows: [HUNGRY] });
    const stopAt = async (type: RunEvent['type'], options: Partial<RunOptions> = {}): Promise<void> => {
      const stop = new AbortController();
      const onEvent = (event: RunEvent): void => {
        events.push(event);
        if (event.type === type) stop.abort(new Error('by the test'));
      };
      const stopped = start(plan, { datasetName: 'resumed', onEvent, signal: stop.signal, ...options });
      await expect(stopped).rejects.toMatchObject({ code: 'run/aborted' });
    };
    await stopAt('worker-fail');
    // The look at the journals meets the cells, before the run begins.
    await stopAt('run-start', { resume: 'always' });
    expect(losses()).toBeGreaterThan(0);
    const { summary } = await start(plan, { datasetName: 'resumed', resume: 'always' });
    expect(losses()).toBe(0);
    expect(summary.rows).toBe(ROWS - 2);
    // Only what was under way when the first run was stopped is asked again.
    expect(models.asked.length).toBeLessThanOrEqual(ROWS + IN_FLIGHT);
    await expectRest('resumed', [BLOCKS, FILLS]);
  },
);

test(
  'a cell of an attempt that blocks its worker thread costs that attempt alone',
  { tags: 'long', timeout: 300_000 },
  async () => {
    const seen = new Set<string>();
    models.answer = (one, response) => {
      const isFirst = !seen.has(one.prompt);
      seen.add(one.prompt);
      if (isFirst) reply(response, completion('dead'));
      else say(one, response);
    };
    const attempts = [{ name: 'solve', columns: ['said', 'checked'], until: "checked != 'dead'", max: 3 }];
    const plan = await planOf({ blocked_rows: [BLOCKED], blocked_text: 'dead' }, { attempts });
    const { summary } = await start(plan, { datasetName: 'attempts' });
    expect(losses()).toBeGreaterThan(0);
    expect([summary.rows, summary.lost]).toEqual([ROWS, []]);
    expect(models.asked).toHaveLength(2 * ROWS);
    const rows = (await Array.fromAsync(readDataset(join(folder, 'attempts')))) as { solve__attempts: number }[];
    expect(new Set(rows.map(({ solve__attempts: count }) => count))).toEqual(new Set([2]));
  },
);
