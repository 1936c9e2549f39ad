import { request as httpRequest } from 'node:http';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { columnTypes } from '@data-designer/columns';
import { ColumnRegistry } from '@data-designer/config';
import { field, type Plan } from '@data-designer/core';
import { datasetPaths, exportRows, FailureLog, RUN_RECORD_VERSION } from '@data-designer/dataset';
import { FrameBuffer, journalMark } from '../../../dataset/src/journal/journal-file.ts';
import type { Cell } from '../api/cells.ts';
import type { Filter } from '../api/filter.ts';
import type { RecordAnswer } from '../api/record.ts';
import type { RowsPage } from '../api/table.ts';
import { serveViewer, type Viewer } from './serve-viewer.ts';

const FIELDS = [
  field('n', 'int64'),
  field('share', 'float64'),
  field('text', 'utf8'),
  field('tags', { list: 'utf8' }),
  field('score', { struct: [field('clarity', { struct: [field('score', 'int64')] })] }),
];
const MARKUP = '<img src=x onerror=alert(1)>\u202e\u0000';
const LARGE = 'ä'.repeat(10 * 1024 * 1024);
const ROWS = Array.from({ length: 40 }, (_, n) => ({
  n: n === 0 ? 9_007_199_254_740_993n : n,
  share: n === 1 ? NaN : n === 2 ? -0 : n / 4,
  text: n === 3 ? MARKUP : n === 4 ? LARGE : `row ${n}`,
  tags: Array.from({ length: n }, (__, at) => `t${at}`),
  score: { clarity: { score: n % 3 } },
}));

let folder: string;
let viewer: Viewer;
let origin: string;
let cookie: string;

async function* records() {
  yield* ROWS;
}

beforeAll(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'viewer-')), 'facts');
  const paths = datasetPaths(folder);
  await mkdir(paths.parquetFiles, { recursive: true });
  await exportRows({ records: records(), fields: FIELDS }, join(paths.parquetFiles, 'batch_00000.parquet'), 'parquet');
  const plan: Partial<Plan> = {
    columns: [],
    fields: FIELDS,
    dropped: null,
    processors: [],
    models: {},
    tools: {},
    resources: [],
    segments: [{ firstRow: 0, rows: 41, groupSize: 41 }],
    seed: 1,
    maxCost: null,
  };
  await writeFile(
    paths.run,
    JSON.stringify({ version: RUN_RECORD_VERSION, format: 'parquet', tools: {}, plan, tables: [] }),
  );
  await new FailureLog(paths.failures).add(0, [
    {
      row: 7,
      column: 'text',
      code: 'model/gave-up',
      message: 'no',
      onFailure: 'drop_row',
      messages: [{ role: 'user', content: MARKUP }],
    },
    { row: 9, column: 'tags', code: 'model/rate-limited', message: 'busy', onFailure: 'null', messages: [] },
  ]);
  const appFolder = join(folder, '..', 'app');
  await mkdir(appFolder);
  await writeFile(join(appFolder, 'index.html'), '<!doctype html>');
  await writeFile(join(folder, '..', 'secret.txt'), 'secret');
  const registry = new ColumnRegistry(columnTypes);
  viewer = await serveViewer({ folders: [folder, await killedRun()], registry, version: '1', appFolder });
  const [address = '', token] = viewer.address.split('/#t=');
  origin = address;
  const shown = await send('/api/token', { method: 'POST', body: { token } });
  cookie = String(shown.headers['set-cookie']).split(';')[0] ?? '';
});

/** A dataset whose run was killed before a row group was finished. */
async function killedRun(): Promise<string> {
  const paths = datasetPaths(join(folder, '..', 'killed'));
  await mkdir(paths.parquetFiles, { recursive: true });
  const pricing = { input: 1, cachedInput: null, output: 1, image: null };
  const plan = {
    columns: [{ name: 'a', config: { columnType: 'llm-text' }, requires: { models: ['writer'] }, writes: [] }],
    fields: [field('a', 'utf8')],
    dropped: null,
    processors: [],
    models: { writer: { alias: 'writer', model: 'm', resource: 'model/p/m', pricing } },
    tools: {},
    segments: [{ firstRow: 0, rows: 4, groupSize: 4 }],
  };
  await writeFile(
    paths.run,
    JSON.stringify({ version: RUN_RECORD_VERSION, format: 'parquet', tools: {}, plan, tables: [] }),
  );
  const body = '{"choices":[{"message":{"content":"ok"}}],"usage":{"prompt_tokens":300000,"completion_tokens":200000}}';
  const asked = { column: 'a', call: 0, resource: 'model/p/m', path: 'chat/completions', request: 'hash' };
  const frames = new FrameBuffer();
  for (const row of [0, 1]) frames.add({ ...asked, row, status: 200, headers: {}, body });
  await mkdir(paths.journal(0), { recursive: true });
  await writeFile(join(paths.journal(0), '000001.journal'), Buffer.concat([journalMark(), frames.bytes]));
  const writtenAt = '2026-01-01T00:00:00.000Z';
  const report = {
    pid: 1,
    host: 'elsewhere',
    startedAt: writtenAt,
    writtenAt,
    snapshot: SNAPSHOT,
    history: [{ at: 1 }],
  };
  await writeFile(paths.progress, JSON.stringify(report));
  return paths.folder;
}

afterAll(async () => {
  await viewer[Symbol.asyncDispose]();
  await rm(join(folder, '..'), { recursive: true });
});

interface Sent {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request with any headers and any path, which `fetch` would normalise. */
async function send(path: string, { method = 'GET', body, headers = {} }: Sent = {}) {
  const { hostname, port } = new URL(origin);
  const answered = Promise.withResolvers<{ status: number; headers: Record<string, unknown>; text: string }>();
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  const asked = httpRequest({ hostname, port, path, method, headers: { ...json, ...headers } }, (response) => {
    const pieces: Buffer[] = [];
    response.on('data', (piece: Buffer) => pieces.push(piece));
    response.on('end', () =>
      answered.resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        text: Buffer.concat(pieces).toString(),
      }),
    );
  });
  asked.once('error', answered.reject).end(body === undefined ? undefined : JSON.stringify(body));
  return answered.promise;
}

async function ask<Answer>(name: string, body: object): Promise<Answer> {
  const { status, text } = await send(`/api/${name}`, {
    method: 'POST',
    body: { dataset: 'facts', ...body },
    headers: { cookie },
  });
  if (status !== 200) throw new Error(`${status} ${text}`);
  return JSON.parse(text) as Answer;
}

const indexes = async (filter: Filter) =>
  (await ask<RowsPage>('rows', { from: 0, count: 100, columns: ['n'], filter })).rows.map(({ index }) => index);

test.each([
  ['no cookie', {}, 401],
  ['a wrong cookie', { cookie: 'data-designer-view-1=x' }, 401],
  ['a foreign Host', { host: 'evil.example' }, 403],
  ['a foreign Origin', { origin: 'https://evil.example' }, 403],
  ['the Origin of another port', { origin: 'http://127.0.0.1:1' }, 403],
  ['a request from another site', { 'sec-fetch-site': 'cross-site' }, 403],
  ['a request from another port', { 'sec-fetch-site': 'same-site' }, 403],
])('rejects %s', async (_, headers, status) => {
  const allowed = 'cookie' in headers || status === 401 ? {} : { cookie };
  const sent = { method: 'POST', body: {}, headers: { ...allowed, ...headers } };
  expect((await send('/api/datasets', sent)).status).toBe(status);
});

test('rejects a wrong token, and forms, which other pages can send', async () => {
  expect((await send('/api/token', { method: 'POST', body: { token: 'x' } })).status).toBe(401);
  const headers = { cookie, 'content-type': 'text/plain' };
  expect((await send('/api/datasets', { method: 'POST', headers })).status).toBe(415);
  expect((await send('/api/datasets', { headers })).status).toBe(405);
});

test('a token for one browser is good once', async () => {
  const [, token] = viewer.addressForOnce().split('/#t=');
  const shown = async () => (await send('/api/token', { method: 'POST', body: { token } })).status;
  expect([await shown(), await shown()]).toEqual([204, 401]);
});

test('every answer forbids frames, scripts of others and sniffing', async () => {
  const { headers } = await send('/');
  expect(headers).toMatchObject({
    'content-security-policy': expect.stringMatching(
      /default-src 'none'.*frame-ancestors 'none'.*require-trusted-types-for/,
    ),
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    // The page holds nothing of a dataset: browsers keep it, and ask whether it has changed.
    'cache-control': 'private, no-cache',
  });
  expect((await send('/api/none', { method: 'POST', body: {}, headers: { cookie } })).headers).toMatchObject({
    'x-frame-options': 'DENY',
    'cache-control': 'no-store',
  });
});

test.each([
  '/../secret.txt',
  '/%2e%2e/secret.txt',
  '//secret.txt',
  '/api/../../secret.txt',
  '/index.html/../../secret.txt',
])('does not serve %s', async (path) => {
  expect((await send(path, { headers: { cookie } })).text).not.toBe('secret');
});

test('media are read within the folder of the dataset only', async () => {
  const query = 'dataset=facts&index=3&column=text&at=0&kind=image';
  expect((await send(`/api/media?${query}`, { headers: { cookie } })).status).toBe(404);
});

test('cells of a page are cut, and what JSON cannot hold is marked', async () => {
  const { rows, columns } = await ask<RowsPage>('rows', { from: 0, count: 30 });
  const cellOf = (row: number, column: string): Cell | undefined => rows[row]?.cells[columns.indexOf(column)];
  expect(cellOf(0, 'n')).toEqual({ as: 'number', text: '9007199254740993' });
  expect(cellOf(1, 'share')).toEqual({ as: 'number', text: 'NaN' });
  expect(cellOf(2, 'share')).toEqual({ as: 'number', text: '-0' });
  expect(cellOf(3, 'text')).toBe(MARKUP);
  expect(cellOf(4, 'text')).toEqual({ as: 'text', text: 'ä'.repeat(500), length: LARGE.length });
  expect(cellOf(25, 'tags')).toMatchObject({ as: 'list', length: 25, items: { length: 20 } });
  const page = await ask('text', { index: 4, column: 'text', from: LARGE.length - 2, count: 10 });
  expect(page).toEqual({ text: 'ää', from: LARGE.length - 2, length: LARGE.length });
});

test('filters, sorts and counts rows', async () => {
  expect(await indexes({ where: [{ column: 'share', op: 'between', low: 9, high: 9.5 }] })).toEqual([36, 37]);
  expect(
    await indexes({
      where: [{ column: 'score', path: ['clarity', 'score'], op: 'at-least', value: 2 }],
      sql: 'n < 9 -- x',
    }),
  ).toEqual([2, 5, 8]);
  expect(await indexes({ search: 'ROW 3', sort: [{ column: 'text', descending: true }] })).toEqual([
    39, 38, 37, 36, 35, 34, 33, 32, 31, 30,
  ]);
  expect(await indexes({ where: [{ column: 'text', op: 'contains', text: 'onerror=' }] })).toEqual([3]);
  const { stats } = await ask<{ stats: readonly object[] }>('stats', { columns: ['share', 'text'] });
  expect(stats).toMatchObject([
    { column: 'share', rows: 40, kind: 'bins', low: '0', high: '9.75', others: 1 },
    { column: 'text', kind: 'bins' },
  ]);
});

test.each([
  ['an unknown column', 'nope > 1'],
  ['a second statement', "1=1); COPY dataset TO 'x.csv'; SELECT (1"],
  ['a file of the machine', "n IN (SELECT 1 FROM read_text('/etc/passwd'))"],
])('a condition with %s is refused', async (_, sql) => {
  await expect(indexes({ sql })).rejects.toThrow('400');
});

test('a record has its neighbours within the filter, and its row of the plan', async () => {
  const filter: Filter = { where: [{ column: 'n', op: 'one-of', values: [5, 9, 12] }] };
  expect(await ask('record', { index: 9, filter })).toMatchObject({
    position: 1,
    total: 3,
    previous: 5,
    next: 12,
    row: 10,
  });
  await expect(ask('record', { index: 40 })).rejects.toThrow('404');
});

test('a record of a large row comes without its hash, which a review asks for', async () => {
  const { hash: small } = await ask<RecordAnswer>('record', { index: 9 });
  expect(await ask('row-hash', { index: 9 })).toEqual({ hash: small });
  const { hash: large } = await ask<RecordAnswer>('record', { index: 4 });
  expect(large).toBeNull();
  expect(await ask('row-hash', { index: 4 })).toEqual({ hash: expect.stringMatching(/^[\da-f]{32}$/) });
});

test('failed cells are grouped, with the conversation before the failure', async () => {
  expect(await ask('failures', {})).toMatchObject({
    groups: [{ column: 'text', code: 'model/gave-up', cells: 1 }, { column: 'tags' }],
  });
  const { cells } = await ask<{ cells: readonly object[] }>('failed-cells', { from: 0, count: 5 });
  expect(cells).toMatchObject([
    { row: 7, index: null, messages: [{ role: 'user', content: { text: MARKUP } }] },
    { row: 9, index: 8 },
  ]);
});

test('a record names its failed cells, which lead to the log', async () => {
  // Row 7 of the plan is missing.
  const { failures } = await ask<RecordAnswer>('record', { index: 8 });
  expect(failures).toEqual([{ row: 9, column: 'tags', code: 'model/rate-limited', message: 'busy' }]);
  expect((await ask<RecordAnswer>('record', { index: 9 })).failures).toEqual([]);
  const cells = await ask('failed-cells', { row: 9, column: 'tags', from: 0, count: 5 });
  expect(cells).toMatchObject({ total: 1, cells: [{ row: 9, column: 'tags' }] });
});

async function stateOfRun(): Promise<string> {
  return (await ask<{ state: string }>('overview', {})).state;
}

test('the overview tells a run that died from one that is at work', async () => {
  const { progress } = datasetPaths(folder);
  expect(await stateOfRun()).toBe('finished');
  const report = { pid: 1, host: 'elsewhere', startedAt: '', writtenAt: new Date().toISOString(), snapshot: SNAPSHOT };
  await writeFile(progress, JSON.stringify(report));
  expect(await stateOfRun()).toBe('running');
  await writeFile(progress, JSON.stringify({ ...report, writtenAt: '2020-01-01T00:00:00Z' }));
  expect(await stateOfRun()).toBe('dead');
  await rm(progress);
});

test('the overview of a killed run counts the answers in its journals, and has its rates from its beginning', async () => {
  expect(await ask('overview', { dataset: 'killed' })).toMatchObject({
    state: 'dead',
    rows: 0,
    usage: { writer: { requests: 2, failedRequests: 0, inputTokens: 600_000, outputTokens: 400_000, cost: 1 } },
    history: [{ at: 1 }],
  });
});

const SNAPSHOT = { rows: { done: 1, perSecond: 0 }, models: [], usage: {}, cost: { soFar: null } };

test('a download has the rows of the filter', async () => {
  const filter = encodeURIComponent(JSON.stringify({ sql: 'n IN (5, 6)' }));
  const { text } = await send(`/api/download?dataset=facts&format=jsonl&filter=${filter}`, { headers: { cookie } });
  expect(
    text
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { n: number }).n),
  ).toEqual([5, 6]);
});
