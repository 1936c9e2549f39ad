import { expect, test } from 'vitest';
import { emptyProgress } from './open-groups.ts';
import { balanceGroups, isUnbegun } from './balance-groups.ts';

const unbegun = (...groups: readonly number[]) => groups.map(emptyProgress);
const begun = (...groups: readonly number[]) =>
  groups.map((group) => ({ ...emptyProgress(group), inFlight: { text: 2 } }));

test('while groups wait, as many machines without a group poll for one', () => {
  const machines = [
    { id: 'a', open: unbegun(0, 1, 2) },
    { id: 'b', open: [] },
    { id: 'c', open: [] },
  ];
  expect(balanceGroups(machines, { waiting: 1, active: 3 })).toEqual({ idle: ['b'], keep: new Map() });
});

test('machines with more than their part give back groups that they have not begun', () => {
  const machines = [
    { id: 'a', open: [...begun(0), ...unbegun(1, 2, 3)] },
    { id: 'b', open: begun(4, 5, 6, 7) },
    { id: 'c', open: [] },
  ];
  expect(balanceGroups(machines, { waiting: 0, active: 8 })).toEqual({ idle: [], keep: new Map([['a', 3]]) });
});

test('nothing changes while every machine has a group, or while reports are older than the queue', () => {
  const open = unbegun(0, 1, 2);
  const none = { idle: [], keep: new Map() };
  expect(
    balanceGroups(
      [
        { id: 'a', open },
        { id: 'b', open: begun(3) },
      ],
      { waiting: 0, active: 4 },
    ),
  ).toEqual(none);
  // The second machine has just taken three.
  expect(
    balanceGroups(
      [
        { id: 'a', open },
        { id: 'b', open: [] },
      ],
      { waiting: 0, active: 6 },
    ),
  ).toEqual(none);
});

test('a group has begun with its first request or its first row', () => {
  expect([...unbegun(0), ...begun(1), { ...emptyProgress(2), rows: 1 }].map(isUnbegun)).toEqual([true, false, false]);
});
