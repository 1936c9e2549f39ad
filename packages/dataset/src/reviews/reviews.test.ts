import { existsSync } from 'node:fs';
import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CellValue, field } from '@data-designer/core';
import { batchPath, writeDataFile } from '../../test/data-files.ts';
import { datasetPaths } from '../dataset-paths.ts';
import type { BatchFormat } from '../formats/formats.ts';
import { addReview, type GivenReview } from './add-review.ts';
import { readReviews } from './dataset-reviews.ts';
import { moveReviews } from './move-reviews.ts';
import { ReviewedExport } from './reviewed-export.ts';
import { ReviewLog, rowHash } from './review-log.ts';

const FIELDS = [field('n', 'int64'), field('text', 'utf8')];

let folder: string;
let log: ReviewLog;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reviews-'));
  log = new ReviewLog(folder);
  await mkdir(datasetPaths(folder).parquetFiles);
});

afterEach(() => rm(folder, { recursive: true }));

async function write(group: number, texts: readonly string[], format?: BatchFormat): Promise<void> {
  const columns = new Map<string, CellValue[]>([
    ['n', texts.map((_, at) => at)],
    ['text', [...texts]],
  ]);
  await writeDataFile(batchPath(datasetPaths(folder), group, format), { fields: FIELDS, columns, rows: texts.length });
}

const add = (review: GivenReview) => addReview({ folder, fields: FIELDS, log }, review);
const current = () => Array.fromAsync(readReviews(folder));

test('the last review of a row counts, one that says nothing removes it, and a line that a crash cut is skipped', async () => {
  await write(0, ['a', 'b', 'c']);
  await add({ row: 2, verdict: 'reject', comment: '  too short ' });
  await add({ row: 0, rating: 4 });
  await appendFile(datasetPaths(folder).reviewsCopy, '{"row":1,"hash":"12');
  await add({ row: 0, verdict: 'accept', rating: 5, author: 'ada' });
  await add({ row: 1, verdict: 'accept' });
  await add({ row: 1 });
  expect(await current()).toMatchObject([
    { row: 0, verdict: 'accept', rating: 5, author: 'ada', isStale: false },
    { row: 2, verdict: 'reject', rating: null, comment: 'too short', edits: null },
  ]);
  expect((await readFile(datasetPaths(folder).reviews, 'utf8')).split('\n')).toHaveLength(6);
});

test('reviews follow their rows when others are made in front of them, and those of changed rows stay', async () => {
  await write(0, ['a', 'b', 'b', 'c', 'gone']);
  for (const [row, comment] of ['first', 'second', 'third', 'fourth', 'fifth'].entries()) await add({ row, comment });
  const columns = new Map<string, CellValue[]>([
    ['n', [0, 9, 1, 2, 9, 3, 9]],
    ['text', ['a', 'new', 'b', 'b', 'new', 'c', 'new']],
  ]);
  await writeDataFile(batchPath(datasetPaths(folder), 0), { fields: FIELDS, columns, rows: 7 });
  expect(await moveReviews(folder)).toBe(3);
  expect(await current()).toMatchObject([
    { row: 0, comment: 'first', isStale: false },
    { row: 2, comment: 'second', isStale: false },
    { row: 3, comment: 'third', isStale: false },
    { row: 4, comment: 'fifth', isStale: true },
    { row: 5, comment: 'fourth', isStale: false },
  ]);
  expect(await moveReviews(folder)).toBe(0);
});

test('reviews that are added at once are whole lines', async () => {
  await write(0, ['a']);
  await Promise.all(Array.from({ length: 20 }, (_, at) => add({ row: 0, comment: String(at) })));
  const lines = (await readFile(datasetPaths(folder).reviews, 'utf8')).trimEnd().split('\n');
  const comments = lines.map((line) => Number((JSON.parse(line) as { comment: string }).comment));
  expect(comments.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, at) => at));
});

test('a review is stale once its row has changed, and not once the dataset is stored in another format', async () => {
  await write(0, ['a', 'b']);
  await write(1, ['c']);
  for (const row of [0, 1, 2]) await add({ row, verdict: 'accept' });
  await rm(batchPath(datasetPaths(folder), 0));
  await write(0, ['a', 'B'], 'arrow');
  await rm(batchPath(datasetPaths(folder), 1));
  expect(await current()).toMatchObject([
    { row: 0, isStale: false },
    { row: 1, isStale: true },
  ]);
  expect(rowHash({ n: 1, text: 'b' })).toBe(rowHash({ text: 'b', n: 1 }));
});

test.each<[string, GivenReview, string]>([
  ['a row that does not exist', { row: 9, verdict: 'accept' }, 'there is no row 9'],
  ['a rating beyond the scale', { row: 0, rating: 6 }, 'the rating 6 is no integer from 1 to 5'],
  ['an edit without values', { row: 0, verdict: 'edit' }, 'an edit needs new values'],
  ['a column that does not exist', { row: 0, edits: { other: 1 } }, "there is no column 'other'"],
  ['a value of another type', { row: 0, edits: { n: 'one' } }, `holds int64, and the edit has the text "one"`],
])('%s is refused', async (_, review, reason) => {
  await write(0, ['a']);
  await expect(add(review)).rejects.toMatchObject({ code: 'review/invalid', message: expect.stringContaining(reason) });
  expect(await current()).toEqual([]);
});

test('a verdict and new values do not exclude each other, and new values alone from a form are no verdict', async () => {
  await write(0, ['a', 'b', 'c', 'd']);
  const edits = { text: 'z' };
  await add({ row: 0, verdict: 'accept', edits });
  await add({ row: 1, verdict: 'reject', edits });
  await add({ row: 2, verdict: null, edits });
  await add({ row: 3, edits });
  expect((await current()).map(({ verdict, edits: stored }) => [verdict, stored])).toEqual([
    ['edit', edits],
    ['reject', edits],
    [null, edits],
    ['edit', edits],
  ]);
  const accepted = new ReviewedExport(folder, FIELDS, { acceptedOnly: true, applyEdits: true });
  expect(await Array.fromAsync(accepted.records())).toEqual([0, 3].map((n) => ({ n, text: 'z' })));
  expect(accepted.undecided).toEqual([2]);
  const all = new ReviewedExport(folder, FIELDS, { applyEdits: true });
  expect((await Array.fromAsync(all.records())).map(({ text }) => text)).toEqual(['z', 'z', 'z', 'z']);
  expect(all.undecided).toEqual([]);
});

test('an export that reviews leave without rows fails and writes no file', async () => {
  await write(0, ['a', 'b']);
  const path = join(folder, 'none.jsonl');
  const accepted = new ReviewedExport(folder, FIELDS, { acceptedOnly: true, applyEdits: true });
  await expect(accepted.write(path, 'jsonl')).rejects.toThrow(
    `The dataset in ${folder} has no records to export: no row is accepted.`,
  );
  for (const row of [0, 1]) await add({ row, verdict: 'reject' });
  const kept = new ReviewedExport(folder, FIELDS, { dropRejected: true });
  await expect(kept.write(path, 'jsonl')).rejects.toThrow('all rows are rejected');
  expect(existsSync(path)).toBe(false);
});

test('a review of a row that changed after it was shown is refused', async () => {
  await write(0, ['a']);
  const seen = { row: 0, verdict: 'accept', hash: rowHash({ n: 0, text: 'another' }) } as const;
  await expect(add(seen)).rejects.toMatchObject({ code: 'review/row-changed' });
  expect(await add({ ...seen, hash: rowHash({ n: 0, text: 'a' }) })).toMatchObject({ row: 0, isStale: false });
});

test('an export applies edits, leaves out rows by verdict, and adds reviews as columns; stale reviews have no effect', async () => {
  await write(0, ['a', 'b', 'c', 'd']);
  await add({ row: 0, edits: { text: 'A' }, rating: 3 });
  await add({ row: 1, verdict: 'reject' });
  await log.add({
    row: 3,
    hash: 'old',
    verdict: 'reject',
    rating: null,
    comment: null,
    edits: null,
    author: null,
    time: '',
  });
  const rejected = new ReviewedExport(folder, FIELDS, { applyEdits: true, dropRejected: true });
  expect(await Array.fromAsync(rejected.records())).toEqual([
    { n: 0, text: 'A' },
    { n: 2, text: 'c' },
    { n: 3, text: 'd' },
  ]);
  expect(rejected.stale).toEqual([3]);
  const accepted = new ReviewedExport(folder, FIELDS, { acceptedOnly: true });
  expect(await Array.fromAsync(accepted.records())).toEqual([{ n: 0, text: 'a' }]);
  const path = join(folder, 'out.parquet');
  await new ReviewedExport(folder, FIELDS, { reviews: 'columns' }).write(path, 'parquet');
  const { storageOf } = await import('../formats/formats.ts');
  const rows = (await Array.fromAsync((await storageOf('parquet').loadReader()).readBlocks(path, 0))).flat();
  const names = ['text', '_review_verdict', '_review_edited', '_review_edits', '_review_stale'];
  expect(rows.map((row) => names.map((name) => row[name]))).toEqual([
    ['a', 'accept', true, { text: 'A' }, false],
    ['b', 'reject', false, null, false],
    ['c', null, null, null, null],
    ['d', 'reject', false, null, true],
  ]);
  const beside = join(folder, 'rows.csv');
  await new ReviewedExport(folder, FIELDS, { reviews: 'file', dropRejected: true }).write(beside, 'csv');
  const reviews = (await readFile(join(folder, 'rows.reviews.jsonl'), 'utf8')).trimEnd().split('\n');
  expect(reviews.map((line) => JSON.parse(line) as object)).toMatchObject([
    { row: 0, sourceRow: 0, verdict: 'accept', edits: { text: 'A' } },
    { row: 2, sourceRow: 3, isStale: true },
  ]);
});

test('reviews that one of two files has lost are read from the other, and are an error once both lost them', async () => {
  await write(0, ['a', 'b', 'c']);
  for (const row of [0, 1, 2]) await add({ row, verdict: 'accept' });
  await add({ row: 0, verdict: 'reject' });
  const { reviews, reviewsCopy } = datasetPaths(folder);
  const whole = await readFile(reviews, 'utf8');
  const before = await current();
  const lines = whole.split('\n');
  const damages = [whole.slice(0, -9), whole.replace('"row":1', '"row":2'), lines.toSpliced(1, 1).join('\n'), ''];
  for (const path of [reviews, reviewsCopy]) {
    for (const damaged of damages) {
      await writeFile(path, damaged);
      expect(await current()).toEqual(before);
    }
    await rm(path);
    expect(await current()).toEqual(before);
    await mkdir(path);
    expect(await current()).toEqual(before);
    await rm(path, { recursive: true });
    await writeFile(path, whole);
  }
  for (const path of [reviews, reviewsCopy]) await writeFile(path, whole.replace('"row":1', '"row":2'));
  await expect(current()).rejects.toMatchObject({ code: 'dataset/damaged', message: expect.stringContaining(reviews) });
  await add({ row: 1, verdict: 'reject' });
  expect(await readFile(reviews, 'utf8')).toContain(whole.replace('"row":1', '"row":2'));
  const without = lines.toSpliced(1, 1).join('\n');
  for (const path of [reviews, reviewsCopy]) await writeFile(path, without);
  const missing = { code: 'dataset/damaged', message: expect.stringContaining('2 of its lines are missing') };
  await expect(current()).rejects.toMatchObject(missing);
  await add({ row: 1, verdict: 'reject' });
  await expect(current()).rejects.toMatchObject(missing);
});

test('the last reviews that both files have lost are missed', async () => {
  await write(0, ['a', 'b', 'c']);
  for (const row of [0, 1, 2]) await add({ row, verdict: 'accept' });
  const { reviews, reviewsCopy } = datasetPaths(folder);
  const lines = (await readFile(reviews, 'utf8')).trimEnd().split('\n');
  for (const path of [reviews, reviewsCopy]) await writeFile(path, `${lines[0]}\n`);
  const missing = { code: 'dataset/damaged', message: expect.stringContaining('2 of its lines are missing') };
  await expect(current()).rejects.toMatchObject(missing);
  await add({ row: 1, verdict: 'reject' });
  await expect(current()).rejects.toMatchObject(missing);
  for (const path of [reviews, reviewsCopy]) await rm(path);
  await expect(current()).rejects.toMatchObject({ message: expect.stringContaining('4 of its lines are missing') });
});

test('a copy of the reviews of another dataset is refused', async () => {
  await write(0, ['a', 'b']);
  await add({ row: 0, verdict: 'accept' });
  const { reviews, reviewsCopy } = datasetPaths(folder);
  const whole = await readFile(reviews, 'utf8');
  for (const path of [reviews, reviewsCopy]) await rm(path);
  await add({ row: 1, verdict: 'reject' });
  await writeFile(reviewsCopy, whole);
  await expect(current()).rejects.toMatchObject({ message: expect.stringMatching(/reviews\.copy\.jsonl/) });
});
