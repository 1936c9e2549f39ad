import { expect, test } from 'vitest';
import { type JoinInput, matchByKey, matchByPosition, type RowsOfJoin } from './match-rows.ts';

const input = (stage: string, ...rows: readonly object[]): JoinInput => ({
  stage,
  rows: rows.length,
  records: async function* () {
    yield* rows as readonly Record<string, never>[];
  },
});
const fail = (reason: string) => new Error(reason);
const byKey = (inputs: readonly JoinInput[], by: readonly string[] = ['id'], shared: readonly string[] = []) =>
  matchByKey(inputs, { by, shared, fail });
const rowsOf = async ({ records, unmatched }: RowsOfJoin) => [await Array.fromAsync(records), unmatched];

test('rows are joined with those of the same number, and the first stage has the say', async () => {
  const joined = matchByPosition(
    [input('a', { x: 1, y: 1 }, { x: 2, y: 2 }), input('b', { x: 8, z: 3 }, { x: 9, z: 4 })],
    {
      shared: [],
      fail,
    },
  );
  expect(await rowsOf(joined)).toEqual([
    [
      { x: 1, y: 1, z: 3 },
      { x: 2, y: 2, z: 4 },
    ],
    [],
  ]);
});

test('stages with different numbers of rows are not joined by position', () => {
  const inputs = [input('a', {}), input('b', {}), input('c', {}, {})];
  expect(() => matchByPosition(inputs, { shared: [], fail })).toThrow("1 in 'a', 1 in 'b' and 2 in 'c'");
});

test('the rows of the other stages are let go once the first ones are read, or nobody reads on', async () => {
  const ended: string[] = [];
  const told = (stage: string): JoinInput => ({
    stage,
    rows: 2,
    records: async function* () {
      try {
        yield* [{ x: 1 }, { x: 2 }];
      } finally {
        ended.push(stage);
      }
    },
  });
  for await (const _ of matchByPosition([told('a'), told('b')], { shared: ['x'], fail }).records) break;
  expect(ended.toSorted()).toEqual(['a', 'b']);
});

test('rows without a partner in every other stage are left out and counted', async () => {
  const first = input('a', { id: 1, x: 1 }, { id: 2, x: 2 }, { id: 1, x: 3 }, { id: null, x: 4 });
  const other = input('b', { id: 1, y: 1 }, { id: 2, y: 2 }, { id: 7, y: 7 }, { id: null, y: 8 });
  const third = input('c', { id: 1, z: 1 }, { id: 9, z: 9 });
  expect(await rowsOf(await byKey([first, other, third]))).toEqual([
    [
      { id: 1, x: 1, y: 1, z: 1 },
      { id: 1, x: 3, y: 1, z: 1 },
    ],
    [
      { stage: 'a', rows: 2, of: 4 },
      { stage: 'b', rows: 3, of: 4 },
      { stage: 'c', rows: 1, of: 2 },
    ],
  ]);
});

test('nothing is reported where each row has a partner, and keys of several columns count as a whole', async () => {
  const by = ['id', 'part'];
  const first = input('a', { id: 1, part: 'x' }, { id: 1, part: 'y' });
  const other = input('b', { id: 1, part: 'y', v: 2 }, { id: 1, part: 'x', v: 1 });
  expect(await rowsOf(await byKey([first, other], by))).toEqual([
    [
      { id: 1, part: 'x', v: 1 },
      { id: 1, part: 'y', v: 2 },
    ],
    [],
  ]);
});

const repeated = (...ids: number[]) => input('b', ...ids.map((id) => ({ id })));

test('only the first stage may repeat keys', async () => {
  const failure = (other: JoinInput) =>
    byKey([input('a', { id: 1 }), other]).then(String, (thrown: Error) => thrown.message);
  expect(await failure(repeated(1, 2, 2))).toContain("1 row of 'b' repeats the key of an earlier row, such as id = 2;");
  expect(await failure(repeated(3, 3, 2, 2))).toContain(
    "2 rows of 'b' repeat the key of an earlier row, such as id = 3;",
  );
  await expect(byKey([])).rejects.toThrow('it has no input');
});

test('columns that stages share must have equal values in rows that belong together', async () => {
  const first = input('a', { id: 1, tags: ['x'], none: null });
  const same = input('b', { id: 1, tags: ['x'] });
  const other = input('c', { id: 1, tags: ['y'], none: null });
  const shared = ['tags', 'none'];
  expect(await rowsOf(await byKey([first, same], ['id'], shared))).toEqual([[{ id: 1, tags: ['x'], none: null }], []]);
  await expect(rowsOf(await byKey([first, same, other], ['id'], shared))).rejects.toThrow(
    "the column 'tags' has different values in rows of 'a' and 'c'",
  );
});
