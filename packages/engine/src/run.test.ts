import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { NEVER, type Plan, type Row } from '@data-designer/core';
import { completion, reply } from '../../../test/answering-server.ts';
import { AnsweringModels, refuse, say } from '../../gateway/test/answering-models.ts';
import { entriesOf, modelServer } from '../../gateway/test/open-group.ts';
import { expression, planOf, type PlanOptions, sampled } from '../test/plan-of.ts';
import { until } from '../../gateway/test/until.ts';
import { WorkerPool } from './executor/worker-pool.ts';
import type { RunEvent } from './run-event.ts';
import { noRows } from './make-row-groups.ts';
import { run } from './run.ts';
import type { RunOptions } from './run-options.ts';
import { RunSummary } from './run-summary.ts';
import { datasetPaths } from '../../dataset/src/dataset-paths.ts';
import { batchPath } from '../../dataset/test/data-files.ts';
import { pageDecompressors } from '../../dataset/src/formats/parquet/parquet-codec.ts';

// Threads start slowly on a machine that does much else.
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
  /** Columns behind the one that asks. */
  readonly more?: readonly object[];
  readonly processors?: readonly object[];
}

const AGE = { type: 'object', properties: { age: { type: 'integer' } }, required: ['age'] };
/** Each answer costs one. */
const PRICED = { pricing: { input: 0, output: 1e6 / 3 } };

/** A plan of ten rows in groups of four, each of which asks something of its own; two requests at a time. */
function paidPlan({ column = {}, model = {}, more = [], processors = [], ...options }: PaidOptions = {}): Plan {
  const writer = { alias: 'writer', model: 'm', provider: 'here', inference_parameters: { max_parallel_requests: 2 } };
  const document = {
    model_configs: [{ ...writer, ...model }],
    columns: [ID, { ...SAID, ...column }, ...more],
    processors,
  };
  return planOf(document, { ...options, run: { bufferSize: 4, ...options.run } });
}

/** A plan of ten rows that asks nobody. */
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

/** The files of a part of the dataset's folder. */
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
/** Questions that came more than once. */
const boughtTwice = (): number => models.asked.length - new Set(models.asked.map(({ prompt }) => prompt)).size;

test('a run leaves its rows in one file and what a later run must know, which makes more rows behind them', async () => {
  const plan = paidPlan();
  const { path, datasetName, summary, ended, plan: carriedOut } = await start(plan);
  expect([path, datasetName, ended]).toEqual([join(artifacts, 'data'), 'data', undefined]);
  const rows = await rowsOf(path);
  expect(rows).toHaveLength(10);
  for (const { id, said } of rows) expect(said).toBe(`m: Say ${id as string}`);
  expect(summary.rows).toBe(10);
  expect(filesIn('parquet-files')).toHaveLength(1);
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
  // What earlier runs took counts with it.
  expect(more.summary.pricedUsage(plan).writer).toMatchObject({ requests: 14 });
});

test('a dataset that is whole is asked nothing when it is resumed; its files are merged if they are to be', async () => {
  await start(localPlan(), { compact: false });
  expect(filesIn('parquet-files')).toHaveLength(3);
  const { path } = await resume(localPlan(), { compact: false });
  expect(filesIn('parquet-files')).toHaveLength(3);
  const before = await rowsOf(path);
  events = [];
  expect((await resume(localPlan())).summary.rows).toBe(10);
  expect(filesIn('parquet-files')).toHaveLength(1);
  expect(await rowsOf(path)).toEqual(before);
  expect(typesOf()).toEqual(['run-end']);
  // Its files are of one format.
  await expect(resume(localPlan(), { format: 'arrow' })).rejects.toMatchObject({ code: 'dataset/incompatible' });
});

test('files that cannot be merged stay as they are, with all rows, and are told', async () => {
  const paths = datasetPaths(join(artifacts, 'data'));
  const onEvent = (event: RunEvent): void => {
    events.push(event);
    // A file that is cut off behind the back of the run can be merged with no other.
    if (event.type === 'row-group-end' && event.group === 0) truncateSync(batchPath(paths, 0), 20);
  };
  const { summary } = await start(localPlan(), { onEvent });
  expect(summary.rows).toBe(10);
  expect(filesIn('parquet-files')).toHaveLength(3);
  expect(typesOf().slice(-2)).toEqual(['merge-fail', 'run-end']);
});

/** Lets some questions be answered, and does something once one more has come. */
function atQuestion(count: number, then: (held: (() => void)[]) => void): void {
  const held: (() => void)[] = [];
  models.answer = (one, response: ServerResponse) => {
    if (models.asked.length <= count) return say(one, response);
    held.push(() => say(one, response));
    if (held.length === 2) then(held);
  };
}

test('a run that is drained ends with what is under way in its journals; resumed, it makes the same rows and buys nothing twice', async () => {
  const stop = new AbortController();
  atQuestion(5, (held) => {
    stop.abort(new Error('by a test'));
    // It is told of the stop that it drains; only then are the answers in.
    void until(() => typesOf().includes('drain-start')).then(() => held.forEach((go) => go()));
  });
  await expect(start(paidPlan(), { drain: stop.signal })).rejects.toMatchObject({ code: 'run/aborted' });
  expect(filesIn('journal').length).toBeGreaterThan(0);
  // A group that is not whole is not merged with others.
  expect((await rowsOf(join(artifacts, 'data'))).length).toBeGreaterThanOrEqual(4);
  models.answer = say;
  const { path, summary } = await resume(paidPlan());
  expect(summary.rows).toBe(10);
  expect(models.asked).toHaveLength(10);
  expect(boughtTwice()).toBe(0);
  expect(filesIn('journal')).toEqual([]);
  // The same rows as of a run that nobody disturbs, and that asks nobody.
  const undisturbed = await rowsOf((await start(localPlan(), { datasetName: 'undisturbed' })).path);
  expect(await rowsOf(path)).toEqual(undisturbed.map(({ id }) => ({ id, said: `m: Say ${id as string}` })));
  expect(summary.pricedUsage(paidPlan()).writer).toMatchObject({ requests: 10 });
});

function cutOff(_: unknown, response: ServerResponse): void {
  const message = { role: 'assistant', content: 'cut' };
  reply(response, { choices: [{ message, finish_reason: 'length' }], usage: { prompt_tokens: 1 } });
}

test('flaws of answers that are replayed from a journal are counted once, as those of a run that nobody disturbs', async () => {
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
  expect(summary.flaws).toEqual([{ column: 'said', cut: 10, empty: 0, nonText: 0, garbled: 0 }]);
  // A dataset that is whole makes nothing again.
  expect((await resume(paidPlan())).summary.flaws).toEqual(summary.flaws);
});

function declaredModel(alias: string) {
  return { alias, model: alias, provider: 'here', inference_parameters: { max_parallel_requests: 8 } };
}

test('a model that answers 500 to everything ends the run; what its rows read first is paid for the open ones alone', async () => {
  models.answer = (one, response) => (one.model === 'dead' ? refuse(response, 500) : say(one, response));
  const after = { name: 'after', column_type: 'llm-text', model_alias: 'dead', prompt: 'And {{ said }}' };
  const document = { model_configs: [declaredModel('writer'), declaredModel('dead')], columns: [ID, SAID, after] };
  const plan = planOf(document, { numRecords: 400 });
  await expect(start(plan)).rejects.toMatchObject({ code: 'model/server-error', data: { forAll: true } });
  const paid = models.asked.filter(({ model: name }) => name === 'writer').length;
  expect(paid).toBeLessThan(100);
  expect(models.asked.length - paid).toBeLessThanOrEqual(40);
});

test('a run that was stopped before it began leaves nothing', async () => {
  const signal = AbortSignal.abort(new Error('by a test'));
  await expect(start(paidPlan(), { signal })).rejects.toMatchObject({ code: 'run/aborted' });
  await expect(start(paidPlan(), { drain: signal })).rejects.toMatchObject({ code: 'run/aborted' });
  expect(readdirSync(artifacts)).toEqual([]);
});

test('a budget ends a run with the rows that were made; with the same one nothing is asked, with a larger one the rest is made and all are processed', async () => {
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
  // The file of a group that is made again must be found by its name.
  expect(filesIn('parquet-files')).toHaveLength(2);
  expect((await resume(withBudget(6), { functions })).ended?.code).toBe('run/budget-spent');
  expect(models.asked).toHaveLength(asked);
  expect(given).toEqual([]);
  const whole = await resume(withBudget(100), { functions });
  expect([whole.ended, boughtTwice(), given.flat().length]).toEqual([undefined, 0, 10]);
  expect(await rowsOf(path)).toEqual(given.flatMap((rows) => rows.slice(1)));
  expect(whole.summary.rows).toBe(given.flatMap((rows) => rows.slice(1)).length);
  expect(filesIn('parquet-files')).toHaveLength(1);
  // What was processed as a whole is final.
  const more = paidPlan({ model: PRICED, processors, numRecords: 12 });
  await expect(resume(more, { functions })).rejects.toMatchObject({ code: 'dataset/terminal' });
});

test('a run that is ended before a row is whole fails with the reason of its end', async () => {
  const more = [{ ...SAID, name: 'more', prompt: '{{ said }}' }];
  const failed = start(paidPlan({ model: PRICED, more, run: { maxCost: 1 } }));
  await expect(failed).rejects.toMatchObject({ code: 'run/budget-spent' });
});

test('a run that makes no row fails with the first cause, and the column that it was in', async () => {
  models.answer = (_, response) => refuse(response);
  const failed = start(paidPlan());
  await expect(failed).rejects.toMatchObject({ code: 'run/no-rows', data: { rows: 10 } });
  await expect(failed).rejects.toThrow(/column 'said': .*not this one/);
  const told = readFileSync(join(artifacts, 'data', 'failures.jsonl'), 'utf8')
    .trim()
    .split('\n');
  expect(JSON.parse(told[0] ?? '')).toMatchObject({ column: 'said', code: 'model/rejected' });
});

test('an earlier run may have lost all rows', () => {
  expect(noRows(localPlan(), new RunSummary()).message).toMatch(/an earlier run lost them all/);
});

test('a cell that must not fail ends the run; groups that are whole stay, and a later run asks that cell alone anew', async () => {
  const column = { column_type: 'llm-structured', output_format: AGE, on_failure: 'abort' };
  const plan = paidPlan({ column, model: { structured_output: false }, run: { maxConversationRestarts: 0 } });
  models.answer = (_, response) => {
    const count = models.asked.length;
    const go = () => reply(response, completion(count === 7 ? 'old' : '{"age": 7}'));
    // The run ends as soon as the cell has failed: it does not wait for the rest of its group.
    void until(() => count <= 7 || typesOf().includes('drain-start')).then(go);
  };
  await expect(start(plan)).rejects.toMatchObject({ code: 'run/cell-failed', data: { column: 'said' } });
  expect(read('metadata.json')).toMatchObject({ actual_num_records: (await rowsOf(join(artifacts, 'data'))).length });
  const { summary, path } = await resume(plan);
  expect(summary.rows).toBe(10);
  expect((await rowsOf(path)).map(({ said }) => said)).toEqual(Array.from({ length: 10 }, () => ({ age: 7n })));
  expect(boughtTwice()).toBe(1);
});

test('an endpoint that refuses everything ends the run with its reason, which is worth more than that there are no rows', async () => {
  models.answer = (_, response) => refuse(response, 401);
  await expect(start(paidPlan())).rejects.toMatchObject({ code: 'model/unauthorized' });
  expect(models.asked.length).toBeLessThanOrEqual(2);
});

test('a run that is stopped at once keeps what was in; what no longer fits is bought again only where that is wanted, and counted', async () => {
  const stop = new AbortController();
  atQuestion(6, () => stop.abort(new Error('by a test')));
  await expect(start(paidPlan(), { signal: stop.signal })).rejects.toMatchObject({ code: 'run/aborted' });
  // The requests that it gives up leave their places to nobody.
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
  const { summary } = await resume(other(), { ...options, rebuy: true });
  expect(summary).toMatchObject({ rows: 10, rebought: kept.length });
  expect(events).toContainEqual(expect.objectContaining({ type: 'journal-void', answers: kept.length }));
});

test('what an endpoint can do is asked once a dataset, and is part of its plan from then on', async () => {
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
  // What asking the endpoint took stays counted.
  expect(more.summary.pricedUsage(plan).writer?.requests).toBe(models.asked.length);
  expect(await rowsOf(path)).toHaveLength(12);
});
