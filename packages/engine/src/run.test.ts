import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type FailureCode, NEVER, type Plan, type Row } from '@data-designer/core';
import { completion, reply } from '@data-designer/testing/answering-server';
import { AnsweringModels, refuse, say } from '../../gateway/test/answering-models.ts';
import { entriesOf, modelServer } from '../../gateway/test/open-group.ts';
import { expression, planOf, type PlanOptions, sampled } from '../test/plan-of.ts';
import { until } from '@data-designer/testing/until';
import { WorkerPool } from './executor/worker-pool.ts';
import type { RunEvent } from './run-event.ts';
import { noRows } from './job/no-rows.ts';
import { run } from './run.ts';
import type { RunOptions } from './run-options.ts';
import { RunSummary } from './run-summary.ts';
import { datasetPaths } from '../../dataset/src/dataset-paths.ts';
import { batchPath } from '../../dataset/test/data-files.ts';
import { pageDecompressors } from '../../dataset/src/formats/parquet/parquet-codec.ts';

// Threads start slowly on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const pool = new WorkerPool();
let models: AnsweringModels;
let artifacts: string;
let events: RunEvent[];

beforeAll(async () => {
  models = await AnsweringModels.open();
});
afterAll(async () => {
  models[Symbol.dispose]();
  await pool[Symbol.asyncDispose]();
  vi.resetConfig();
});
beforeEach(() => {
  models.reset();
  artifacts = mkdtempSync(join(tmpdir(), 'run-'));
  events = [];
});
afterEach(() => rmSync(artifacts, { recursive: true }));

const ID = sampled('id', 'uuid', { params: {} });
const SAID = { name: 'said', column_type: 'llm-text', model_alias: 'writer', prompt: 'Say {{ id }}' };

interface PaidOptions extends PlanOptions {
  readonly column?: object;
  readonly model?: object;
  /** Columns after the model column. */
  readonly more?: readonly object[];
  readonly processors?: readonly object[];
}

const AGE = { type: 'object', properties: { age: { type: 'integer' } }, required: ['age'] };
/** Each answer costs one. */
const PRICED = { pricing: { input: 0, output: 1e6 / 3 } };

/** A plan of ten rows in groups of four, each with its own prompt; two requests at a time. */
function paidPlan({ column = {}, model = {}, more = [], processors = [], ...options }: PaidOptions = {}): Plan {
  const writer = { alias: 'writer', model: 'm', provider: 'here', inference_parameters: { max_parallel_requests: 2 } };
  const document = {
    model_configs: [{ ...writer, ...model }],
    columns: [ID, { ...SAID, ...column }, ...more],
    processors,
  };
  return planOf(document, { ...options, run: { bufferSize: 4, ...options.run } });
}

/** A plan of ten rows without models. */
function localPlan({ columns = [ID, expression('said', 'On {{ id }}')], ...rest }: { columns?: object[] } = {}): Plan {
  return planOf({ columns, ...rest }, { run: { bufferSize: 4 } });
}

const OPTIONS = {
  modelServers: [],
  admission: null,
  allowPrivate: false,
  tables: [],
  maxConcurrentRowGroups: 1,
  skippedProbes: new Map<string, string>(),
  ends: { maxDurationSeconds: null, errorRate: null },
  signal: NEVER,
  drain: NEVER,
  datasetName: 'data',
  resume: 'never',
  format: 'parquet',
  seed: null,
  document: { columns: 'as they were declared' },
} as const;

function start(plan: Plan, options: Partial<RunOptions> = {}) {
  const providers = { models: [modelServer('here', models.endpoint)], tools: [] };
  const own = { providers, pool, artifactPath: artifacts, onEvent: (event: RunEvent) => void events.push(event) };
  return run(plan, { ...OPTIONS, ...own, ...options });
}
const resume = (plan: Plan, options: Partial<RunOptions> = {}) => start(plan, { ...options, resume: 'always' });

/** The files in one part of the dataset folder. */
const filesIn = (part: string): string[] => {
  const folder = join(artifacts, 'data', part);
  return existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((one) => (one.isFile() ? one.name : []))
    : [];
};
const read = (name: string): unknown => JSON.parse(readFileSync(join(artifacts, 'data', name), 'utf8'));

/** The rows of the dataset on disk, in order. */
async function rowsOf(path: string): Promise<Row[]> {
  const folder = join(path, 'parquet-files');
  const parts: Record<string, unknown>[][] = [];
  for (const name of readdirSync(folder).toSorted()) {
    parts.push(
      await parquetReadObjects({ file: await asyncBufferFromFile(join(folder, name)), compressors: pageDecompressors }),
    );
  }
  return parts.flat() as Row[];
}
const typesOf = (): string[] => events.map(({ type }) => type).filter((type) => type !== 'progress');
/** The number of repeated prompts. */
const boughtTwice = (): number => models.asked.length - new Set(models.asked.map(({ prompt }) => prompt)).size;

test(
  'a run writes a file for each row group and a run record, and a later run appends rows',
  { tags: 'long' },
  async () => {
    const plan = paidPlan();
    const { path, datasetName, summary, ended, plan: carriedOut } = await start(plan);
    expect([path, datasetName, ended]).toEqual([join(artifacts, 'data'), 'data', undefined]);
    const rows = await rowsOf(path);
    expect(rows).toHaveLength(10);
    for (const { id, said } of rows) expect(said).toBe(`m: Say ${id as string}`);
    expect(summary.rows).toBe(10);
    expect(filesIn('parquet-files')).toHaveLength(3);
    for (const part of ['journal', 'tmp-partial-parquet-files']) expect(filesIn(part)).toEqual([]);
    expect(read('run.json')).toMatchObject({ plan: { seed: carriedOut.seed, identity: plan.identity } });
    expect(read('builder_config.json')).toEqual(OPTIONS.document);
    expect(read('metadata.json')).toMatchObject({ actual_num_records: 10 });
    expect(typesOf()).toEqual(['run-start', 'row-group-end', 'row-group-end', 'row-group-end', 'run-end']);
    expect(events[0]).toMatchObject({ rows: 10, rowsDone: 0, groups: 3, seed: 1 });
    expect(events.at(-1)).toMatchObject({ type: 'run-end', rows: 10, ended: null });
    const more = await resume(paidPlan({ numRecords: 14 }));
    const after = await rowsOf(path);
    expect(after.slice(0, 10)).toEqual(rows);
    expect([after.length, more.summary.rows, models.asked.length, boughtTwice()]).toEqual([14, 14, 14, 0]);
    // Usage of earlier runs counts too.
    expect(more.summary.pricedUsage(plan).writer).toMatchObject({ requests: 14 });
  },
);

test(
  'a resume of a complete dataset sends no request, and merges its files if asked to',
  { tags: 'long' },
  async () => {
    await start(localPlan());
    expect(filesIn('parquet-files')).toHaveLength(3);
    const { path } = await resume(localPlan(), { compact: false });
    expect(filesIn('parquet-files')).toHaveLength(3);
    const { fingerprint } = localPlan();
    expect(read('metadata.json')).toMatchObject({ config_hash: fingerprint });
    const before = await rowsOf(path);
    events = [];
    expect((await resume(localPlan(), { compact: true })).summary.rows).toBe(10);
    // NeMo Data Designer takes a merged file for one row group, so the hash keeps it from adding rows.
    expect(read('metadata.json')).toMatchObject({ config_hash: `other-files:${fingerprint}` });
    expect(filesIn('parquet-files')).toHaveLength(1);
    expect(await rowsOf(path)).toEqual(before);
    expect(typesOf()).toEqual(['run-end']);
    // All files of a dataset share one format.
    await expect(resume(localPlan(), { format: 'arrow' })).rejects.toMatchObject({ code: 'dataset/incompatible' });
  },
);

test(
  'files that cannot be merged keep all their rows, and the run reports the failed merge',
  { tags: 'long' },
  async () => {
    const paths = datasetPaths(join(artifacts, 'data'));
    const onEvent = (event: RunEvent): void => {
      events.push(event);
      // A file truncated during the run cannot be merged with others.
      if (event.type === 'row-group-end' && event.group === 0) truncateSync(batchPath(paths, 0), 20);
    };
    const { summary } = await start(localPlan(), { onEvent, compact: true });
    expect(summary.rows).toBe(10);
    expect(filesIn('parquet-files')).toHaveLength(3);
    expect(typesOf().slice(-2)).toEqual(['merge-fail', 'run-end']);
  },
);

/** Answers the first `count` requests, holds the next two and then calls `then`. */
function atQuestion(count: number, then: (held: (() => void)[]) => void): void {
  const held: (() => void)[] = [];
  models.answer = (one, response: ServerResponse) => {
    if (models.asked.length <= count) return say(one, response);
    held.push(() => say(one, response));
    if (held.length === 2) then(held);
  };
}

test(
  'a drained run journals its answers in flight, and a resume makes the same rows without a repeated request',
  { tags: 'long' },
  async () => {
    const stop = new AbortController();
    atQuestion(5, (held) => {
      stop.abort(new Error('by a test'));
      // The answers arrive only after the run reports the drain.
      void until(() => typesOf().includes('drain-start')).then(() => held.forEach((go) => go()));
    });
    await expect(start(paidPlan(), { drain: stop.signal })).rejects.toMatchObject({ code: 'run/aborted' });
    expect(filesIn('journal').length).toBeGreaterThan(0);
    // An unfinished group is not merged with others.
    expect((await rowsOf(join(artifacts, 'data'))).length).toBeGreaterThanOrEqual(4);
    models.answer = say;
    const { path, summary } = await resume(paidPlan());
    expect(summary.rows).toBe(10);
    expect(models.asked).toHaveLength(10);
    expect(boughtTwice()).toBe(0);
    expect(filesIn('journal')).toEqual([]);
    // The same rows as in an uninterrupted run without models.
    const undisturbed = await rowsOf((await start(localPlan(), { datasetName: 'undisturbed' })).path);
    expect(await rowsOf(path)).toEqual(undisturbed.map(({ id }) => ({ id, said: `m: Say ${id as string}` })));
    expect(summary.pricedUsage(paidPlan()).writer).toMatchObject({ requests: 10 });
  },
);

function cutOff(_: unknown, response: ServerResponse): void {
  const message = { role: 'assistant', content: 'cut' };
  reply(response, { choices: [{ message, finish_reason: 'length' }], usage: { prompt_tokens: 1 } });
}

test(
  'flaws of answers replayed from a journal are counted once, as in an uninterrupted run',
  { tags: 'long' },
  async () => {
    const stop = new AbortController();
    models.answer = (one, response) => {
      cutOff(one, response);
      if (models.asked.length === 6) stop.abort(new Error('by a test'));
    };
    await expect(start(paidPlan(), { drain: stop.signal })).rejects.toMatchObject({ code: 'run/aborted' });
    expect(filesIn('journal').length).toBeGreaterThan(0);
    models.answer = cutOff;
    const { summary } = await resume(paidPlan());
    expect([models.asked.length, boughtTwice()]).toEqual([10, 0]);
    expect(summary.flaws).toMatchObject([{ column: 'said', cut: 10, empty: 0, nonText: 0, garbled: 0 }]);
    // A resume of a complete dataset makes nothing again.
    expect((await resume(paidPlan())).summary.flaws).toEqual(summary.flaws);
  },
);

function declaredModel(alias: string) {
  return { alias, model: alias, provider: 'here', inference_parameters: { max_parallel_requests: 8 } };
}

test(
  'a model that always answers 500 ends the run, and only open rows have paid for the columns it reads',
  { tags: 'long' },
  async () => {
    models.answer = (one, response) => (one.model === 'dead' ? refuse(response, 500) : say(one, response));
    const after = { name: 'after', column_type: 'llm-text', model_alias: 'dead', prompt: 'And {{ said }}' };
    const document = { model_configs: [declaredModel('writer'), declaredModel('dead')], columns: [ID, SAID, after] };
    const plan = planOf(document, { numRecords: 400 });
    await expect(start(plan)).rejects.toMatchObject({ code: 'model/server-error', data: { forAll: true } });
    const paid = models.asked.filter(({ model: name }) => name === 'writer').length;
    expect(paid).toBeLessThan(100);
    expect(models.asked.length - paid).toBeLessThanOrEqual(40);
  },
);

test('a run that is stopped before its start leaves no files', async () => {
  const signal = AbortSignal.abort(new Error('by a test'));
  await expect(start(paidPlan(), { signal })).rejects.toMatchObject({ code: 'run/aborted' });
  await expect(start(paidPlan(), { drain: signal })).rejects.toMatchObject({ code: 'run/aborted' });
  expect(readdirSync(artifacts)).toEqual([]);
});

test(
  'a spent budget ends the run with its finished rows, and only a larger one makes and processes the rest',
  { tags: 'long' },
  async () => {
    const given: (readonly Row[])[] = [];
    const process = (rows: readonly Row[]): readonly Row[] => {
      given.push(rows);
      return rows.slice(1);
    };
    const processors = [{ name: 'last', processor_type: 'custom', stage: 'after_generation', process }];
    const functions = new Map([['processors.last.process', process]]);
    const withBudget = (maxCost: number) => paidPlan({ model: PRICED, processors, run: { maxCost } });
    const { ended, summary, path } = await start(withBudget(6), { functions });
    expect(ended?.code).toBe('run/budget-spent');
    const asked = models.asked.length;
    expect(asked).toBeGreaterThanOrEqual(6);
    expect(asked).toBeLessThanOrEqual(7);
    expect(summary.rows).toBe(asked);
    expect(await rowsOf(path)).toHaveLength(asked);
    expect(events.at(-1)).toMatchObject({ type: 'run-end', rows: asked, ended: { code: 'run/budget-spent' } });
    // The file of an unfinished group keeps its name, so that a later run can find it.
    expect(filesIn('parquet-files')).toHaveLength(2);
    expect((await resume(withBudget(6), { functions })).ended?.code).toBe('run/budget-spent');
    expect(models.asked).toHaveLength(asked);
    expect(given).toEqual([]);
    const whole = await resume(withBudget(100), { functions, compact: true });
    expect([whole.ended, boughtTwice(), given.flat().length]).toEqual([undefined, 0, 10]);
    expect(await rowsOf(path)).toEqual(given.flatMap((rows) => rows.slice(1)));
    expect(whole.summary.rows).toBe(given.flatMap((rows) => rows.slice(1)).length);
    expect(filesIn('parquet-files')).toHaveLength(1);
    // A dataset processed as a whole is final.
    const more = paidPlan({ model: PRICED, processors, numRecords: 12 });
    await expect(resume(more, { functions })).rejects.toMatchObject({ code: 'dataset/terminal' });
  },
);

test('a run that ends before its first finished row fails with the reason of its end', { tags: 'long' }, async () => {
  const more = [{ ...SAID, name: 'more', prompt: '{{ said }}' }];
  const failed = start(paidPlan({ model: PRICED, more, run: { maxCost: 1 } }));
  await expect(failed).rejects.toMatchObject({ code: 'run/budget-spent' });
});

test('a run without rows fails with the column that has no valid cell and its first failure', async () => {
  models.answer = (_, response) => refuse(response);
  const failed = start(paidPlan());
  await expect(failed).rejects.toMatchObject({ code: 'run/no-rows', data: { rows: 10 } });
  await expect(failed).rejects.toThrow(
    /^Column 'said' produced no valid rows\. The first of 10 failures: .*not this one/,
  );
  const told = readFileSync(join(artifacts, 'data', 'failures.jsonl'), 'utf8')
    .trim()
    .split('\n');
  expect(JSON.parse(told[0] ?? '')).toMatchObject({ column: 'said', code: 'model/rejected' });
});

test('the error for a dataset without rows names an earlier run that lost all rows', () => {
  expect(noRows(localPlan(), new RunSummary()).message).toMatch(/rows failed in an earlier run\./);
});

test('the error for a dataset whose rows processors removed says so, and names no earlier run', () => {
  const summary = new RunSummary();
  summary.addEarlier(10);
  summary.settleRows(0);
  const { message } = noRows(localPlan(), summary);
  expect(message).toMatch(/^The processors removed all 10 rows after generation\. Correct them/);
});

/** The rows that a failure of a column lost. */
type Losses = readonly [column: string, code: FailureCode, rows: number];

/** The message of a run of ten rows that were lost so. */
function lostMessage(lost: readonly Losses[]): string {
  const summary = new RunSummary();
  const counts = lost.map(([column, code, rows]) => ({ column, code, rows, message: `Why ${code}.` }));
  summary.add({ group: 0, rows: 0, lost: counts, usage: {}, tools: {} });
  return noRows(paidPlan(), summary).message;
}

test.each<[string, readonly Losses[]]>([
  [
    "Column 'said' produced no valid rows. The most frequent failure (7 of 10 rows): Why model/rejected.",
    [
      ['said', 'model/bad-answer', 3],
      ['said', 'model/rejected', 7],
    ],
  ],
  [
    "All 10 rows failed. The most frequent failure (6 of 10 rows, column 'more'): Why column/no-text.",
    [
      ['said', 'model/rejected', 4],
      ['more', 'column/no-text', 6],
    ],
  ],
  ['All 10 rows failed. The first of 10 failures: Why internal/unexpected.', [['', 'internal/unexpected', 10]]],
])('%s', (message, lost) => expect(lostMessage(lost)).toBe(message));

test(
  'a failed cell with `on_failure: abort` ends the run, finished groups stay, and a resume requests only that cell again',
  { tags: 'long' },
  async () => {
    const column = { column_type: 'llm-structured', output_format: AGE, on_failure: 'abort' };
    const plan = paidPlan({ column, model: { structured_output: false }, run: { maxConversationRestarts: 0 } });
    models.answer = (_, response) => {
      const count = models.asked.length;
      const go = () => reply(response, completion(count === 7 ? 'old' : '{"age": 7}'));
      // The run ends as soon as the cell has failed, without waiting for the rest of its group.
      void until(() => count <= 7 || typesOf().includes('drain-start')).then(go);
    };
    await expect(start(plan)).rejects.toMatchObject({ code: 'run/cell-failed', data: { column: 'said' } });
    expect(read('metadata.json')).toMatchObject({ actual_num_records: (await rowsOf(join(artifacts, 'data'))).length });
    const { summary, path } = await resume(plan);
    expect(summary.rows).toBe(10);
    expect((await rowsOf(path)).map(({ said }) => said)).toEqual(Array.from({ length: 10 }, () => ({ age: 7n })));
    expect(boughtTwice()).toBe(1);
  },
);

test('an endpoint that refuses every request ends the run with that reason rather than run/no-rows', async () => {
  models.answer = (_, response) => refuse(response, 401);
  await expect(start(paidPlan())).rejects.toMatchObject({ code: 'model/unauthorized' });
  expect(models.asked.length).toBeLessThanOrEqual(2);
});

test(
  'a stopped run keeps its answers, and a resume with changed requests re-requests them only if allowed, and counts them',
  { tags: 'long' },
  async () => {
    const stop = new AbortController();
    atQuestion(6, () => stop.abort(new Error('by a test')));
    await expect(start(paidPlan(), { signal: stop.signal })).rejects.toMatchObject({ code: 'run/aborted' });
    // Aborted requests release no permits to others.
    expect(models.asked).toHaveLength(8);
    const journals = join(artifacts, 'data', 'journal');
    const kept = readdirSync(journals).flatMap((name) => [...entriesOf(join(journals, name))]);
    expect(kept.length).toBeGreaterThan(0);
    models.answer = say;
    const changed = { ...modelServer('here', models.endpoint), extraBody: { top_k: 3 } };
    const options = { providers: { models: [changed], tools: [] } };
    const other = () => paidPlan({ modelProviders: [changed] });
    const asked = models.asked.length;
    const refused = resume(other(), options);
    await expect(refused).rejects.toMatchObject({
      code: 'journal/void',
      data: { answers: kept.length, columns: [{ column: 'said', answers: kept.length }] },
    });
    expect(models.asked).toHaveLength(asked);
    const { summary } = await resume(other(), { ...options, reRequest: true });
    expect(summary).toMatchObject({ rows: 10, reRequested: kept.length });
    expect(events).toContainEqual(expect.objectContaining({ type: 'journal-void', answers: kept.length }));
  },
);

test(
  'a run probes an endpoint for structured output once, and stores the result in the plan of the dataset',
  { tags: 'long' },
  async () => {
    const column = { column_type: 'llm-structured', output_format: AGE };
    const probes = () => models.asked.filter(({ prompt }) => !prompt.startsWith('Say')).length;
    models.answer = (_, response) => reply(response, completion('{"age": 7}'));
    const { plan, path, summary } = await start(paidPlan({ column }));
    const known = plan.models.writer?.structuredOutput;
    expect(known).toEqual(expect.any(Boolean));
    expect(read('run.json')).toMatchObject({ plan: { models: { writer: { structuredOutput: known } } } });
    const first = probes();
    expect(first).toBeGreaterThan(0);
    expect(summary.pricedUsage(plan).writer?.requests).toBe(models.asked.length);
    const more = await resume(paidPlan({ column, numRecords: 12 }));
    expect(more.plan.models.writer?.structuredOutput).toBe(known);
    expect(probes()).toBe(first);
    // The probes stay counted.
    expect(more.summary.pricedUsage(plan).writer?.requests).toBe(models.asked.length);
    expect(await rowsOf(path)).toHaveLength(12);
  },
);
