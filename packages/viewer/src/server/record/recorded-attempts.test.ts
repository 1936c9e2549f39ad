import { expect, test } from 'vitest';
import type { ColumnInfo } from '../../api/columns.ts';
import { storedAttempts } from './recorded-attempts.ts';

const COLUMNS = [
  { name: 'draft', shown: 'value' },
  { name: 'checked', shown: 'verdict' },
] as unknown as readonly ColumnInfo[];
const TALK = [{ role: 'user', content: 'Hello' }];

test('a row has all attempts of a block, or its pair, with the verdicts of their columns', () => {
  const row = {
    solve__all: [
      { draft: 'a', checked: { is_valid: true } },
      { draft: 'b', checked: { is_valid: false } },
    ],
    choose__chosen: { draft: 'c', score: 2 },
    choose__rejected: { draft: 'd', score: 1 },
  };
  const blocks = [
    { name: 'solve', keep: 'all' },
    { name: 'choose', keep: { pair: 'score' } },
    { name: 'once', keep: 'first' },
  ] as unknown as Parameters<typeof storedAttempts>[0];
  const [solve, choose, ...others] = storedAttempts(blocks, row, COLUMNS);
  expect(others).toEqual([]);
  expect(solve).toMatchObject({ block: 'solve', isStored: true, fields: ['solve__all'] });
  expect(solve?.attempts.map(({ title, fields }) => [title, fields.map(({ isValid }) => isValid)])).toEqual([
    ['Attempt 1', [null, true]],
    ['Attempt 2', [null, false]],
  ]);
  expect(choose).toMatchObject({ fields: ['choose__chosen', 'choose__rejected'] });
  expect(choose?.attempts.map(({ title, fields }) => [title, fields.map(({ value }) => value)])).toEqual([
    ['Chosen', ['c', 2]],
    ['Rejected', ['d', 1]],
  ]);
});

test('conversations of columns that are left out are left out of attempts too', () => {
  const row = { solve__all: [{ draft: 'a', draft__trace: TALK }] };
  const blocks = [{ name: 'solve', keep: 'all' }] as unknown as Parameters<typeof storedAttempts>[0];
  const namesWith = (columns: readonly ColumnInfo[]) =>
    storedAttempts(blocks, row, columns)[0]?.attempts[0]?.fields.map(({ column }) => column);
  expect(namesWith(COLUMNS)).toEqual(['draft']);
  const trace = { name: 'draft__trace', shown: 'conversation' } as unknown as ColumnInfo;
  expect(namesWith([...COLUMNS, trace])).toEqual(['draft', 'draft__trace']);
});
