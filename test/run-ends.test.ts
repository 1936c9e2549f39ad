import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CreateOptions, DataDesigner, type DatasetCreationResults, loadDataset } from 'data-designer';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type RunningSimulator, startSimulator } from '@data-designer/simulator';
import type { DataDesignerError } from '@data-designer/core';
import { runCommand } from './command-line.ts';

const ROWS = 60;

let folder: string;
let simulator: RunningSimulator;
let designer: DataDesigner;

/** A simulator of certain flags, and a designer whose threads serve all tests with these. */
interface Started {
  readonly simulator: RunningSimulator;
  readonly designer: DataDesigner;
}

const started = new Map<string, Started>();

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'run-ends-'));
});

afterEach(() => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
});

afterAll(async () => {
  for (const one of started.values()) {
    await one.designer[Symbol.asyncDispose]();
    await one.simulator[Symbol.asyncDispose]();
  }
  rmSync(folder, { recursive: true });
});

const SETTINGS = { seed: 3, bufferSize: 10, maxConversationRestarts: 0 };

/** Gives a test the simulator with these flags, which has counted nothing. */
async function start(...flags: string[]): Promise<void> {
  const key = flags.join(' ');
  const one = started.get(key) ?? (await open(flags));
  started.set(key, one);
  ({ simulator, designer } = one);
  await fetch(`${simulator.origin}/stats/reset`, { method: 'POST' });
  set({});
}

async function open(flags: readonly string[]): Promise<Started> {
  const server = await startSimulator(...flags);
  const provider = { name: 'counted', endpoint: server.url, providerType: 'openai' } as const;
  return {
    simulator: server,
    designer: new DataDesigner({
      artifactPath: folder,
      providers: { models: [{ ...provider, apiKey: null, extraBody: null, extraHeaders: null }], tools: [] },
    }),
  };
}

const set = (settings: Parameters<DataDesigner['setRunConfig']>[0]) =>
  designer.setRunConfig({ ...SETTINGS, ...settings });

const PLAIN = {
  provider: 'counted',
  skip_health_check: true,
  structured_output: false,
  inference_parameters: { max_parallel_requests: 8 },
};
const ID = { name: 'id', column_type: 'sampler', sampler_type: 'uuid', params: {} };
const FIRST = { name: 'first', column_type: 'llm-text', model_alias: 'writer', prompt: 'Say {{ id }}.' };
const SECOND = { ...FIRST, name: 'second', prompt: 'Shorter: {{ first }}', with_trace: true };
const LENGTH = { name: 'length', column_type: 'expression', expr: '{{ second | length }}' };
const QUIZ = {
  name: 'quiz',
  column_type: 'llm-structured',
  model_alias: 'useless',
  prompt: 'Quiz {{ id }}',
  output_format: { type: 'object', properties: { x: { type: 'integer' } }, required: ['x'] },
};

function create(columns: readonly object[], options: CreateOptions = {}): Promise<DatasetCreationResults> {
  const model_configs = [
    { alias: 'writer', model: 'sim-small', ...PLAIN, pricing: { input: 1000, output: 1000 } },
    { alias: 'useless', model: 'sim-wrong-schema', ...PLAIN },
  ];
  const declared = { document: { model_configs, columns: [ID, ...columns] }, source: 'the test' };
  return designer.create(declared, { numRecords: ROWS, datasetName: 'made', ...options });
}

const files = (name: string) => readdirSync(join(folder, 'made', name)).toSorted();
const marks = () => files('journal').filter((name) => name.endsWith('.partial'));
const metadata = () => JSON.parse(readFileSync(join(folder, 'made', 'metadata.json'), 'utf8')) as object;

/** The groups that lines of a log are of. */
function groupsOf(log: string): (number | null)[] {
  const path = join(folder, 'made', log);
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => (JSON.parse(line) as { group: number | null }).group);
}

/** What a run that was ended has left: rows that can be read, and are counted, though not all are there. */
async function expectSurvivors(ended: { readonly count: number; records(): AsyncIterable<unknown> }): Promise<void> {
  expect(ended.count).toBeGreaterThan(0);
  expect(ended.count).toBeLessThan(ROWS);
  expect(await Array.fromAsync(ended.records())).toHaveLength(ended.count);
  expect(marks().length).toBeGreaterThan(0);
  const whole = files('parquet-files').filter((name) => !marks().includes(markOf(name))).length;
  expect(metadata()).toMatchObject({ actual_num_records: ended.count, num_completed_batches: whole });
}

const markOf = (batch: string) => batch.replace('batch', 'group').replace('.parquet', '.partial');

/** Goes on to the end, for nothing twice, and compares with a run that was not ended. */
async function expectWhole(): Promise<void> {
  const whole = await create([FIRST, SECOND, LENGTH], { resume: 'always' });
  expect(whole).toMatchObject({ count: ROWS, ended: null, lost: [] });
  expect((await simulator.stats()).answers).toBe(2 * ROWS);
  expect(whole.usage.writer?.requests).toBe(2 * ROWS);
  expect(metadata()).toMatchObject({ actual_num_records: ROWS, num_completed_batches: 6, cost: whole.cost });
  expect(files('journal')).toEqual([]);
  expect(groupsOf('usage.jsonl').toSorted((a, b) => (a ?? 0) - (b ?? 0))).toEqual([0, 1, 2, 3, 4, 5]);
  const straight = await create([FIRST, SECOND, LENGTH], { datasetName: 'straight' });
  expect(await Array.fromAsync(whole.records())).toEqual(await Array.fromAsync(straight.records()));
}

/** Ends a run by a signal once so many answers were given, and few more until it has heard that. */
async function drainAfter(answers: number, options: CreateOptions = {}): Promise<void> {
  const stop = new AbortController();
  await simulator.holdAfter(answers + 8 - (await simulator.stats()).answers);
  const onEvent = ({ type }: { readonly type: string }) => type === 'drain-start' && void simulator.release();
  const made = create([FIRST, SECOND, LENGTH], { ...options, drain: stop.signal, onEvent });
  const failure = made.catch((thrown: unknown) => thrown);
  await expect.poll(async () => (await simulator.stats()).answers).toBeGreaterThan(answers);
  stop.abort(new Error('enough'));
  expect(await failure).toMatchObject({ code: 'run/aborted', data: { reason: 'enough' } });
  // A drain that takes no time is not announced, and leaves the answers of later runs held back.
  await simulator.release();
}

const stored = () => create([FIRST, SECOND, LENGTH], { resume: 'always' });

test('an interrupted run keeps its rows, and its resume makes the same dataset', async () => {
  await start('--latency', 'uniform:20:120');
  await drainAfter(ROWS / 2);
  const { readDataset } = await import('@data-designer/dataset');
  const rows = await Array.fromAsync(readDataset(join(folder, 'made')));
  await expectSurvivors({ count: rows.length, records: () => readDataset(join(folder, 'made')) });
  const { answers } = await simulator.stats();
  await drainAfter(answers + 10, { resume: 'always' });
  const more = await Array.fromAsync(readDataset(join(folder, 'made')));
  expect(more.length).toBeGreaterThanOrEqual(rows.length);
  expect(more).toEqual(expect.arrayContaining(rows));
  expect(metadata()).toMatchObject({ actual_num_records: more.length });
  await expectWhole();
}, 60_000);

test(
  'a key refused during a run fails it, and its finished rows can be read and resumed',
  { tags: 'long', timeout: 60_000 },
  async () => {
    await start('--latency', 'uniform:20:120', '--faults', '401=0.015', '--seed', '2');
    const failure = await create([FIRST, SECOND, LENGTH]).catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({ code: 'model/unauthorized' });
    const { readDataset } = await import('@data-designer/dataset');
    const made = join(folder, 'made');
    const rows = await Array.fromAsync(readDataset(made));
    await expectSurvivors({ count: rows.length, records: () => readDataset(made) });
    const { answers } = await simulator.stats();

    await start('--latency', 'uniform:20:120', '--seed', '2');
    const whole = await stored();
    expect(whole).toMatchObject({ count: ROWS, ended: null, lost: [] });
    const records = await Array.fromAsync(whole.records());
    expect(records).toEqual(expect.arrayContaining(rows));
    expect((await simulator.stats()).answers).toBe(2 * ROWS - answers);
    const straight = await create([FIRST, SECOND, LENGTH], { datasetName: 'straight' });
    expect(records).toEqual(await Array.fromAsync(straight.records()));
  },
);

test(
  'a run at its time limit has results that say so, and resumes without repeated requests',
  { tags: 'long', timeout: 60_000 },
  async () => {
    await start('--latency', 'uniform:300:500');
    const codes: string[] = [];
    let ended: DatasetCreationResults | undefined | void;
    // How much is made in a time depends on the machine; where no row stands yet the reason is a failure.
    for (let seconds = 1; !ended; seconds++) {
      set({ maxDurationSeconds: seconds });
      const made = create([FIRST, SECOND, LENGTH], { resume: seconds === 1 ? 'never' : 'always' });
      ended = await made.catch((thrown: DataDesignerError) => void codes.push(thrown.code));
    }
    expect(codes.filter((code) => code !== 'run/time-spent')).toEqual([]);
    expect(ended.ended).toMatchObject({
      code: 'run/time-spent',
      message: expect.stringMatching(/time limit of \d+ s/) as string,
    });
    await expectSurvivors(ended);
    set({});
    await expectWhole();
  },
);

test(
  'a run at its budget counts its usage once, however it is resumed',
  { tags: 'long', timeout: 60_000 },
  async () => {
    await start('--latency', 'uniform:20:120');
    set({ maxCost: 3 });
    const ended = await create([FIRST, SECOND, LENGTH]);
    expect(ended.ended?.code).toBe('run/budget-spent');
    await expectSurvivors(ended);
    const { answers } = await simulator.stats();
    const again = await stored();
    expect(again.ended?.code).toBe('run/budget-spent');
    expect((await simulator.stats()).answers).toBe(answers);
    expect([again.count, again.cost]).toEqual([ended.count, ended.cost]);
    set({});
    await expectWhole();
  },
);

test('an endpoint with unusable answers ends a run of ten thousand rows early', { tags: 'long' }, async () => {
  await start();
  set({ bufferSize: 1000 });
  const quiz = { ...QUIZ, on_failure: 'null' };
  const events: string[] = [];
  const onEvent = (event: { type: string; ended?: unknown }) =>
    event.type === 'run-end' && events.push(JSON.stringify(event.ended));
  const ended = await create([FIRST, quiz], { numRecords: 10_000, onEvent });
  expect(ended.ended?.code).toBe('run/stopped-early');
  expect(ended.ended?.message).toMatch(/\d+ cells of column 'quiz' failed: Model 'useless' returned no valid answer/);
  expect(events).toEqual([JSON.stringify(ended.ended)]);
  expect((await simulator.stats()).requests).toBeLessThan(2000);
  expect(ended.count).toBeGreaterThan(0);
  expect([ended.earlyShutdown, ended.isPartial, ended.effectiveResumeMode]).toEqual([true, true, 'never']);
  const loaded = await loadDataset(ended.path, { unfinished: true });
  expect([loaded.earlyShutdown, loaded.isPartial, loaded.effectiveResumeMode]).toEqual([null, true, null]);
  const records = await Array.fromAsync(ended.records());
  expect(records).toHaveLength(ended.count);
  // The failures that ended it are made again from the journal by a run that goes on, and do not end that.
  set({ bufferSize: 1000, maxDurationSeconds: 0.01 });
  const on = await create([FIRST, quiz], { numRecords: 10_000, resume: 'always' });
  expect(on.ended?.code).toBe('run/time-spent');
  expect([on.earlyShutdown, on.isPartial, on.effectiveResumeMode]).toEqual([false, true, 'always']);
  expect(on.count).toBeGreaterThanOrEqual(ended.count);
});

test(
  'too many failed cells give the command exit code 1 without --strict; its help lists the codes',
  { tags: 'long' },
  async () => {
    await start();
    const useless = { alias: 'useless', model: 'sim-wrong-schema', ...PLAIN };
    const config = { model_configs: [useless], columns: [ID, { ...QUIZ, on_failure: 'null' }] };
    const [source, providers, settings] = ['config', 'providers', 'settings'].map((name) =>
      join(folder, `${name}.json`),
    );
    writeFileSync(source as string, JSON.stringify(config));
    writeFileSync(providers as string, JSON.stringify({ providers: [{ name: 'counted', endpoint: simulator.url }] }));
    writeFileSync(settings as string, JSON.stringify({ max_conversation_restarts: 0 }));
    const flags = ['--providers', providers as string, '-c', settings as string, '-o', folder, '--json'];
    const ended = await runCommand(['create', source as string, '-n', '2000', ...flags]);
    const { records, ended: why } = JSON.parse(ended.stdout) as { records: number; ended: { code: string } };
    expect([ended.code, why.code]).toEqual([1, 'run/stopped-early']);
    expect(records).toBeGreaterThan(0);
    const { stdout: help } = await runCommand(['create', '--help']);
    expect(help).toContain('Exit codes:\n  0    ');
  },
);

test('a run without a row fails after few requests', { tags: 'long' }, async () => {
  await start();
  set({ bufferSize: 1000 });
  const failure: unknown = await create([QUIZ], { numRecords: 10_000 }).catch((thrown: unknown) => thrown);
  expect(failure).toMatchObject({ code: 'run/stopped-early', data: { column: 'quiz' } });
  expect((await simulator.stats()).requests).toBeLessThan(2000);
  expect(new Set(groupsOf('failures.jsonl'))).toContain(0);
});

test.each([{ disableEarlyShutdown: true }, { shutdownErrorRate: 1 }])(
  'with %j a run continues although all cells fail',
  { tags: 'long' },
  async (settings) => {
    await start();
    set(settings);
    const whole = await create([{ ...QUIZ, on_failure: 'null' }]);
    expect(whole).toMatchObject({ count: ROWS, ended: null });
  },
);

test(
  'a crash around the rename of an unfinished row group doubles no row',
  { tags: 'long', timeout: 60_000 },
  async () => {
    await start('--latency', 'uniform:20:120');
    await drainAfter(ROWS);
    const [mark = ''] = marks();
    const at = (part: string, name: string) => join(folder, 'made', part, name);
    const batch = at('parquet-files', mark.replace('group', 'batch').replace('.partial', '.parquet'));
    const journal = at('journal', mark.replace('.partial', ''));
    rmSync(batch, { force: true });
    const text = readFileSync(at('journal', mark), 'utf8');
    const kept = join(folder, 'kept-journal');
    mkdirSync(kept);
    const keepSegment = (name: string) => linkSync(join(journal, name), join(kept, name));
    keepSegment('000001.journal');
    // Files are merged once no group has a mark.
    set({ compact: false });
    // The run that goes on stands still until its segment is linked too.
    await simulator.holdAfter(0);
    const linked = (async () => {
      while (!existsSync(join(journal, '000002.journal'))) await sleep(5);
      keepSegment('000002.journal');
      await simulator.release();
    })();
    await Promise.all([expectWhole(), linked]);
    // As if the run had been killed when the whole file had its name: mark and journal are still there.
    renameSync(kept, journal);
    writeFileSync(at('journal', mark), text);
    const { answers } = await simulator.stats();
    const { count, cost, usage } = await stored();
    expect([count, usage.writer?.requests]).toEqual([ROWS, 2 * ROWS]);
    expect(metadata()).toMatchObject({ actual_num_records: ROWS, cost });
    expect((await simulator.stats()).answers).toBe(answers);
    expect(files('journal')).toEqual([]);
    expect(groupsOf('usage.jsonl').toSorted((a, b) => (a ?? 0) - (b ?? 0))).toEqual([0, 1, 2, 3, 4, 5]);
  },
);

test('a preview at its time limit shows the finished rows', { tags: 'long' }, async () => {
  await start('--latency', 'uniform:300:500');
  const model = { alias: 'writer', model: 'sim-small', ...PLAIN };
  const declared = { document: { model_configs: [model], columns: [ID, FIRST] }, source: 'the test' };
  let shown: Awaited<ReturnType<typeof designer.preview>> | undefined;
  for (let seconds = 1; !shown; seconds++) {
    set({ maxDurationSeconds: seconds });
    shown = await designer.preview(declared, { numRecords: 400 }).catch(() => undefined);
  }
  expect(shown.ended?.code).toBe('run/time-spent');
  expect(await Array.fromAsync(shown.records())).toHaveLength(shown.count);
  expect(shown.count).toBeLessThan(400);
});

test('an invalid time is a usage error', async () => {
  await start();
  const { code, stderr } = await runCommand(['create', 'none.yaml', '--max-time', '600h']);
  expect(code).toBe(2);
  expect(stderr).toContain('at most 596h');
});

test.each([
  ['a refusal that every row would meet', 'sim-quota', 'exceeded your current quota'],
  ['the same refusal of every row', 'sim-too-long', 'maximum context length'],
])('a command that failed for %s states the cause once', { tags: 'long' }, async (_, model, words) => {
  await start();
  const [config, providers] = [join(folder, 'config.json'), join(folder, 'providers.json')];
  const columns = [ID, FIRST];
  writeFileSync(config, JSON.stringify({ model_configs: [{ ...PLAIN, alias: 'writer', model }], columns }));
  writeFileSync(providers, JSON.stringify({ providers: [{ name: 'counted', endpoint: simulator.url }] }));
  const args = ['create', config, '-n', '20', '-o', folder, '-d', 'failed', '--providers', providers];
  const { code, stdout, stderr } = await runCommand(args);
  expect(code).toBe(1);
  expect(`${stdout}${stderr}`.split(words)).toHaveLength(2);
});
