import { type CellValue, Random } from '@data-designer/core';
import { expect, test } from 'vitest';
import { openDatabase } from './open-database.ts';

const callFunction = () => Promise.reject(new Error('it has no functions'));
const startServer = () => {
  throw new Error('it has no server');
};

function open(schema: string, rows: CellValue = [], now = '2024-02-29') {
  const config = { name: 'w', kind: 'sqlite' as const, schema, rows: { t: '{{ rows }}' }, now, tools: [] };
  const values = { schema, 'rows.t': rows, now };
  return openDatabase(config, { rowIndex: 0, values, random: Random.of(1, 'w').at(0), callFunction, startServer });
}

test('rows with other columns, or in another order, keep their values', async () => {
  const list = [{ a: 1, b: 2 }, { b: 3, a: 4 }, { a: 5 }, { b: 6 }, {}];
  const world = await open('CREATE TABLE t (a, b)', list);
  expect(await world.snapshot()).toEqual({
    t: [
      { a: 1, b: 2 },
      { a: 4, b: 3 },
      { a: 5, b: null },
      { a: null, b: 6 },
      { a: null, b: null },
    ],
  });
  await world.close();
});

test('a state is in the order of the whole primary key', async () => {
  const list = [
    [2, 1],
    [1, 2],
    [1, 1],
  ].map(([a = 0, b = 0]) => ({ b, a }));
  const world = await open('CREATE TABLE t (b, a, PRIMARY KEY (a, b)) WITHOUT ROWID', list);
  const order = [
    [1, 1],
    [1, 2],
    [2, 1],
  ].map(([a, b]) => ({ a, b }));
  expect(await world.snapshot()).toEqual({ t: order });
  await world.close();
});

test.each(['2024-02-30', '2023-02-29T10:00:00Z', '12-2024', 'today', '2024-01-01T25:00'])(
  '%s is no time',
  async (now) => {
    await expect(open('CREATE TABLE t (a)', [], now)).rejects.toThrow('no ISO date');
  },
);
