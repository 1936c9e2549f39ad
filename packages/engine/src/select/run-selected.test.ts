import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { field } from '@data-designer/core';
import { datasetPaths, readRunRecord } from '@data-designer/dataset';
import { DataDesigner } from '@data-designer/designer';
import { type AnsweringServer, completion, openAnsweringServer, reply } from '@data-designer/testing/answering-server';
import { loadDataset } from '@data-designer/results';
import { testFolder } from '@data-designer/testing/test-folder';
import { registry } from '../../test/plan-of.ts';
import type { RunEvent } from '../run-event.ts';
import { parseSelect } from '@data-designer/config';
import { checkCompared } from './check-compared.ts';
import { candidatePaths, cleanDataset, usageOfCandidates } from './clean-candidates.ts';
import { selectRows, type SelectRowsOptions } from './accepted-stored-rows.ts';
import { costOfDataset } from './dataset-cost.ts';
import { EnoughRows } from './enough-rows.ts';

const root = testFolder('run-selected');
let artifactPath: string;
let tests = 0;
let model: AnsweringServer;
let requests = 0;

beforeAll(async () => {
  model = await openAnsweringServer((body, response) => {
    requests++;
    const id = /id (\d+)/.exec(body)?.[1] ?? '';
    reply(response, completion(`text ${Number(id) % 3}`, { prompt_tokens: 1_000_000, completion_tokens: 0 }));
  });
});
afterAll(() => model[Symbol.dispose]());

beforeEach(() => {
  requests = 0;
  artifactPath = join(root, String(tests++));
  mkdirSync(artifactPath);
  const lines = Array.from({ length: 40 }, (_, id) => JSON.stringify({ id, tens: Math.floor(id / 10) }));
  writeFileSync(join(artifactPath, 'seed.jsonl'), `${lines.join('\n')}\n`);
});

const writer = { alias: 'writer', model: 'm', provider: 'own', skip_health_check: true };
const pricing = { input: 1, output: 0 };
const numbers = (select: object | undefined, more: object = {}) => ({
  seed_config: { source: { seed_type: 'local', path: join(artifactPath, 'seed.jsonl') } },
  columns: [
    { name: 'twice', column_type: 'expression', expr: '{{ 2 * id }}', dtype: 'int' },
    { name: 'gone', column_type: 'expression', expr: 'x{{ id }}', drop: true },
  ],
  processors: [{ name: 'cards', processor_type: 'schema_transform', template: { title: 'Card {{ id }}' } }],
  ...(select && { select }),
  ...more,
});
const texts = (select: object) =>
  numbers(select, {
    model_configs: [{ ...writer, inference_parameters: { max_parallel_requests: 1 }, pricing }],
    columns: [{ name: 'text', column_type: 'llm-text', model_alias: 'writer', prompt: 'id {{ id }}' }],
  });

interface Made {
  readonly rows?: number;
  readonly resume?: 'always';
  readonly runConfig?: object;
}

async function make(document: object, { rows = 3, resume, runConfig = {} }: Made = {}) {
  const events: RunEvent[] = [];
  const designer = new DataDesigner({
    artifactPath,
    providers: { models: [{ name: 'own', endpoint: model.origin }], tools: [] },
    runConfig: { seed: 1, ...runConfig },
  });
  const results = await designer.create(
    { document, source: 'test' },
    { numRecords: rows, datasetName: 'data', onEvent: (event) => events.push(event), ...(resume && { resume }) },
  );
  const all = await Array.fromAsync(results.records());
  return { results, events, ids: all.map(({ id }) => Number(id)) };
}

const at = (...names: string[]): string => join(artifactPath, 'data', ...names);
const metadata = () =>
  JSON.parse(readFileSync(at('metadata.json'), 'utf8')) as {
    readonly selection?: Readonly<Record<string, unknown>>;
    readonly actual_num_records: number;
  };

test(
  'candidates are made until enough of them are accepted, and go once the dataset has all rows',
  { tags: 'long' },
  async () => {
    const { ids, events, results } = await make(numbers({ where: 'id % 2 == 1', keep_candidates: false }));
    expect(ids).toEqual([1, 3, 5]);
    expect(results.count).toBe(3);
    expect(existsSync(at('candidates'))).toBe(false);
    expect(metadata()).toMatchObject({
      actual_num_records: 3,
      selection: { candidates: 9, accepted: 3, refused: [{ rows: 5 }], finished_for: 3 },
    });
    const ended = events.filter((event) => event.type === 'row-group-end');
    expect(ended.reduce((sum, { rows }) => sum + rows, 0)).toBe(3);
    expect(events.some((event) => event.type === 'drain-start')).toBe(false);
  },
);

test(
  'kept candidates are continued by more rows, and damaged accepted rows are written again',
  { tags: 'long' },
  async () => {
    const rules = numbers({ where: 'id % 2 == 1', keep_candidates: true, keep_rejected: true });
    await make(rules);
    const { ids } = await make(rules, { rows: 6, resume: 'always' });
    expect(ids).toEqual([1, 3, 5, 7, 9, 11]);
    expect(metadata().selection).toMatchObject({ accepted: 6, finished_for: 6 });
    const files = readdirSync(at('parquet-files'));
    truncateSync(at('parquet-files', files[0] ?? ''), 10);
    expect((await make(rules, { rows: 6, resume: 'always' })).ids).toEqual([1, 3, 5, 7, 9, 11]);
    // Candidates that are deleted leave the dataset final.
    const { files: count, bytes } = await cleanDataset(at(), { dryRun: true });
    expect(count).toBeGreaterThan(0);
    expect(bytes).toBeGreaterThan(0);
    expect(existsSync(at('candidates'))).toBe(true);
    expect(await cleanDataset(at())).toEqual({ files: count, bytes });
    expect(existsSync(at('candidates'))).toBe(false);
    expect(await cleanDataset(at())).toEqual({ files: 0, bytes: 0 });
    expect((await make(rules, { rows: 6, resume: 'always' })).ids).toEqual([1, 3, 5, 7, 9, 11]);
  },
);

test('rules that leave too few rows end the run, or keep those that they leave', { tags: 'long' }, async () => {
  const rules = (more: object) => numbers({ where: 'id < 2', max_candidates: 12, ...more });
  const { results, ids } = await make(rules({}));
  expect(results.ended).toMatchObject({ code: 'select/exhausted' });
  expect(results.ended?.message).toMatch(/2.*3|3.*2/);
  expect(ids).toEqual([0, 1]);
  expect(metadata().selection).toMatchObject({ candidates: 12, accepted: 2 });
  expect(metadata().selection).not.toHaveProperty('finished_for');
  await expect(cleanDataset(at())).rejects.toMatchObject({ code: 'select/unfinished', data: { made: 2, wanted: 3 } });
  expect((await cleanDataset(at(), { unfinished: true })).files).toBeGreaterThan(0);
  rmSync(at(), { recursive: true });
  const kept = await make(rules({ on_exhausted: 'keep' }));
  expect([kept.results.ended, kept.ids]).toEqual([null, [0, 1]]);
  expect(metadata().selection).toMatchObject({ accepted: 2, finished_for: 3 });
  rmSync(at(), { recursive: true });
  const none = numbers({ where: 'id < 0', max_candidates: 8, on_exhausted: 'keep' });
  expect((await make(none)).results.ended).toMatchObject({ code: 'select/exhausted' });
});

test('a selection without enough rows names its most frequent causes', async () => {
  const columns = [{ name: 'half', column_type: 'expression', expr: '{{ id // 4 }}' }];
  const rules = { where: 'id < 6', unique: [{ exact: ['half'] }], max_candidates: 9 };
  const { results } = await make(numbers(rules, { columns }));
  expect(results.ended?.message).toMatch(/\(4 of the others: .*; 3: .*\)/);
});

test('candidates that fail are told with the cause, and not with rules to loosen', { tags: 'long' }, async () => {
  const columns = [{ name: 'part', column_type: 'expression', dtype: 'float' }];
  const failing = (expr: string) =>
    numbers({ max_candidates: 6 }, { columns: columns.map((one) => ({ ...one, expr })) });
  const { results: none } = await make(failing('{{ 1 / (id - id) }}'));
  expect(none.ended?.message).toMatch(/^All 6 candidates failed for one reason: .*zero.* Correct this cause in a new/s);
  expect(none.ended?.message).not.toContain('max_candidates');
  rmSync(at(), { recursive: true });
  const { results: some, ids } = await make(failing('{{ 1 / (id // 4) }}'));
  expect(ids).toEqual([4, 5]);
  expect(some.ended?.message).toContain('(4 of the others: ');
  expect(some.ended?.message).toContain('always, or correct the causes of the failures in a new dataset.');
});

test(
  'a budget ends a selection with the accepted rows, and a resume pays for no answer again',
  { tags: 'long' },
  async () => {
    const rules = texts({ unique: [{ exact: ['text'] }] });
    const { results, ids, events } = await make(rules, { runConfig: { maxCost: 2, bufferSize: 2 } });
    expect(results.ended?.code).toBe('run/budget-spent');
    expect(ids.length).toBeLessThan(3);
    expect(metadata().selection).not.toHaveProperty('finished_for');
    expect(events.some((event) => event.type === 'progress')).toBe(true);
    const again = await make(rules, { resume: 'always', runConfig: { bufferSize: 2 } });
    expect([again.results.ended, again.ids]).toEqual([null, [0, 1, 2]]);
    expect(again.results.cost).toBe(requests);
    const { plan } = await readRunRecord(datasetPaths(at()));
    const pricedAt2 = { ...plan.models['writer'], pricing: { input: 2, cachedInput: null, output: 0, image: null } };
    const paid = { writer: pricedAt2 } as never;
    expect(await costOfDataset(at(), paid)).toBe(2 * requests);
    expect(await costOfDataset(join(artifactPath, 'none'), paid)).toBe(0);
    const [took] = await usageOfCandidates(at());
    expect(took).not.toHaveProperty('failed');
    expect(await usageOfCandidates(join(artifactPath, 'none'))).toEqual([]);
  },
);

test('another machine knows from the candidates when there are enough', { tags: 'long' }, async () => {
  await make(numbers({ where: 'id % 2 == 1', keep_candidates: true }));
  const { folder } = candidatePaths(at());
  using enough = await EnoughRows.open(folder);
  expect(enough.signal.aborted).toBe(true);
  const passed: string[] = [];
  const watching = enough.watching(({ type }) => void passed.push(type));
  watching({ type: 'drain-start', reason: 'enough' } as never);
  watching({ type: 'row-group-end', group: 0, rows: 0, lost: [] });
  expect(passed).toEqual(['row-group-end']);
  const files = readdirSync(join(folder, 'parquet-files'));
  rmSync(join(folder, 'parquet-files', files[0] ?? ''));
  using few = await EnoughRows.open(folder);
  expect(few.signal.aborted).toBe(false);
  const all: string[] = [];
  few.watching(({ type }) => void all.push(type))({ type: 'drain-start', reason: 'x' } as never);
  expect(all).toEqual(['drain-start']);
  rmSync(at(), { recursive: true });
  await make(numbers(undefined));
  mkdirSync(at('candidates'), { recursive: true });
  await expect(EnoughRows.open(at())).rejects.toThrow(/\w/);
});

/** The rows of the finished dataset that rules accept. */
async function selected(rules: object, options: Partial<SelectRowsOptions> = {}) {
  const datasetName = `selected-${readdirSync(artifactPath).length}`;
  const result = await selectRows(at(), rules, {
    artifactPath,
    datasetName,
    registry,
    ...options,
  });
  const loaded = await loadDataset(result.path);
  const rows = await Array.fromAsync(loaded.records());
  const record = JSON.parse(readFileSync(join(result.path, 'metadata.json'), 'utf8')) as Readonly<
    Record<string, unknown>
  >;
  return { result, ids: rows.map(({ id }) => Number(id)), record, loaded };
}

test('rows of a finished dataset are selected with their side tables', { tags: 'long' }, async () => {
  await make(numbers(undefined), { rows: 10 });
  const { ids, record, result } = await selected({ where: 'id % 3 == 0' });
  expect(ids).toEqual([0, 3, 6, 9]);
  expect(record).toMatchObject({
    actual_num_records: 4,
    selection: { source: at(), candidates: 10, accepted: 4, refused: [{ rows: 6 }] },
    config_hash: expect.stringMatching(/^other-files:/) as string,
  });
  expect(record['selection']).not.toHaveProperty('stale_reviews');
  expect(readdirSync(result.path)).toEqual(
    expect.arrayContaining(['processors-files', 'dropped-columns-parquet-files']),
  );
  expect(result.ended).toBeUndefined();
  expect((await selected({ where: 'gone == "x4"' })).ids).toEqual([4]);
  const first = await selected({ where: 'id > 1' }, { numRecords: 2 });
  expect(first.ids).toEqual([2, 3]);
  expect(first.record['selection']).toMatchObject({ candidates: 4, accepted: 2 });
  expect((await selected({ unique: [{ exact: ['tens'] }] })).ids).toEqual([0]);
  const few = await selected({ where: 'id > 7' }, { numRecords: 5 });
  expect(few.ids).toEqual([8, 9]);
  expect(few.result.ended).toMatchObject({ code: 'select/too-few', data: { wanted: 5, accepted: 2, decided: 10 } });
  const kept = await selected({ where: 'id > 7', on_exhausted: 'keep' }, { numRecords: 5 });
  expect(kept.result.ended).toBeUndefined();
  expect((await selected({ where: 'id >= 0', max_candidates: 3 })).ids).toEqual([0, 1, 2]);
});

test(
  'a selection without an accepted row, with wrong rules or that is stopped leaves no folder',
  { tags: 'long' },
  async () => {
    await make(numbers(undefined), { rows: 4 });
    const before = readdirSync(artifactPath);
    await expect(selected({ where: 'id > 9' })).rejects.toMatchObject({
      code: 'select/too-few',
      data: { accepted: 0, decided: 4, reason: expect.stringContaining('4 of them') as string },
    });
    const deep = join(artifactPath, 'new', 'deeper');
    await expect(selected({ where: 'id > 9' }, { artifactPath: deep })).rejects.toMatchObject({
      code: 'select/too-few',
    });
    await expect(selected({ where: 'nope > 9' })).rejects.toMatchObject({ code: 'config/invalid' });
    await expect(selected({ where: "gone | selectattr('x')" })).rejects.toMatchObject({
      code: 'config/invalid',
      data: { violations: [{ type: 'template/unsupported-filter', path: 'select.where' }] },
    });
    const failing: unknown = await selected({ where: 'gone + 1 > 2' }).catch((thrown: unknown) => thrown);
    expect(failing).toMatchObject({ code: 'select/too-few', data: { isFault: true } });
    expect(String(failing)).toContain('That is an error of the expression, not a decision');
    expect(String(failing)).not.toContain('Loosen');
    await expect(selected({ where: 'gone.nope > 2' })).rejects.toThrow("The template 'gone.nope > 2' rendered");
    await expect(selected({ where: 'id > 1' }, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'run/aborted',
    });
    await expect(cleanDataset(at('none'))).rejects.toMatchObject({ code: 'dataset/missing' });
    expect(await cleanDataset(at())).toEqual({ files: 0, bytes: 0 });
    expect(readdirSync(artifactPath)).toEqual(before);
  },
);

test('candidates are compared with the rows of another dataset', { tags: 'long' }, async () => {
  await make(numbers(undefined), { rows: 2 });
  renameSync(at(), join(artifactPath, 'other'));
  const rules = (column: string) => ({ unique: [{ exact: [column] }], unique_against: [join(artifactPath, 'other')] });
  expect((await make(numbers(rules('twice')), { rows: 2 })).ids).toEqual([2, 3]);
  const config = (column: string) =>
    parseSelect(rules(column), {
      fields: [field('twice', 'int64'), field('none', 'utf8')],
      templates: 'sandboxed',
      registry,
    } as never);
  expect(await checkCompared(config('twice'))).toEqual([]);
  expect(await checkCompared(config('none'))).toMatchObject([
    { path: ['select', 'uniqueAgainst', 0], failure: { code: 'dataset/no-column', data: { column: 'none' } } },
  ]);
  const parsed = config('none');
  rmSync(join(artifactPath, 'other', 'parquet-files'), { recursive: true });
  expect(await checkCompared(parsed)).toEqual([]);
});
