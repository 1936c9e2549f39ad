import { expect, test } from 'vitest';
import { NEVER } from '@data-designer/core';
import type { ColumnInfo } from '../../api/columns.ts';
import { compareCounts } from './compare-counts.ts';
import type { ComparedDataset } from './compared-dataset.ts';
import { comparePage } from './compare-page.ts';

type Row = Readonly<Record<string, unknown>>;
type Asked = { readonly positions: number; readonly columns: readonly string[] };

function dataset(
  rows: readonly Row[],
  {
    columns: known = {},
    ...more
  }: Partial<Omit<ComparedDataset, 'columns'>> & { columns?: Record<string, object> } = {},
): ComparedDataset & { readonly asked: Asked[] } {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const asked: Asked[] = [];
  return {
    asked,
    columns: names.map(
      (name) => ({ name, of: name, kind: 'other', shown: 'value', type: 'json', ...known[name] }) as ColumnInfo,
    ),
    scores: [],
    total: rows.length,
    at: (positions, columns) => {
      asked.push({ positions: positions.length, columns });
      return Promise.resolve(positions.map((at) => rows[at]));
    },
    ...more,
  };
}

test('rows at the same positions are compared in the columns that both have', async () => {
  const left = dataset([
    { a: 1, l: 'x' },
    { a: 2, l: 'y' },
  ]);
  const right = dataset([
    { a: 1, r: 'z' },
    { a: 3, r: 'z' },
    { a: 4, r: 'z' },
  ]);
  const page = await comparePage(left, right, { from: 0, count: 10 });
  expect(page.columns).toEqual([
    { name: 'a', in: 'both', shown: 'value' },
    { name: 'l', in: 'left', shown: 'value' },
    { name: 'r', in: 'right', shown: 'value' },
  ]);
  expect(page).toMatchObject({ total: 3, from: 0, next: null });
  expect(page.rows).toEqual([
    { index: 0, position: 0, otherPosition: 0, left: [1, 'x', null], right: [1, null, 'z'], changed: [] },
    { index: 1, position: 1, otherPosition: 1, left: [2, 'y', null], right: [3, null, 'z'], changed: ['a'] },
    { index: 2, position: null, otherPosition: 2, left: null, right: [4, null, 'z'], changed: [] },
  ]);
});

test('a page ends with its count, and says where the next one begins', async () => {
  const rows = Array.from({ length: 450 }, (_, a) => ({ a }));
  const changed = rows.map((row, at) => (at % 100 === 99 ? { a: -1 } : row));
  const [left, right] = [dataset(rows), dataset(changed)];
  expect(await comparePage(left, right, { from: 2, count: 3 })).toMatchObject({
    next: 5,
    rows: [{ index: 2 }, { index: 3 }, { index: 4 }],
  });
  expect(left.asked).toEqual([{ positions: 3, columns: ['a'] }]);
  const found = await comparePage(left, right, { from: 0, count: 3, rows: { of: 'changed' } });
  expect(found.rows.map(({ index }) => index)).toEqual([99, 199, 299]);
  expect(found.next).toBe(300);
  const last = await comparePage(left, right, { from: 300, count: 3, rows: { of: 'changed' } });
  expect(last.rows.map(({ index }) => index)).toEqual([399]);
  expect(last.next).toBeNull();
});

test('the rows before a page are found again, from the last one on', async () => {
  const rows = Array.from({ length: 450 }, (_, a) => ({ a }));
  const changed = rows.map((row, at) => (at % 100 === 99 ? { a: -1 } : row));
  const before = (from: number, count: number) =>
    comparePage(dataset(rows), dataset(changed), { from, count, rows: { of: 'changed' }, isBackwards: true });
  expect(await before(400, 2)).toMatchObject({ from: 299, next: 400, rows: [{ index: 299 }, { index: 399 }] });
  expect(await before(299, 3)).toMatchObject({ from: 0, next: 299, rows: [{ index: 99 }, { index: 199 }] });
  const all = await comparePage(dataset(rows), dataset(changed), { from: 5, count: 3, isBackwards: true });
  expect(all).toMatchObject({ from: 2, next: 5, rows: [{ index: 2 }, { index: 3 }, { index: 4 }] });
});

/** Answers with a score, a number, a text and a conversation each. */
const measured = (rows: readonly { score: unknown; n: unknown; text: string | null; tokens: number }[]) =>
  dataset(
    rows.map(({ score, n, text, tokens }) => ({
      grade: { Tone: { score, reasoning: 'r' } },
      n,
      text,
      text__trace: [
        { role: 'assistant', usage: { output_tokens: 1000 }, extra: '{"history":{"messages":1}}' },
        { role: 'user', content: 'x' },
        { role: 'assistant', model: 'm', usage: { input_tokens: 7, output_tokens: tokens } },
      ],
    })),
    {
      columns: {
        grade: { shown: 'scores', kind: 'judge', isNested: true },
        n: { type: 'int64', isNested: false },
        text: { type: 'utf8', kind: 'model', isNested: false },
        text__trace: { kind: 'trace', shown: 'conversation', of: 'text', isNested: true },
      },
      scores: [{ name: 'grade.Tone', member: { column: 'grade', path: ['Tone', 'score'] } } as unknown as ColumnInfo],
      costOf: (model, usage) => (model === 'm' ? Number(usage['output_tokens']) / 100 : null),
    },
  );
const BEFORE = measured([
  { score: 2, n: 1n, text: 'short', tokens: 5 },
  { score: '4', n: 2n, text: 'same', tokens: 5 },
  { score: 'good', n: null, text: null, tokens: 5 },
  { score: 3, n: 4, text: 'only here', tokens: 5 },
]);
const AFTER = measured([
  { score: 5, n: 1, text: 'longer', tokens: 9 },
  { score: '10', n: 1, text: 'same', tokens: 5 },
  { score: 1, n: 3, text: 'new', tokens: 4 },
]);

test('the rises and falls of scores, numbers, lengths, tokens and costs are counted over all rows', async () => {
  const counts = await compareCounts(BEFORE, AFTER, { from: 0, signal: NEVER });
  expect(counts).toMatchObject({ total: 4, from: 0, next: null, rows: 3, changed: 3 });
  expect(counts.columns).toEqual([
    { name: 'grade', changed: 3 },
    { name: 'n', changed: 3 },
    { name: 'text', changed: 2 },
  ]);
  const own = { name: 'text' };
  expect(counts.measures).toEqual([
    { kind: 'score', name: 'grade.Tone', rose: 2, fell: 0, same: 0, risen: 9, sum: 9 },
    { kind: 'number', name: 'n', rose: 0, fell: 1, same: 1, risen: 0, sum: -1 },
    { ...own, kind: 'characters', rose: 1, fell: 0, same: 1, risen: 1, sum: 1 },
    { ...own, kind: 'tokens-read', rose: 0, fell: 0, same: 3, risen: 0, sum: 0 },
    { ...own, kind: 'tokens-written', rose: 1, fell: 1, same: 1, risen: expect.any(Number), sum: 3 },
    { ...own, kind: 'cost', rose: 1, fell: 1, same: 1, risen: expect.any(Number), sum: expect.closeTo(0.03) },
  ]);
});

test('rows are found by the column that differs, and by the figure that rose or fell', async () => {
  const found = async (rows: NonNullable<Parameters<typeof comparePage>[2]['rows']>) =>
    (await comparePage(BEFORE, AFTER, { from: 0, count: 9, rows })).rows.map(({ index }) => index);
  expect(await found({ of: 'column', name: 'text' })).toEqual([0, 2]);
  expect(await found({ of: 'measure', kind: 'score', name: 'grade.Tone', direction: 'rose' })).toEqual([0, 1]);
  expect(await found({ of: 'measure', kind: 'tokens-written', name: 'text', direction: 'fell' })).toEqual([2]);
  expect(await found({ of: 'measure', kind: 'score', name: 'none', direction: 'rose' })).toEqual([]);
  // Conversations are read for their tokens alone.
  const read = BEFORE.asked.map(({ columns }) => columns.includes('text__trace'));
  expect(read.slice(-4)).toEqual([false, false, true, false]);
});

test('counts end after some thousand rows, and say where the next ones begin', async () => {
  const rows = Array.from({ length: 5001 }, (_, a) => ({ a }));
  const counted = (from: number) => compareCounts(dataset(rows), dataset(rows), { from, signal: NEVER });
  expect(await counted(0)).toMatchObject({ next: 5000, rows: 5000, changed: 0 });
  expect(await counted(5000)).toMatchObject({ next: null, rows: 1 });
  const ended = compareCounts(dataset(rows), dataset(rows), { from: 0, signal: AbortSignal.abort() });
  await expect(ended).rejects.toThrow('aborted');
});

test('conversations are left out, and an absent value equals null', async () => {
  const columns = { t: { kind: 'trace' } };
  const left = dataset([{ a: null, t: 'talk' }], { columns });
  const right = dataset([{ a: undefined, t: 'other' }], { columns });
  expect((await comparePage(left, right, { from: 0, count: 1 })).rows).toMatchObject([{ changed: [] }]);
});

test.each<readonly [string, readonly [unknown, unknown], boolean]>([
  ['equal nested values', [{ x: [1, 2n] }, { x: [1, 2n] }], false],
  ['large integers', [{ x: 2n ** 60n }, { x: 2n ** 60n + 1n }], true],
  ['NaN and null', [[NaN], [null]], true],
  ['NaN twice', [NaN, NaN], false],
  ['a value and a list of it', [1, [1]], true],
])('%s', async (_, [one, other], isChanged) => {
  const { rows } = await comparePage(dataset([{ a: one }]), dataset([{ a: other }]), { from: 0, count: 1 });
  expect(rows[0]?.changed).toEqual(isChanged ? ['a'] : []);
});
