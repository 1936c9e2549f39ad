import { expect, test } from 'vitest';
import type { Plan, PlannedColumn, RowGroup } from '@data-designer/core';
import { lastRowsOf, priorityOf } from './last-rows.ts';

const MODEL = { models: ['writer'], tools: [] };
const LOCAL = { models: [], tools: [] };

function column(name: string, needs: readonly string[], requires: PlannedColumn['requires'] = MODEL) {
  return { name, needs, requires } as PlannedColumn;
}

/** Two chains of different length; `shown` needs no model. */
const COLUMNS = [
  column('key', [], LOCAL),
  column('aside', ['key']),
  column('first', ['key']),
  column('shown', ['first'], LOCAL),
  column('second', ['shown', 'first']),
  column('third', ['second']),
];

function planOf(limit: number): Pick<Plan, 'columns' | 'resources'> {
  const resource = { id: 'model/here/small', kind: 'model', provider: 'here', limit, pool: 'here/small' } as const;
  return { columns: COLUMNS, resources: [resource] };
}

const groups = (...sizes: readonly number[]): readonly RowGroup[] => {
  let firstRow = 0;
  return sizes.map((rows, index) => ({ index, firstRow: (firstRow += rows) - rows, rows }));
};

test('the last rows are as many as are open at once', () => {
  expect(lastRowsOf(planOf(4), groups(10, 10, 10)).from).toBe(22);
  expect(lastRowsOf(planOf(4), groups(10, 10, 3)).from).toBe(15);
  expect(lastRowsOf(planOf(100), groups(10, 10, 10)).from).toBe(0);
  const [, second, third] = groups(10, 10, 10, 10) as [RowGroup, RowGroup, RowGroup];
  expect(lastRowsOf(planOf(6), [second, third]).from).toBe(18);
  expect(lastRowsOf(planOf(6), []).from).toBe(0);
});

test('the limits of tools make no more rows the last ones than those of models, where there are models', () => {
  const [model] = planOf(4).resources;
  const tools = { id: 'tools/facts', kind: 'tools', provider: 'facts', limit: 8, pool: 'facts' } as const;
  expect(lastRowsOf({ columns: COLUMNS, resources: [model!, tools] }, groups(30)).from).toBe(22);
  expect(lastRowsOf({ columns: COLUMNS, resources: [tools] }, groups(30)).from).toBe(14);
});

test('rows that are read as they are finished come last only as far as the narrowest resource', () => {
  const [model] = planOf(4).resources;
  const plan = { columns: COLUMNS, resources: [model!, { ...model!, id: 'functions', limit: 64 }] };
  expect(lastRowsOf(plan, groups(10, 10, 10)).from).toBe(0);
  expect(lastRowsOf(plan, groups(10, 10, 10), { areRead: true }).from).toBe(26);
  expect(lastRowsOf({ columns: [], resources: [] }, groups(3), { areRead: true }).from).toBe(0);
});

test('before the last rows the older row goes first, whatever the column', () => {
  const last = lastRowsOf(planOf(2), groups(10));
  expect(last.from).toBe(6);
  expect(priorityOf({ row: 4, column: 'third' }, last)).toBe(4);
  expect(priorityOf({ row: 5, column: 'first' }, last)).toBe(5);
  expect(priorityOf({ row: 9, column: 'third' }, undefined)).toBe(9);
});

test('among the last rows the call with the longest chain after it goes first, then the older row', () => {
  const last = lastRowsOf(planOf(2), groups(10));
  const rows = [9, 8, 7, 6];
  const asked = rows.flatMap((row) => ['third', 'aside', 'second', 'first'].map((name) => ({ row, column: name })));
  const order = asked.toSorted((a, b) => priorityOf(a, last) - priorityOf(b, last));
  const names = order.map(({ row, column: name }) => `${name} ${row}`);
  expect(names.slice(0, 4)).toEqual(['first 6', 'first 7', 'first 8', 'first 9']);
  expect(names.slice(4, 8)).toEqual(['second 6', 'second 7', 'second 8', 'second 9']);
  expect(names.slice(8).every((name) => /^(third|aside) /.test(name))).toBe(true);
  expect(names.slice(8, 10).map((name) => name.slice(-1))).toEqual(['6', '6']);
});

test('earlier rows go before the last rows', () => {
  const last = lastRowsOf(planOf(2), groups(10));
  const turns = COLUMNS.map(({ name }) => priorityOf({ row: 6, column: name }, last));
  expect(Math.min(...turns)).toBeGreaterThan(priorityOf({ row: 5, column: 'third' }, last));
});
