import type { Cell, CellValue } from '@data-designer/core';
import { readForm } from '@data-designer/config';
import { expect, test } from 'vitest';
import { validation } from './validation.ts';

const STATE = {
  account: [
    { id: 'a', balance: 60 },
    { id: 'b', balance: 40 },
  ],
  log: [],
};

function columnOf(params: object, targets: readonly string[] = ['work__state']) {
  const column = { name: 'ok', column_type: 'validation', target_columns: targets, validator_type: 'state' };
  return validation.schema.parse(readForm(validation.schema, { ...column, validator_params: params }));
}

async function judge(params: object, state: CellValue = STATE, row: object = {}) {
  const { made } = validation as Extract<typeof validation, { made: unknown }>;
  const maker = made(columnOf(params), { templates: 'secure', constraints: [] });
  if (!('cell' in maker)) throw new Error('a validation of states has cells');
  const cell = { row: { work__state: state, ...row } } as unknown as Cell;
  const [verdict] = await maker.cell(cell);
  return verdict;
}

const VALID = { is_valid: true, differences: [] };

test.each<[string, object]>([
  ['a value of a query', { sql: "SELECT balance FROM account WHERE id = 'b'", equals: 40 }],
  ['a value from the row', { sql: 'SELECT sum(balance) FROM account', equals: '{{ total }}' }],
  ['a boolean of a query', { sql: 'SELECT balance > 50 FROM account', equals: true }],
  ['a query from the row', { sql: "SELECT balance FROM account WHERE id = '{{ id }}'", equals: 60 }],
  ['a text', { sql: 'SELECT id FROM account', equals: 'a' }],
  ['no row as null', { sql: "SELECT balance FROM account WHERE id = 'c'", equals: null }],
  ['a query that must be true', { sql: 'SELECT min(balance) >= 0 FROM account' }],
  ['a query that must be false', { sql: 'SELECT count(*) FROM account WHERE balance < 0', is_true: false }],
  ['a query over a table without rows', { sql: "SELECT count(*) FROM log WHERE kind = 'x' AND log.at > 3", equals: 0 }],
  ['an expression', { expr: 'state.account[0].balance > 50' }],
  ['an expression with braces and the row', { expr: '{{ state.account | length == count }}' }],
  ['the value of an expression', { expr: 'state.account[1]', equals: { id: 'b', balance: 40 } }],
  ['an object, whatever the order of its keys', { expr: 'state.account[1]', equals: { balance: 40, id: 'b' } }],
])('a check holds: %s', async (_, check) => {
  expect(await judge({ checks: [{ name: 'one', ...check }] }, STATE, { total: 100, count: 2, id: 'a' })).toEqual(VALID);
});

test.each<[string, object, string, string]>([
  ['another value', { sql: 'SELECT count(*) FROM account', equals: 3 }, '3', '2'],
  ['false', { sql: 'SELECT min(balance) > 50 FROM account' }, 'true', '0'],
  ['true', { expr: 'state.account', is_true: false }, 'false', JSON.stringify(STATE.account)],
  ['a list in place of an object', { expr: 'state.log', equals: {} }, '{}', '[]'],
  ['null', { sql: 'SELECT id FROM log' }, 'true', 'null'],
])('a check that does not hold is a difference: %s', { tags: 'long' }, async (...[, check, expected, found]) => {
  expect(await judge({ checks: [{ name: 'one', ...check }] })).toEqual({
    is_valid: false,
    differences: [{ check: 'one', path: null, expected, found }],
  });
});

test.each<[string, object, string]>([
  ['a table that is not there', { sql: 'SELECT 1 FROM nowhere' }, 'no such table: nowhere'],
  ['a column that is not there', { sql: 'SELECT blance FROM account' }, 'no such column: blance'],
  [
    'SQL that never ends',
    { sql: 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT count(*) FROM n' },
    'it takes more than 20000000 steps of SQLite',
  ],
])('a query that cannot run says nothing about the state: %s', { tags: 'long' }, async (...[, check, found]) => {
  const unknown = { check: 'one', path: null, expected: null, found };
  const wrong = { check: 'two', path: null, expected: 'true', found: 'false' };
  const checks = [{ name: 'one', ...check }];
  expect(await judge({ checks })).toEqual({ is_valid: null, differences: [unknown] });
  expect(await judge({ checks: [...checks, { name: 'two', expr: 'false' }] })).toEqual({
    is_valid: false,
    differences: [unknown, wrong],
  });
});

test('what the query of a check writes is not seen by the next one', async () => {
  const checks = [
    { name: 'writes', sql: 'DELETE FROM account RETURNING 1', equals: 1 },
    { name: 'reads', sql: 'SELECT count(*) FROM account', equals: 2 },
  ];
  expect(await judge({ checks })).toEqual(VALID);
});

test('a state is compared with an expected one, beside checks', async () => {
  const params = { same_as: '{{ wanted }}', ignore: ['log'], checks: [{ name: 'two', expr: 'false' }] };
  const wanted = { account: [{ id: 'a', balance: 60 }], log: [1] };
  expect(await judge(params, STATE, { wanted })).toEqual({
    is_valid: false,
    differences: [
      { check: null, path: 'account[1]', expected: null, found: '{"id":"b","balance":40}' },
      { check: 'two', path: null, expected: 'true', found: 'false' },
    ],
  });
});

test('a state that a column did not leave is not judged, and one without tables has no queries', async () => {
  const params = { checks: [{ name: 'one', sql: 'SELECT 1' }] };
  expect(await judge(params, null)).toEqual({ is_valid: null, differences: [] });
  expect(await judge(params, { count: 3 })).toMatchObject({
    is_valid: null,
    differences: [{ found: "the state has no rows under 'count'" }],
  });
});

test.each<[string, object, string]>([
  ['no rules', {}, 'no rules'],
  ['the state itself', { same_as: ' {{ work__state }}' }, 'compared with itself'],
  ['ignore alone', { ignore: ['a'], checks: [{ name: 'a', expr: 'x' }] }, 'has no effect'],
])('a mistake is found: %s', (_, params, message) => {
  const found = validation.check?.(columnOf(params), { columns: new Map() } as never) ?? [];
  expect(found.map((one) => one.message).join()).toContain(message);
});

test.each([
  [{ name: 'a' }, 'either sql or expr'],
  [{ name: 'a', sql: 'x', expr: 'y' }, 'either sql or expr'],
  [{ name: 'a', sql: 'x', equals: 1, is_true: true }, 'either equals or is_true'],
  [{ name: 'a', sql: ' ' }, 'must not be blank'],
])('%j is refused', (check, reason) => {
  expect(() => columnOf({ checks: [check] })).toThrow(reason);
});

test('its expressions are templates, which read columns and the state', () => {
  const params = { same_as: '{{ wanted }}', checks: [{ name: 'a', expr: 'state.x == y', equals: '{{ z }}' }] };
  expect(validation.templates?.(columnOf(params))).toEqual([
    { source: '{{ wanted }}', field: ['validatorParams', 'sameAs'], role: 'value', known: ['state'] },
    {
      source: '{{ state.x == y }}',
      field: ['validatorParams', 'checks', 0, 'expr'],
      role: 'value',
      known: ['state'],
    },
    { source: '{{ z }}', field: ['validatorParams', 'checks', 0, 'equals'], role: 'value', known: ['state'] },
  ]);
});
