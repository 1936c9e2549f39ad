import type { Plan } from '@data-designer/core';
import { expect, test } from 'vitest';
import { type ReplayedColumn, replayedEnvironments } from './replayed-environments.ts';

const TABLES = 'CREATE TABLE item (n INTEGER PRIMARY KEY, drawn INTEGER)';

const PLAN: Pick<Plan, 'environments' | 'seed' | 'templates' | 'fields'> = {
  seed: 5,
  templates: 'secure',
  fields: [],
  environments: [
    {
      name: 'shelf',
      kind: 'sqlite',
      config: {
        name: 'shelf',
        kind: 'sqlite',
        toolPrefix: 'shelf_',
        schema: TABLES,
        rows: { item: '{{ items }}' },
        tools: [
          { name: 'put', description: 'd', sql: 'INSERT INTO item VALUES (:n, :n)' },
          { name: 'look', description: 'd', sql: 'SELECT count(*) AS items FROM item' },
        ],
      },
    },
    {
      name: 'lot',
      kind: 'sqlite',
      config: { name: 'lot', kind: 'sqlite', schema: TABLES, seed: 'INSERT INTO item VALUES (1, random())', tools: [] },
    },
    { name: 'broken', kind: 'sqlite', config: { name: 'broken', kind: 'sqlite', schema: 'CREATE', tools: [] } },
    {
      name: 'code',
      kind: 'code',
      config: { name: 'code', kind: 'code', requiredColumns: [], open: { handle: 'f1' }, tools: [] },
    },
  ],
};

async function open(rowIndex: number, ...names: readonly string[]) {
  const of = { row: { items: [{ n: 2 }, { n: 1 }] }, rowIndex, names: new Set(names), columns: [] };
  return Object.fromEntries([...(await replayedEnvironments(PLAN, of))].map(([name, { began }]) => [name, began]));
}

test('environments of data are opened again from the plan and the row', async () => {
  expect(await open(0, 'shelf')).toEqual({
    shelf: {
      item: [
        { n: 1, drawn: null },
        { n: 2, drawn: null },
      ],
    },
  });
  expect(await open(3, 'lot')).toEqual(await open(3, 'lot'));
  expect(await open(3, 'lot')).not.toEqual(await open(4, 'lot'));
});

test('one that cannot be opened, or that needs functions, is left out', async () => {
  expect(Object.keys(await open(0, 'broken', 'code', 'lot'))).toEqual(['lot']);
});

const ROW = { row: { items: [{ n: 1 }] }, rowIndex: 0 };

/** A call with its result, as a conversation has it. */
function call(number: number, name: string, { args = {}, result = '{"changes":1}', hasFailed = false } = {}) {
  return { number, name, arguments: JSON.stringify(args), result, hasFailed };
}

/** The changes of calls by column. */
async function changes(...columns: readonly ReplayedColumn[]) {
  const replayed = await replayedEnvironments(PLAN, { ...ROW, names: new Set(['shelf']), columns });
  const found = replayed.get('shelf')?.changes ?? new Map<never, never>();
  return Object.fromEntries([...found].map(([column, made]) => [column, Object.fromEntries(made)]));
}

const item = (n: number) => ({ n, drawn: n === 1 ? null : n });
const FIRST: ReplayedColumn = {
  column: 'first',
  environment: 'shelf',
  calls: [
    call(1, 'shelf_put', { args: { n: 2 } }),
    call(2, 'shelf_look', { result: '[{"items":2}]' }),
    call(4, 'shelf_put', { args: { n: 2 }, result: "Error: Tool 'shelf_put' failed: UNIQUE", hasFailed: true }),
    call(5, 'get_fact', { result: 'of another provider' }),
  ],
  after: { item: [item(1), item(2)] },
};
const SECOND: ReplayedColumn = {
  column: 'second',
  environment: 'shelf',
  calls: [call(1, 'shelf_put', { args: { n: 3 } })],
  after: { item: [item(1), item(2), item(3)] },
};
const added = (n: number) => [{ path: `item[n=${n}]`, before: null, after: `{"n":${n},"drawn":${n}}` }];
const nothing = { changes: [], isCut: false };

test('calls are made again, one column after the other, and each says what it changed', async () => {
  expect(await changes(FIRST, SECOND)).toEqual({
    first: { 1: { changes: added(2), isCut: false }, 2: nothing, 4: nothing },
    second: { 1: { changes: added(3), isCut: false } },
  });
});

test.each([
  ['a result differs', { ...FIRST, calls: [...FIRST.calls, call(6, 'shelf_look', { result: '[{"items":9}]' })] }],
  ['a call fails now', { ...FIRST, calls: [...FIRST.calls, call(6, 'shelf_put', { args: { n: 1 } })] }],
  ['the last state differs', { ...FIRST, calls: [] }],
  ['arguments are no object', { ...FIRST, calls: [{ ...call(1, 'shelf_put'), arguments: '[' }] }],
])('where %s, the changes of a column and of those behind it are not known', async (_, first) => {
  expect(await changes(first, SECOND)).toEqual({});
  expect(Object.keys(await changes(FIRST, { ...SECOND, calls: [] }))).toEqual(['first']);
});
