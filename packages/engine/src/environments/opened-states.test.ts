import type { Plan } from '@data-designer/core';
import { expect, test } from 'vitest';
import { openedStates } from './opened-states.ts';

const TABLES = 'CREATE TABLE item (n INTEGER PRIMARY KEY, drawn INTEGER)';

const PLAN: Pick<Plan, 'environments' | 'seed' | 'templates' | 'fields'> = {
  seed: 5,
  templates: 'secure',
  fields: [],
  environments: [
    {
      name: 'shelf',
      kind: 'sqlite',
      config: { name: 'shelf', kind: 'sqlite', schema: TABLES, rows: { item: '{{ items }}' }, tools: [] },
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
  return Object.fromEntries(
    await openedStates(PLAN, { row: { items: [{ n: 2 }, { n: 1 }] }, rowIndex, names: new Set(names) }),
  );
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
