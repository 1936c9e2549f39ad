import { field } from '@data-designer/core';
import { expect, test } from 'vitest';
import { stateFields, statesIn } from './state-history.ts';

function column(name: string, ...environments: string[]) {
  const state = environments.length > 0 ? [field(`${name}__state`, 'utf8', { json: true })] : [];
  return { name, environments, writes: [field(name, 'utf8'), ...state] };
}

const FIELDS = stateFields([
  column('first', 'bank'),
  column('plain'),
  column('both', 'bank', 'shop'),
  column('last', 'bank'),
]);

test('a state is compared with the one that an earlier column left, member by member', () => {
  const row = {
    first__state: '{"n":[1]}',
    both__state: { bank: { n: [1, 2] }, shop: { cart: [] } },
    last__state: { n: [] },
  };
  const told = statesIn(row, FIELDS).map(({ column: by, environment, since, changed }) => [
    by,
    environment,
    since,
    changed?.changes.map(({ path }) => path),
  ]);
  expect(told).toEqual([
    ['first', 'bank', null, undefined],
    ['both', 'bank', 'first__state', ['n[1]']],
    ['both', 'shop', null, undefined],
    ['last', 'bank', 'both__state', ['n[0]', 'n[1]']],
  ]);
});

test('a column that left no state is passed over', () => {
  const states = statesIn({ first__state: { n: [1] }, both__state: null, last__state: { n: [1] } }, FIELDS);
  expect(
    states.map(({ field: name, since, before, after, changed }) => ({ name, since, before, after, changed })),
  ).toEqual([
    { name: 'first__state', since: null, before: null, after: { n: [1] }, changed: undefined },
    {
      name: 'last__state',
      since: 'first__state',
      before: { n: [1] },
      after: { n: [1] },
      changed: { changes: [], isCut: false },
    },
  ]);
});
