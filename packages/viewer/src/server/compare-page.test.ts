import { expect, test } from 'vitest';
import type { ColumnInfo } from '../api/columns.ts';
import { type ComparedDataset, comparePage } from './compare-page.ts';

type Row = Readonly<Record<string, unknown>>;

function dataset(rows: readonly Row[], traces: readonly string[] = []): ComparedDataset & { readonly asked: number[] } {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const asked: number[] = [];
  return {
    asked,
    columns: names.map((name) => ({ name, kind: traces.includes(name) ? 'trace' : 'other' }) as ColumnInfo),
    total: rows.length,
    at: (positions) => {
      asked.push(positions.length);
      return Promise.resolve(positions.map((at) => rows[at]));
    },
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
    { name: 'a', in: 'both' },
    { name: 'l', in: 'left' },
    { name: 'r', in: 'right' },
  ]);
  expect(page).toMatchObject({ total: 3, from: 0, next: null });
  expect(page.rows).toEqual([
    { index: 0, left: [1, 'x', null], right: [1, null, 'z'], changed: [] },
    { index: 1, left: [2, 'y', null], right: [3, null, 'z'], changed: ['a'] },
    { index: 2, left: null, right: [4, null, 'z'], changed: [] },
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
  expect(left.asked).toEqual([3]);
  const found = await comparePage(left, right, { from: 0, count: 3, changedOnly: true });
  expect(found.rows.map(({ index }) => index)).toEqual([99, 199, 299]);
  expect(found.next).toBe(300);
  const last = await comparePage(left, right, { from: 300, count: 3, changedOnly: true });
  expect(last.rows.map(({ index }) => index)).toEqual([399]);
  expect(last.next).toBeNull();
});

test('conversations are left out, and an absent value equals null', async () => {
  const left = dataset([{ a: null, t: 'talk' }], ['t']);
  const right = dataset([{ a: undefined, t: 'other' }], ['t']);
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
