import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { columnTypes } from '@data-designer/columns';
import { ColumnRegistry } from '@data-designer/config';
import { NEVER } from '@data-designer/core';
import { datasetPaths, UsageLog } from '@data-designer/dataset';
import { DataDesigner } from '@data-designer/designer';
import { noUsage } from '@data-designer/models';
import { type AnsweringServer, completion, openAnsweringServer, reply } from '@data-designer/testing/answering-server';
import { testFolder } from '@data-designer/testing/test-folder';
import { until } from '@data-designer/testing/until';
import { countCall } from '../../../mcp/src/tool-counts.ts';
import type { Api } from '../api/requests.ts';
import { COPY_INDEX, type CopyData, type CopyIndex, type CopiedRecords, copyFiles } from '../copy-data.ts';
import { findDatasets } from './find-datasets.ts';
import { sendEvents } from './live/send-events.ts';
import { recordInliner } from './record/inlined-record.ts';
import { serveViewer } from './serve-viewer.ts';
import { ShownDatasets } from './shown-datasets.ts';
import { privateParts, writeCopy } from './write-copy.ts';

const folder = testFolder('made-dataset');
const registry = new ColumnRegistry(columnTypes);
const opened = { registry, version: '1' };
let model: AnsweringServer;
let asked = 0;
/** Holds the answers to a prompt with `Slowly`, once two of them are given. */
const held = Promise.withResolvers<void>();
let shown: ShownDatasets;

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const IDS = [0, 1, 2, 3, 4, 5];
const column = (name: string, column_type: string, rest: object) => ({ name, column_type, ...rest });
const asking = (name: string, prompt: string, rest: object = {}) =>
  column(name, 'llm-text', { model_alias: 'writer', prompt, ...rest });
const models = [
  { alias: 'writer', model: 'm', provider: 'own', skip_health_check: true, pricing: { input: 1, output: 2 } },
];
const seed = () => ({ source: { seed_type: 'local', path: join(folder, 'seed.jsonl') } });

/** A dataset with a judge, a trace, a failed cell, a lost row, a dropped column, pictures and a processor. */
const document = () => ({
  model_configs: models,
  seed_config: seed(),
  columns: [
    asking('text', 'Write number {{ id }}', { with_trace: 'all_messages', system_prompt: 'Be short.' }),
    asking('plain', 'Note {{ text }}', { skip: { when: '{{ id == 2 }}' } }),
    column('odd', 'expression', { expr: '{{ 6 // (id - 3) }}', on_failure: 'null' }),
    column('lost', 'expression', { expr: '{{ 6 // (id - 5) }}' }),
    column('grade', 'llm-judge', {
      model_alias: 'writer',
      prompt: 'Grade number {{ id }}',
      scores: [{ name: 'Clarity', description: 'How clear?', options: { 1: 'bad', 2: 'good', 3: 'best' } }],
    }),
    column('gone', 'expression', { expr: 'dropped {{ id }}', drop: true }),
  ],
  processors: [{ name: 'cards', processor_type: 'schema_transform', template: { title: 'Card {{ id }}' } }],
});

const designer = (runConfig: object = {}) =>
  new DataDesigner({
    artifactPath: folder,
    providers: { models: [{ name: 'own', endpoint: model.origin }], tools: [] },
    runConfig: { seed: 1, maxConversationRestarts: 0, maxConversationCorrectionSteps: 0, ...runConfig },
  });
const make = (config: object, datasetName: string, numRecords = IDS.length) =>
  designer().create({ document: config, source: 'test' }, { numRecords, datasetName });

beforeAll(async () => {
  let slow = 0;
  model = await openAnsweringServer(async (body, response) => {
    asked++;
    if (body.includes('Slowly') && slow++ >= 2) await held.promise;
    const { messages } = JSON.parse(body) as { messages: { content: string }[] };
    const number = Number(/number (\d+)/.exec(messages.at(-1)?.content ?? '')?.[1] ?? 0);
    const grade = JSON.stringify({ Clarity: { score: (number % 3) + 1, reasoning: `reason ${number}` } });
    const text = body.includes('Grade') ? grade : number === 4 ? '' : `Text ${number}`;
    reply(response, completion(text, { prompt_tokens: 1_000_000, completion_tokens: 500_000 }));
  });
  const lines = IDS.map((id) => JSON.stringify({ id, picture: { bytes: PIXEL, path: null } }));
  writeFileSync(join(folder, 'seed.jsonl'), `${lines.join('\n')}\n`);
  await make(document(), 'made');
  const where = { where: 'id != 1', keep_rejected: true };
  const selected = { seed_config: seed(), columns: [column('n', 'expression', { expr: 'n{{ id }}' })], select: where };
  await make(selected, 'selected', 3);
  shown = new ShownDatasets({ folders: [folder], ...opened });
  await shown.list();
});

afterAll(async () => {
  held.resolve();
  await shown?.[Symbol.asyncDispose]();
  model[Symbol.dispose]();
});

async function ask<Name extends keyof Api>(name: Name, request: object): Promise<Api[Name]['answer']> {
  const { answerOf } = await import('./routes.ts');
  return (await answerOf(name, { dataset: 'made', ...request }, { shown, signal: NEVER })) as Api[Name]['answer'];
}

test('the overview and the list of runs tell what a finished run made', { tags: 'long' }, async () => {
  const overview = await ask('overview', {});
  expect(overview).toMatchObject({
    state: 'finished',
    rows: 5,
    wanted: 6,
    format: 'parquet',
    dataset: { name: 'made' },
    sideTables: ['cards'],
    failedCells: 2,
    selection: null,
    lost: [{ rows: 1, column: 'lost' }],
    tools: {},
    attempts: {},
  });
  const { requests, cost } = overview.usage['writer'] ?? {};
  expect(requests).toBe(asked);
  expect(cost).toBe(2 * asked);
  expect(overview.scores.map(({ name }) => name)).toHaveLength(1);
  expect(overview.findings).toContainEqual({
    about: 'text',
    text: expect.stringContaining('answers') as string,
    count: 1,
    where: { column: 'text', op: 'equals', value: '' },
  });
  const run = await ask('run', {});
  // Rows 0 to 4 have the scores 1, 2, 3, 1, 2.
  expect(run).toMatchObject({ state: 'finished', rows: 5, wanted: 6, failedCells: 2, cost: 2 * asked });
  expect(run.scores.map(({ mean }) => mean)).toEqual([1.8]);
  expect(run.changedAt).toBeGreaterThan(0);
  const { profile, note } = await ask('profile', {});
  expect(profile).toMatchObject({ version: 1, wanted: 6 });
  expect(note).toBeNull();
  expect(await ask('run', { dataset: 'selected' })).toMatchObject({ cost: 0, scores: [], rows: 3 });
});

test('a record shows its conversation, prompts, scores, pictures and what processors made of it', async () => {
  const record = await ask('record', { index: 1 });
  expect(record).toMatchObject({ index: 1, position: 1, total: 5, previous: 0, next: 2, row: 1, review: null });
  const [text, plain, grade] = record.answers;
  expect(text).toMatchObject({
    column: 'text',
    modelAlias: 'writer',
    model: 'm',
    prompt: { source: 'trace', text: { text: 'Write number 1' }, system: { text: 'Be short.' } },
    raw: { source: 'trace', text: { text: 'Text 1' }, note: null },
    conversation: { column: 'text__trace', total: 3, from: 0 },
  });
  expect(text?.conversation?.messages.map(({ number, role }) => [number, role])).toEqual([
    [0, 'system'],
    [1, 'user'],
    [2, 'assistant'],
  ]);
  expect(text?.conversation?.messages[2]).toMatchObject({
    finishReason: 'stop',
    toolCalls: [],
    usage: { inputTokens: 1_000_000, outputTokens: 500_000, cost: 2 },
  });
  expect(plain).toMatchObject({
    prompt: { source: 'rendered', text: { text: 'Note Text 1' } },
    raw: { source: 'not-stored', text: null },
    conversation: null,
  });
  expect(plain?.prompt.note).toContain('Rendered again');
  expect(grade?.column).toBe('grade');
  const field = (name: string) => record.fields.find((one) => one.column === name);
  expect(field('grade')?.scores).toEqual([
    { name: 'Clarity', score: expect.anything() as unknown, reasoning: 'reason 1' },
  ]);
  expect(field('picture')?.media).toMatchObject([{ kind: 'image', note: null }]);
  expect(field('text__trace')?.value).toMatchObject({ as: 'conversation', messages: 3, toolCalls: 0, last: 'Text 1' });
  expect(record.processed).toMatchObject([{ processor: 'cards', fields: [{ column: 'title', value: 'Card 1' }] }]);
  const skipped = (await ask('record', { index: 2 })).answers.find((one) => one.column === 'plain');
  expect(skipped?.prompt.note).toContain('skip rule');
  expect((await ask('record', { index: 3 })).failures).toMatchObject([{ row: 3, column: 'odd' }]);
  expect(await ask('record', { index: 0 })).toMatchObject({ previous: null, next: 1, failures: [] });
  expect(await ask('record', { index: 4 })).toMatchObject({ previous: 3, next: null });
});

test('parts of conversations and of cells are read', async () => {
  const trace = await ask('trace', { index: 1, column: 'text__trace', from: 1, count: 1 });
  expect(trace).toMatchObject({ column: 'text__trace', total: 3, from: 1, messages: [{ number: 1, role: 'user' }] });
  expect(await ask('trace', { index: 1, column: 'text', from: 0, count: 1 })).toMatchObject({ total: 0 });
  const unknown = { index: 1, column: 'none', from: 0, count: 1 };
  await expect(ask('trace', unknown)).rejects.toThrow("has no column 'none'");
  await expect(ask('text', unknown)).rejects.toThrow("has no column 'none'");
  const part = (rest: object) => ask('text', { index: 1, column: 'text__trace', from: 0, count: 5, ...rest });
  expect(await part({ message: 2 })).toEqual({ text: 'Text ', from: 0, length: 6 });
  expect(await part({ message: 2, from: 5 })).toEqual({ text: '1', from: 5, length: 6 });
  expect(await part({ message: 2, part: 'reasoning' })).toMatchObject({ length: 0 });
  expect(await part({ message: 2, part: 0 })).toMatchObject({ length: 0 });
  expect(await ask('text', { index: 3, column: 'odd', from: 0, count: 9 })).toMatchObject({ text: 'null' });
});

test('a page of rows has scores as columns, hits of a search and pictures', async () => {
  const { scores } = await ask('overview', {});
  const name = scores[0]?.name ?? '';
  // A condition names a score as the chips of the table do. Rows 0 to 4 have the scores 1, 2, 3, 1, 2.
  for (const [sql, total] of [
    [`${name} < 3`, 4],
    [`${name} ≥ 2 AND ${name} ≠ 3`, 2],
  ] as const) {
    expect((await ask('rows', { from: 0, count: 9, filter: { sql } })).total).toBe(total);
  }
  const page = await ask('rows', { from: 1, count: 2, columns: ['id', name] });
  expect(page).toMatchObject({ total: 5, from: 1, columns: ['id', name] });
  expect(page.rows.map(({ index, cells }) => [index, cells[0]])).toEqual([
    [1, 1],
    [2, 2],
  ]);
  expect(page.rows.map(({ cells }) => JSON.stringify(cells[1]))).toEqual([
    expect.stringContaining('2'),
    expect.stringContaining('3'),
  ]);
  const all = await ask('rows', { from: 0, count: 9 });
  expect(all.columns).not.toContain('text__trace');
  expect(all.rows[0]?.media?.['picture']).toHaveLength(1);
  expect(all.rows[0]).not.toHaveProperty('hits');
  const found = await ask('rows', { from: 0, count: 9, filter: { search: 'TEXT 3' } });
  expect(found.rows.map(({ index }) => index)).toEqual([3]);
  expect(found.rows[0]?.hits).toEqual(expect.arrayContaining(['text']));
  expect(found.rows[0]?.hits).not.toContain('id');
  const order = await ask('order', { index: 2, before: 1, after: 1 });
  expect(order).toMatchObject({ total: 5, from: 1, indexes: [1, 2, 3] });
  expect(await ask('order', { index: 2, before: 1, after: 1, filter: { search: 'TEXT 3' } })).toMatchObject({
    total: 1,
    indexes: [],
  });
});

test('failures are grouped by cause, with the rows that another run can make', async () => {
  const { groups, refused, failedRequests, lost } = await ask('failures', {});
  expect(new Set(groups.map(({ column: of, cells, onFailure }) => `${of} ${cells} ${onFailure}`))).toEqual(
    new Set(['lost 1 drop_row', 'odd 1 null']),
  );
  expect([refused, failedRequests]).toEqual([[], { groups: [], total: 0 }]);
  expect(lost).not.toBeNull();
  const cells = await ask('failed-cells', { from: 0, count: 9 });
  expect(cells).not.toHaveProperty('note');
  expect(cells.cells.map(({ row, index }) => [row, index])).toEqual([
    [3, 3],
    [5, null],
  ]);
});

test('the refused candidates of a selection are listed with their values', async () => {
  const of = { dataset: 'selected' };
  const overview = await ask('overview', of);
  expect(overview.selection?.accepted).toBe(3);
  expect(overview.lost[0]?.rows).toBeGreaterThan(0);
  const page = await ask('refusals', { ...of, from: 0, count: 1 });
  expect(page).toMatchObject({ from: 0, note: null, refusals: [{ row: 1, similarTo: null }] });
  expect(page.refusals[0]?.values).toContainEqual({ column: 'n', value: 'n1' });
  const code = page.refusals[0]?.code;
  expect((await ask('refusals', { ...of, code, from: 0, count: 9 })).total).toBe(page.total);
  expect((await ask('refusals', { ...of, code: 'other', from: 0, count: 9 })).total).toBe(0);
  expect((await ask('failures', of)).refused).toEqual(overview.lost);
  expect(await ask('refusals', { from: 0, count: 1 })).toMatchObject({
    total: 0,
    note: expect.stringContaining('no selection') as string,
  });
});

test('the config is shown with the graph of its columns and the facts of its plan', async () => {
  const { declaration, graph, plan, environment } = await ask('config', {});
  expect(declaration).toContain('Write number');
  expect(graph.nodes.map(({ name, level, isDropped, modelAlias }) => [name, level, isDropped, modelAlias])).toEqual(
    expect.arrayContaining([
      ['text', 1, false, 'writer'],
      ['plain', 2, false, 'writer'],
      ['gone', 1, true, null],
    ]),
  );
  expect(graph.edges).toContainEqual({ from: 'text', to: 'plain', isSkip: false });
  expect(graph.edges).toContainEqual({ from: 'id', to: 'plain', isSkip: true });
  expect(plan).toMatchObject({
    seed: 1,
    rows: 6,
    groups: 1,
    models: [{ alias: 'writer', model: 'm', provider: 'own', pricing: { input: 1, output: 2 } }],
    tools: [],
    processors: [{ name: 'cards', type: 'schema_transform' }],
  });
  expect(environment).toMatchObject({ folder: join(folder, 'made'), format: 'parquet', 'conversation restarts': '0' });
  expect(environment['seed files']).toBe(join(folder, 'seed.jsonl'));
  expect(environment).not.toHaveProperty('config file');
  const other = join(folder, 'selected', 'builder_config.json');
  const text = readFileSync(other, 'utf8');
  writeFileSync(other, '{');
  expect((await ask('config', { dataset: 'selected' })).environment['config file']).toContain('is no JSON');
  rmSync(other);
  const missing = await ask('config', { dataset: 'selected' });
  expect([missing.declaration, missing.environment['config file']]).toEqual([
    null,
    expect.stringContaining('cannot be read'),
  ]);
  writeFileSync(other, text);
});

/** Edits a row of the selection, with a rating. */
async function editRow(row: number) {
  const at = { dataset: 'selected' };
  const { hash } = await ask('record', { ...at, index: row });
  const review = { row, hash: hash ?? '', verdict: 'edit', rating: 4, comment: 'ok', edits: { n: 'edited' } };
  return { at, review, written: await ask('review', { ...at, review }) };
}

test('reviews are stored, listed, filtered and shown in the record', async () => {
  const { at, review, written } = await editRow(1);
  expect(written).toMatchObject({ row: 1, verdict: 'edit', rating: 4, isStale: false });
  expect((await ask('reviews', at)).reviews).toMatchObject([{ row: 1, verdict: 'edit', isStale: false }]);
  expect((await ask('record', { ...at, index: 1 })).review).toMatchObject({ verdict: 'edit', isStale: false });
  const reviewed = async (filter: string) =>
    (await ask('rows', { ...at, from: 0, count: 9, filter: { review: filter } })).rows.map(({ index }) => index);
  expect(await reviewed('edit')).toEqual([1]);
  expect(await reviewed('reviewed')).toEqual([1]);
  expect(await reviewed('none')).toEqual([0, 2]);
  expect(await reviewed('stale')).toEqual([]);
  // An edit that accepts the row is among the accepted rows, as in `export --accepted-only`.
  expect(await reviewed('accept')).toEqual([1]);
  expect(await reviewed('edit-only')).toEqual([]);
  await expect(ask('review', { ...at, review: { ...review, hash: 'other' } })).rejects.toMatchObject({ status: 409 });
  await expect(ask('review', { ...at, review: { ...review, edits: { m: 1 } } })).rejects.toMatchObject({ status: 422 });
  await expect(ask('review', { ...at, review: { ...review, row: -1 } })).rejects.toMatchObject({ status: 400 });
});

test('datasets are found in a folder, as stages of a workflow, and as one folder', async () => {
  const found = await findDatasets(folder);
  expect(found).toMatchObject({ workflow: null, isFolder: true });
  utimesSync(join(folder, 'made'), new Date(), new Date(Date.now() + 60_000));
  expect((await findDatasets(folder)).datasets.map(({ name }) => name)).toEqual(['made', 'selected']);
  expect(await findDatasets(join(folder, 'made'))).toEqual({
    workflow: null,
    isFolder: false,
    datasets: [{ name: 'made', path: join(folder, 'made'), workflow: null }],
  });
  const flow = join(folder, 'flows', 'flow');
  mkdirSync(join(flow, 'stage-0-a', 'parquet-files'), { recursive: true });
  const stages = [
    { name: 'a', stage_dir: 'stage-0-a' },
    { name: 'b', stage_dir: 'stage-1-b' },
    { name: 'c', stage_dir: '../../made' },
    { name: 1, stage_dir: 'stage-0-a' },
  ];
  writeFileSync(join(flow, 'workflow-metadata.json'), JSON.stringify({ stages }));
  // A stage that begins has no record yet.
  await expect(findDatasets(flow)).rejects.toMatchObject({ code: 'dataset/missing' });
  writeFileSync(join(flow, 'stage-0-a', 'run.json'), '');
  const stage = { path: join(flow, 'stage-0-a'), workflow: 'flow' };
  expect(await findDatasets(flow)).toEqual({ workflow: 'flow', isFolder: false, datasets: [{ name: 'a', ...stage }] });
  expect((await findDatasets(join(folder, 'flows'))).datasets).toEqual([{ name: 'flow: a', ...stage }]);
  rmSync(join(flow, 'stage-0-a'), { recursive: true });
  await expect(findDatasets(join(folder, 'flows'))).rejects.toMatchObject({ code: 'dataset/missing' });
  rmSync(join(folder, 'flows'), { recursive: true });
});

test('a dataset is compared with those of its folder, the likeliest first, and with none of them for other machines', async () => {
  const one = { folders: [join(folder, 'made')], ...opened };
  const { answerOf } = await import('./routes.ts');
  const comparable = async (all: ShownDatasets) =>
    (await answerOf('comparable', { dataset: 'made' }, { shown: all, signal: NEVER })) as Api['comparable']['answer'];
  const other = { id: 'selected', name: 'selected', facts: { state: 'finished', rows: 3, sharedColumns: 2 } };
  expect(await comparable(shown)).toMatchObject({ datasets: [other] });
  await using alone = new ShownDatasets(one);
  await alone.list();
  expect(await comparable(alone)).toEqual({ datasets: [] });
  await using near = new ShownDatasets({ ...one, hasNeighbours: true });
  await near.list();
  expect(() => near.of('selected')).toThrow("no dataset 'selected'");
  expect(await comparable(near)).toMatchObject({ datasets: [other] });
  expect((await near.list()).datasets.map(({ id }) => id)).toEqual(['made']);
  const pair = { left: 'made', right: 'selected', from: 0 };
  const counts = await answerOf('compare-counts', pair, { shown: near, signal: NEVER });
  expect(counts).toMatchObject({ total: 5, next: null, rows: 3, columns: [{ name: 'id' }, { name: 'picture' }] });
});

test('the answers of two datasets differ in what they cost', async () => {
  const { answerOf } = await import('./routes.ts');
  const pair = { left: 'made', right: 'made', from: 0 };
  const cost = { kind: 'cost', name: 'text', rose: 0, fell: 0, same: 5, sum: 0 };
  expect(await answerOf('compare-counts', pair, { shown, signal: NEVER })).toMatchObject({
    measures: expect.arrayContaining([expect.objectContaining(cost)]),
  });
});

test(
  'a copy has the rows, records, pictures and figures, and conversations only on request',
  { tags: 'long' },
  async () => {
    const app = join(folder, 'app');
    mkdirSync(app, { recursive: true });
    writeFileSync(join(app, 'index.html'), '<p>');
    const source = { folders: [join(folder, 'made'), join(folder, 'selected')], ...opened };
    await editRow(1);
    expect(await privateParts(source)).toEqual({ traces: true, reviews: 1 });
    const copy = async (name: string, options: { traces: boolean; reviews: boolean }) => {
      const to = join(folder, 'copies', name);
      const rows = await writeCopy({
        ...source,
        ...options,
        to,
        appFolder: app,
        shareConfig: () => ({ shared: true }),
      });
      const read = (file: string): unknown => JSON.parse(readFileSync(join(to, file), 'utf8'));
      const files = copyFiles(0);
      return {
        to,
        rows,
        index: read(COPY_INDEX) as CopyIndex,
        data: read(files.data) as CopyData,
        other: read(copyFiles(1).data) as CopyData,
        records: read(files.records(0)) as CopiedRecords,
      };
    };
    const { to, rows, index, data, other, records } = await copy('plain', { traces: false, reviews: false });
    expect(rows).toBe(8);
    expect(index).toMatchObject({
      hasReviews: false,
      datasets: [{ name: 'made', path: 'made' }, { name: 'selected' }],
    });
    expect(index.datasets).toHaveLength(2);
    expect(existsSync(join(to, 'index.html'))).toBe(true);
    expect(data).toMatchObject({ recordsPerFile: 100, hasMedia: true, reviews: [], config: { environment: {} } });
    expect(JSON.parse(data.config.declaration ?? '')).toEqual({ shared: true });
    expect(data.failedCells).toMatchObject({ total: 2, from: 0 });
    expect(data.failedCells.cells).toHaveLength(2);
    expect(data.overview.columns.map(({ name }) => name)).not.toContain('text__trace');
    expect(data.stats.map(({ column: of }) => of)).toContain('text');
    expect(data.bytes).toBeGreaterThan(0);
    expect(other.reviews).toEqual([]);
    expect(records).toHaveLength(5);
    const [text, plain] = records[1]?.answers ?? [];
    expect(text).toMatchObject({
      prompt: { source: 'not-stored', text: null },
      raw: { text: null },
      conversation: null,
    });
    expect(plain?.prompt).toMatchObject({ source: 'rendered', text: { text: 'Note Text 1' } });
    const [picture] = records[1]?.media['picture'] ?? [];
    expect(readFileSync(join(to, picture?.address ?? '')).toString('base64')).toBe(PIXEL);
    expect(records[1]?.processed).toMatchObject([{ processor: 'cards' }]);
    expect([records[1]?.states, records[1]?.attempts]).toEqual([[], []]);
    await expect(copy('plain', { traces: false, reviews: false })).rejects.toMatchObject({
      code: 'dataset/unwritable',
    });
    const whole = await copy('whole', { traces: true, reviews: true });
    expect(whole.records[1]?.answers[0]).toMatchObject({
      raw: { text: { text: 'Text 1' } },
      conversation: { total: 3 },
    });
    expect(whole.other.reviews).toMatchObject([{ row: 1 }]);
  },
);

test('the overview tells what was wrong with tools and answers, beside the rows', async () => {
  const told = join(folder, 'told');
  cpSync(join(folder, 'made'), told, { recursive: true });
  const tools = {};
  const failure = { kind: 'tool', reason: 'no luck' } as const;
  const look = { provider: 'facts', name: 'look' };
  countCall(tools, look, { bytes: 4, elapsedMs: 10 });
  for (let call = 0; call < 2; call++) countCall(tools, look, { failure, bytes: 4, elapsedMs: 10 });
  countCall(tools, { name: 'gone' }, { failure, bytes: 0, elapsedMs: undefined });
  const counts = { ...noUsage(), cutAnswers: 2, recoveredToolAnswers: 1 };
  const { columns: _, ...ofColumn } = counts;
  const usage = { writer: { ...counts, columns: { text: { first: ofColumn }, plain: { first: ofColumn } } } };
  await new UsageLog(datasetPaths(told).usage).add(null, { usage, tools });
  await shown.list();
  const overview = await ask('overview', { dataset: 'told' });
  const found = (about: string) =>
    overview.findings.filter((one) => one.about === about).map(({ text, count, where }) => [text, count, where]);
  expect(found('facts/look')).toEqual([[expect.stringMatching(/^tool calls failed, because .*: no luck$/), 2, null]]);
  expect(found('gone')).toEqual([[expect.stringContaining('no luck'), 1, null]]);
  const cut = { column: 'text__trace', op: 'contains', text: '"finish_reason":"length"' };
  expect(found('text')).toEqual(
    expect.arrayContaining([
      ['answers before which tool calls failed first and succeeded later', 1, null],
      [expect.stringContaining('answers'), 2, cut],
    ]),
  );
  const empty = { column: 'text', op: 'equals', value: '' };
  expect(found('text').map(([, , where]) => where)).toContainEqual(empty);
  expect(found('plain')).toContainEqual([expect.stringContaining('answers'), 2, null]);
  expect(overview.tools['look']).toMatchObject({ calls: 3, errors: 2, timeouts: 0, p50: expect.anything() as unknown });
  rmSync(told, { recursive: true });
  await shown.list();
});

test('a finished run took as long as there is between its first and its last rates', async () => {
  const { rates } = datasetPaths(join(folder, 'selected'));
  const text = existsSync(rates) ? readFileSync(rates, 'utf8') : '[]';
  const elapsed = async (...times: readonly number[]) => {
    writeFileSync(rates, JSON.stringify(times.map((at) => ({ at }))));
    const { elapsedMs, changedAt } = await ask('run', { dataset: 'selected' });
    return [elapsedMs, changedAt];
  };
  expect([await elapsed(5), await elapsed(5, 7, 9), await elapsed(6, 6)]).toEqual([
    [null, 5],
    [4, 9],
    [null, 6],
  ]);
  writeFileSync(rates, text);
});

test('a page of one file has its records with conversations and pictures', async () => {
  const dataset = shown.of('made');
  const { plan } = await dataset.plan();
  const row = await dataset.row(1);
  const rows = { index: 7, row, processed: [{ processor: 'cards', row: { title: 'x' } }] };
  const inliner = recordInliner({ plan, types: registry, folder: dataset.paths.folder });
  const record = await inliner.inline(rows);
  expect(record).toMatchObject({
    index: 7,
    answers: [{ column: 'text', raw: { text: { text: 'Text 1' } }, conversation: { total: 3 } }],
    processed: [{ processor: 'cards', fields: [{ column: 'title', value: 'x' }] }],
  });
  expect(record.fields.find((one) => one.column === 'picture')?.media[0]?.address).toBe(
    `data:image/png;base64,${PIXEL}`,
  );
  const bare = recordInliner({ plan, types: registry, folder: null, hideSeedColumns: true, includeTraces: false });
  const names = bare.columns.map(({ name }) => name);
  expect(names).toContain('text');
  expect(names).not.toContain('text__trace');
  expect(names).not.toContain('id');
  expect((await bare.inline(rows)).answers).toEqual([]);
});

/** The first events of a stream. */
async function eventsOf(dataset: string, topic: 'figures' | 'answers', count: number): Promise<readonly object[]> {
  const left = new AbortController();
  const server = createServer((_, response) => {
    response.once('close', () => left.abort());
    void sendEvents(shown.of(dataset), { topic, response, signal: left.signal });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}`);
  const events: object[] = [];
  let text = '';
  for await (const piece of response.body ?? []) {
    text += Buffer.from(piece).toString();
    const parts = text.split('\n\n');
    text = parts.pop() ?? '';
    for (const part of parts) events.push(JSON.parse(part.replace('data: ', '')) as object);
    if (events.length >= count) break;
  }
  server.closeAllConnections();
  server.close();
  return events;
}

test(
  'a run is watched: its answers, the rows in the making, and once it was stopped what its journal has',
  { tags: 'long' },
  async () => {
    const stop = new AbortController();
    const config = {
      model_configs: models,
      seed_config: seed(),
      columns: [asking('slow', 'Slowly, number {{ id }}'), asking('later', 'Then {{ slow }}')],
    };
    const run = designer({ bufferSize: 4 }).create(
      { document: config, source: 'test' },
      { numRecords: 4, datasetName: 'running', signal: stop.signal },
    );
    const ended = run.then(
      () => 'made',
      () => 'stopped',
    );
    const before = asked;
    await until(() => asked >= before + 6);
    await shown.list();
    const of = { dataset: 'running' };
    await expect.poll(async () => (await ask('live', of)).answers.length).toBeGreaterThanOrEqual(4);
    const { answers, groups } = await ask('live', of);
    expect(answers[0]).toMatchObject({
      number: 0,
      group: 0,
      attempt: 1,
      call: 0,
      kind: 'model',
      status: 200,
      reasoning: null,
      outputTokens: 500_000,
      finishReason: 'stop',
    });
    expect(
      answers
        .filter((one) => one.column === 'slow')
        .map(({ text }) => text.text)
        .toSorted()[0],
    ).toMatch(/^Text \d$/);
    expect(groups).toMatchObject([
      {
        group: 0,
        rows: 4,
        columns: [
          { column: 'slow', answered: 2 },
          { column: 'later', answered: 2 },
        ],
      },
    ]);
    expect(groups[0]?.answers).toBe(answers.length);
    expect(groups[0]?.waitsFor).toBe("Waits for 2 answers of 'slow', 2 answers of 'later'.");
    const making = await ask('making', of);
    expect(making).toMatchObject({ total: 2, columns: ['slow', 'later'] });
    expect(making.rows[0]?.cells[0]).toMatch(/^Text \d$/);
    expect((await ask('overview', of)).state).toBe('running');
    expect(await ask('failures', of)).toMatchObject({ lost: null });
    expect(await ask('profile', of)).toMatchObject({ profile: null, note: expect.any(String) as string });
    const [figures] = await eventsOf('running', 'figures', 1);
    expect(figures).toMatchObject({ state: 'running', wanted: 4, rows: 0 });
    expect((await eventsOf('running', 'answers', 1))[0]).toMatchObject({ groups: [{ group: 0 }] });
    stop.abort();
    expect(await ended).toBe('stopped');
    const stopped = await ask('overview', of);
    expect(['unfinished', 'dead']).toContain(stopped.state);
    expect(stopped.usage['writer']?.requests).toBeGreaterThanOrEqual(4);
    expect((await ask('run', of)).cost).toBe((stopped.usage['writer']?.requests ?? 0) * 2);
    const viewer = await serveViewer({
      folders: [join(folder, 'running')],
      appFolder: join(folder, 'app'),
      port: 0,
      ...opened,
    });
    await using _ = viewer;
    expect(viewer.address).toContain('/#t=');
  },
);

test('a viewer sends files of rows with their edits, pictures, and its pages compressed', async () => {
  const stop = new AbortController();
  const app = join(folder, 'app');
  mkdirSync(app, { recursive: true });
  writeFileSync(join(app, 'index.html'), '<p>');
  writeFileSync(join(app, 'main-12345678.js'), 'let a;');
  const viewer = await serveViewer({
    folders: [folder],
    appFolder: app,
    port: 0,
    signal: stop.signal,
    ...opened,
  });
  const [origin = '', token] = viewer.address.split('/#t=');
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ token }) };
  const cookie = (await fetch(`${origin}/api/token`, post)).headers.get('set-cookie')?.split(';')[0] ?? '';
  const get = (path: string, headers: object = {}) => fetch(`${origin}${path}`, { headers: { cookie, ...headers } });
  const lines = async (query: string) =>
    (await (await get(`/api/download?dataset=selected&${query}`)).text()).trim().split('\n');
  expect((await lines('format=jsonl')).map((line) => (JSON.parse(line) as { n: string }).n)).toEqual([
    'n0',
    'n2',
    'n3',
  ]);
  expect((await lines('format=jsonl&edits=1')).map((line) => (JSON.parse(line) as { n: string }).n)).toEqual([
    'n0',
    'edited',
    'n3',
  ]);
  const withReviews = (await lines('format=jsonl&reviews=1')).map((line) => JSON.parse(line) as object);
  expect(withReviews.map((row) => ('n' in row ? row.n : undefined))).toEqual(['n0', 'n2', 'n3']);
  expect(withReviews).toMatchObject([
    { _review_row: 0, _review_verdict: null, _review_edited: null, _review_author: null },
    {
      _review_row: 1,
      _review_verdict: 'accept',
      _review_edited: true,
      _review_rating: 4,
      _review_comment: 'ok',
      _review_stale: false,
    },
    { _review_row: 2 },
  ]);
  const accepted = await get(`/api/download?dataset=selected&filter=${encodeURIComponent('{"review":"accept"}')}`);
  expect(accepted.headers.get('content-disposition')).toBe('attachment; filename="selected-accepted.jsonl"');
  expect((await accepted.text()).trim().split('\n')).toHaveLength(1);
  expect((await lines('format=csv'))[0]).toContain('n');
  const parquet = await get('/api/download?dataset=selected&format=parquet');
  expect(parquet.headers.get('content-disposition')).toBe('attachment; filename="selected.parquet"');
  expect(parquet.headers.get('content-type')).toBe('application/octet-stream');
  expect(
    Buffer.from(await parquet.arrayBuffer())
      .subarray(0, 4)
      .toString(),
  ).toBe('PAR1');
  expect((await get('/api/download?dataset=selected&format=xyz')).status).toBe(400);
  expect((await get('/api/download?dataset=selected&filter=5')).status).toBe(400);
  expect((await get('/api/download?dataset=nothing')).status).toBe(404);
  const picture = await get('/api/media?dataset=made&index=1&column=picture&at=0&kind=image');
  expect(picture.headers.get('content-type')).toBe('image/png');
  expect(Buffer.from(await picture.arrayBuffer()).toString('base64')).toBe(PIXEL);
  const media = async (query: string) => (await get(`/api/media?dataset=made&${query}`)).status;
  expect(await media('index=1&column=picture&at=0&kind=other')).toBe(400);
  expect(await media('index=-1&column=picture&at=0&kind=image')).toBe(400);
  expect(await media('index=1&column=text__trace&message=1&part=0&kind=image')).toBe(404);
  const script = await get('/main-12345678.js');
  expect(script.headers.get('cache-control')).toContain('immutable');
  const tag = script.headers.get('etag') ?? '';
  expect((await get('/main-12345678.js', { 'if-none-match': tag })).status).toBe(304);
  expect(script.headers.get('content-encoding')).toBe('gzip');
  expect(await script.text()).toBe('let a;');
  expect(
    (await get('/main-12345678.js', { 'accept-encoding': 'identity' })).headers.get('content-encoding'),
  ).toBeNull();
  expect((await get('/favicon.ico')).status).toBe(204);
  expect((await get('/nothing')).status).toBe(404);
  expect(
    (await fetch(`${origin}/api/datasets`, { ...post, headers: { ...post.headers, cookie }, body: '{' })).status,
  ).toBe(400);
  const large = JSON.stringify({ a: 'x'.repeat(1 << 20) });
  expect(
    (await fetch(`${origin}/api/datasets`, { ...post, headers: { ...post.headers, cookie }, body: large })).status,
  ).toBe(413);
  stop.abort();
  await viewer.ended;
  await expect(get('/')).rejects.toThrow('fetch failed');
  await expect(serveViewer({ folders: [folder], appFolder: join(folder, 'none'), ...opened })).rejects.toMatchObject({
    code: 'internal/unexpected',
  });
});
