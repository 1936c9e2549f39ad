import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDesigner, loadDataset, openViewer } from 'data-designer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rowHash } from '@data-designer/dataset/reviews';
import type { Api } from '../packages/viewer/src/api/requests.ts';
import type { ComparePage } from '../packages/viewer/src/api/compare.ts';
import type { RowReview } from '../packages/viewer/src/api/reviews.ts';

const TOPICS = ['tides', 'dunes', 'kelp'];
const ROWS = 30;

let folder: string;
let viewer: Awaited<ReturnType<typeof openViewer>>;
let origin: string;
let cookie: string;
let rows: readonly Record<string, string | number>[];

/** Makes a dataset without a model: `longer` changes the size of some rows, and `extra` is a column of its own. */
async function create(name: string, { longer, extra }: { longer: number; extra: string }): Promise<string> {
  await using designer = new DataDesigner({ artifactPath: folder, runConfig: { seed: 1 } });
  const columns = [
    { name: 'id', column_type: 'sampler', sampler_type: 'uuid', params: {} },
    { name: 'topic', column_type: 'sampler', sampler_type: 'category', params: { values: TOPICS } },
    {
      name: 'size',
      column_type: 'expression',
      expr: `{{ (topic | length) + (${longer} if topic == 'kelp' else 0) }}`,
      dtype: 'int',
    },
    { name: extra, column_type: 'expression', expr: 'x' },
  ];
  const { path } = await designer.create(
    { document: { columns }, source: 'test' },
    { numRecords: ROWS, datasetName: name },
  );
  return path;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'view-reviews-'));
  const [first, second] = [
    await create('first', { longer: 0, extra: 'own' }),
    await create('second', { longer: 5, extra: 'other' }),
  ];
  rows = (await Array.fromAsync((await loadDataset(first)).records())) as typeof rows;
  viewer = await openViewer(first, { compare: second });
  const { origin: at, hash } = new URL(viewer.address);
  origin = at;
  const token = hash.replace('#t=', '');
  const response = await post('/api/token', { token });
  cookie = response.headers.get('set-cookie')?.split(';')[0] ?? '';
});

afterAll(async () => {
  await viewer[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

function post(path: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...(cookie ? { cookie } : {}) };
  return fetch(`${origin}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
}

async function ask<Name extends keyof Api>(name: Name, request: Api[Name]['request']): Promise<Api[Name]['answer']> {
  const response = await post(`/api/${name}`, request);
  expect(response.status).toBe(200);
  return (await response.json()) as Api[Name]['answer'];
}

const NOTHING = { verdict: null, rating: null, comment: null, edits: null } as const;

test('a review of a row is stored beside the dataset, with the name of the user, and listed', async () => {
  const hash = rowHash(rows[3] ?? {});
  const review = { ...NOTHING, row: 3, hash, verdict: 'edit', rating: 4, edits: { topic: 'reefs' } } as const;
  const written: RowReview = await ask('review', { dataset: 'first', review });
  expect(written).toMatchObject({ ...review, author: expect.any(String), isStale: false });
  expect(await ask('reviews', { dataset: 'first' })).toEqual({ reviews: [written] });
  expect(JSON.parse(readFileSync(join(folder, 'first', 'reviews.jsonl'), 'utf8'))).toMatchObject(review);
  expect(await ask('reviews', { dataset: 'second' })).toEqual({ reviews: [] });
});

test('a review that another program wrote appears, and is stale if it is of another row', async () => {
  const path = join(folder, 'second', 'reviews.jsonl');
  const line = { ...NOTHING, row: 2, hash: 'another', comment: 'hm', author: null, time: '2026-01-01T00:00:00.000Z' };
  writeFileSync(path, `${JSON.stringify(line)}\n{"row":1,"ha`);
  expect(await ask('reviews', { dataset: 'second' })).toEqual({ reviews: [{ ...line, isStale: true }] });
});

test.each([
  ['of a row that changed meanwhile', { hash: 'another' }, { status: 409, code: 'review/row-changed' }],
  ['of a row that does not exist', { row: 99 }, { status: 422, code: 'review/invalid' }],
  ['with a value of another type', { edits: { size: 'long' } }, { status: 422, code: 'review/invalid' }],
  ['with an unknown verdict', { verdict: 'maybe' }, { status: 400, code: 'view/bad-request' }],
  ['with a path of its own', { folder: '/tmp' }, { status: 400, code: 'view/bad-request' }],
])('a review %s is refused', async (_, wrong, refusal) => {
  const before = await ask('reviews', { dataset: 'first' });
  const review = { ...NOTHING, row: 5, hash: rowHash(rows[5] ?? {}), ...wrong };
  const response = await post('/api/review', { dataset: 'first', review });
  expect({ status: response.status, ...((await response.json()) as object) }).toMatchObject(refusal);
  expect(await ask('reviews', { dataset: 'first' })).toEqual(before);
});

test('two datasets are compared by the position of their rows', async () => {
  const page: ComparePage = await ask('compare', { left: 'first', right: 'second', from: 0, count: ROWS });
  expect(page.columns.filter((column) => column.in !== 'both')).toEqual([
    { name: 'own', in: 'left', shown: 'value' },
    { name: 'other', in: 'right', shown: 'value' },
  ]);
  expect([page.total, page.next, page.rows.length]).toEqual([ROWS, null, ROWS]);
  const differ = page.rows.flatMap(({ index, changed }) => (changed.length > 0 ? [[index, ...changed]] : []));
  expect(differ).toEqual(rows.flatMap(({ topic }, at) => (topic === 'kelp' ? [[at, 'size']] : [])));
  expect(differ.length).toBeGreaterThan(3);
});

test('the rows that differ are found beyond those that are the same', async () => {
  const wanted = rows.flatMap(({ topic }, at) => (topic === 'kelp' ? [at] : []));
  const request = { left: 'first', right: 'second', count: 2, rows: { of: 'changed' } } as const;
  const page = await ask('compare', { ...request, from: 0 });
  expect([page.rows.map(({ index }) => index), page.next]).toEqual([wanted.slice(0, 2), (wanted[1] ?? 0) + 1]);
  const further = await ask('compare', { ...request, from: page.next ?? 0, count: 100 });
  expect([further.rows.map(({ index }) => index), further.next]).toEqual([wanted.slice(2), null]);
});

test('the order of the rows around one of them is known without their records', async () => {
  const order = await ask('order', { dataset: 'first', index: 5, before: 2, after: 3 });
  expect(order).toMatchObject({ total: ROWS, from: 3, indexes: [3, 4, 5, 6, 7, 8] });
  const kelp = rows.flatMap(({ topic }, at) => (topic === 'kelp' ? [at] : []));
  const filter = { where: [{ column: 'topic', op: 'equals', value: 'kelp' }] } as const;
  const within = { dataset: 'first', filter, before: 1, after: 100 } as const;
  expect(await ask('order', { ...within, index: kelp[1] ?? 0 })).toMatchObject({ total: kelp.length, indexes: kelp });
  const other = rows.findIndex(({ topic }) => topic !== 'kelp');
  expect(await ask('order', { ...within, index: other })).toMatchObject({ indexes: [] });
});

test('a download has the edits of reviews if it asks for them', async () => {
  const hash = rowHash(rows[7] ?? {});
  await ask('review', {
    dataset: 'first',
    review: { ...NOTHING, row: 7, hash, verdict: 'edit', edits: { topic: 'reefs' } },
  });
  expect(await downloadedTopic(7, '')).toBe(rows[7]?.['topic']);
  expect(await downloadedTopic(7, '&edits=1')).toBe('reefs');
});

test('the files of the page are compressed, and sent once', async () => {
  const page = await fetch(`${origin}/app.js`);
  expect(page.headers.get('content-encoding')).toBe('gzip');
  const tag = page.headers.get('etag') ?? '';
  expect((await fetch(`${origin}/app.js`, { headers: { 'if-none-match': tag } })).status).toBe(304);
  const { headers } = await post('/api/reviews', { dataset: 'first' });
  expect(headers.get('cache-control')).toBe('no-store');
});

/** The topic of a row in a download. */
async function downloadedTopic(row: number, more: string): Promise<string | undefined> {
  const response = await fetch(`${origin}/api/download?dataset=first&format=jsonl${more}`, { headers: { cookie } });
  const lines = (await response.text()).trimEnd().split('\n');
  return lines.map((line): { topic: string } => JSON.parse(line))[row]?.topic;
}
