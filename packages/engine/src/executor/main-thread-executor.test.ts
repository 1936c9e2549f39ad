import { once } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { DataDesignerError, type Plan, rowGroups, type UserFunction } from '@data-designer/core';
import { readStreams } from '@data-designer/dataset';
import { GatewayHere, openRouter } from '../../test/run-here.ts';
import { expression, type PlanOptions, planOf, sampled } from '../../test/plan-of.ts';
import type { GroupProgress } from '../row-group/group-progress.ts';
import type { ExecutorOptions, GroupChannels } from './executor.ts';
import { fitsMainThread, MainThreadExecutor } from './main-thread-executor.ts';
import { ThreadExecutor } from './thread-executor.ts';
import { WorkerPool } from './worker-pool.ts';

const TOPIC = sampled('topic', 'category', { params: { values: ['moon', 'salt', 'rain'] } });
const SAID = expression('said', 'On {{ topic }}');
const BROKEN = expression('broken', '{{ topic.missing.name }}');
const OPTIONS: ExecutorOptions = { groups: 1, maxConcurrentRowGroups: 1, onEvent: () => {} };

function planWith(columns: readonly object[], options: PlanOptions = {}): Plan {
  return planOf({ columns: [TOPIC, ...columns] }, options);
}

/** A plan with a column that asks a model. */
function askingPlan(column: object = {}): Plan {
  const asking = {
    name: 'asked',
    column_type: 'llm-text',
    model_alias: 'writer',
    prompt: 'Say {{ topic }}',
    ...column,
  };
  const model_configs = [{ alias: 'writer', model: 'm', provider: 'here' }];
  const tool_configs = [{ tool_alias: 'facts', providers: ['demo'] }];
  return planOf({ model_configs, tool_configs, columns: [TOPIC, asking] });
}

function channelsOf(plan: Plan): GroupChannels {
  const gateway = new GatewayHere(openRouter(plan, { models: [], tools: [] }));
  return {
    open: (group) => gateway.openGroup(group, null),
    destination: () => ({ kind: 'memory' }),
    redact: (value) => Promise.resolve(value),
  };
}

test('makes the same rows as worker threads', async () => {
  const plan = planWith([SAID], { numRecords: 200 });
  await using pool = new WorkerPool();
  const tables = [];
  for (const executor of [new MainThreadExecutor(plan, OPTIONS), new ThreadExecutor(plan, { ...OPTIONS, pool })]) {
    const [result] = await Array.fromAsync(executor.run(rowGroups(plan), channelsOf(plan)));
    await executor[Symbol.asyncDispose]();
    const output = result?.output;
    tables.push(await Array.fromAsync(readStreams(output && 'bytes' in output ? [output.bytes] : [])));
  }
  expect(tables[0]).toHaveLength(200);
  expect(tables[0]).toEqual(tables[1]);
});

test('opens the next group once the consumer has taken the one before', async () => {
  const plan = planWith([SAID], { numRecords: 6, run: { bufferSize: 2 } });
  await using executor = new MainThreadExecutor(plan, OPTIONS);
  const channels = channelsOf(plan);
  const steps: string[] = [];
  const open = (group: number) => {
    steps.push(`open ${group}`);
    return channels.open(group);
  };
  for await (const { group } of executor.run(rowGroups(plan), { ...channels, open })) steps.push(`made ${group}`);
  expect(steps).toEqual(['open 0', 'made 0', 'open 1', 'made 1', 'open 2', 'made 2']);
});

const redact: GroupChannels['redact'] = (value) =>
  Promise.resolve(JSON.parse(JSON.stringify(value).replaceAll('broken', 'hidden')));

test('redacts lost rows in results and in progress', async () => {
  const plan = planWith([BROKEN], { numRecords: 3 });
  const told: GroupProgress[] = [];
  await using executor = new MainThreadExecutor(plan, {
    ...OPTIONS,
    onProgress: (groups) => void told.push(...groups),
  });
  const [result] = await Array.fromAsync(executor.run(rowGroups(plan), { ...channelsOf(plan), redact }));
  expect(result?.lost).toMatchObject([{ column: 'hidden', rows: 3 }]);
  expect(JSON.stringify([result?.failures, told])).not.toContain('broken');
});

test('ends with the failure of a group', async () => {
  const plan = planWith([SAID]);
  await using executor = new MainThreadExecutor(plan, OPTIONS);
  const failure = new DataDesignerError('run/gateway-lost', { reason: 'by a test' });
  const open = (): never => {
    throw failure;
  };
  const made = Array.fromAsync(executor.run(rowGroups(plan), { ...channelsOf(plan), open }));
  await expect(made).rejects.toBe(failure);
});

test('disposing it ends the open group, whose calls get no answer', async () => {
  const plan = askingPlan();
  const executor = new MainThreadExecutor(plan, OPTIONS);
  const { port1: unanswered, port2 } = new MessageChannel();
  const asked = once(unanswered, 'message');
  const making = executor.run(rowGroups(plan), { ...channelsOf(plan), open: () => port2 }).next();
  making.catch(() => {});
  await asked;
  await executor[Symbol.asyncDispose]();
  await expect(making).rejects.toMatchObject({ code: 'run/aborted' });
});

test('disposing it begins no further row', async () => {
  const plan = planWith([expression('slow', '{% for i in range(20000) %}{% endfor %}{{ topic }}')], {
    numRecords: 1000,
  });
  let done = 0;
  const onProgress = ([group]: readonly GroupProgress[]): void => void (done = group?.rows ?? 0);
  const executor = new MainThreadExecutor(plan, { ...OPTIONS, onProgress });
  const making = executor.run(rowGroups(plan), channelsOf(plan)).next();
  making.catch(() => {});
  await expect.poll(() => done).toBeGreaterThan(0);
  await executor[Symbol.asyncDispose]();
  await expect(making).rejects.toMatchObject({ code: 'run/aborted' });
  expect(done).toBeLessThan(1000);
});

const validated = {
  name: 'valid',
  column_type: 'validation',
  target_columns: ['said'],
  validator_type: 'code',
  validator_params: { code_lang: 'python' },
};
const FUNCTIONS = new Map<string, UserFunction>([['f', () => 1]]);

test.each([
  { what: 'samplers and expressions', plan: planWith([SAID]), fits: true },
  { what: '1,000 rows', plan: planWith([SAID], { numRecords: 1000 }), fits: true },
  { what: '1,001 rows', plan: planWith([SAID], { numRecords: 1001, run: { bufferSize: 3000 } }), fits: false },
  { what: 'a column of a model', plan: askingPlan(), fits: true },
  { what: 'a column with tools', plan: askingPlan({ tool_alias: 'facts' }), fits: false },
  { what: 'two row groups', plan: planWith([SAID]), options: { groups: 2 }, fits: false },
  { what: 'functions of the program', plan: planWith([SAID]), options: { functions: FUNCTIONS }, fits: false },
  { what: 'code that is checked', plan: planWith([SAID, validated]), fits: false },
  { what: 'all of Jinja2', plan: planWith([SAID], { run: { jinjaRenderingEngine: 'native' } }), fits: false },
  { what: 'a plug-in', plan: { ...planWith([SAID]), plugins: ['file:///plugin.js'] }, fits: false },
])('whether a run may use the main thread: $what', ({ plan, options, fits }) => {
  expect(fitsMainThread(plan, { ...OPTIONS, ...options })).toBe(fits);
});
