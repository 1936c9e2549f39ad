import { expect, test } from 'vitest';
import type { Cell } from '../../../api/cells.ts';
import { changedParts } from './changed-parts.ts';

const struct = (members: Readonly<Record<string, Cell>>): Cell => {
  const all = Object.entries(members);
  return { as: 'struct', length: all.length, members: all };
};
const grade = (score: Cell, reasoning = 'It is.'): Cell => struct({ Tone: struct({ reasoning, score }) });
const partsOf = (shown: 'value' | 'scores', left: Cell, right: Cell) =>
  changedParts({ name: 'c', shown }, [left, right]);

test.each<readonly [Cell, Cell, string]>([
  [1, 3, '+2'],
  ['short', 'longer one', '+5 characters'],
  ['bees', 'moon', 'same length'],
  [{ as: 'text', text: 'cut', length: 900 }, 'four', '−896 characters'],
  [null, 3, ''],
])('the difference of %j and %j is %j', (left, right, difference) => {
  expect(partsOf('value', left, right)).toMatchObject([{ name: 'c', difference }]);
});

test.each<readonly [number | string, number | string, string]>([
  [4, 2, '−2'],
  // Options of scores are often numbers in text.
  ['4', '10', '+6'],
  ['good', 'bad', ''],
])('a score of %j that becomes %j changed by %j', (before, after, difference) => {
  const [part] = partsOf('scores', grade(before), grade(after));
  expect(part).toEqual({
    name: 'c.Tone',
    left: { score: String(before), text: 'It is.' },
    right: { score: String(after), text: 'It is.' },
    difference,
  });
});

const both = (tone: Cell, wit: Cell): Cell => struct({ Tone: struct({ score: tone }), Wit: struct({ score: wit }) });
const answer = (urgency: number): Cell => struct({ of: struct({ urgency, reason: 'late' }), kind: 'mail' });

test('a score with another reason differs, one without a judge is null, and equal ones are left out', () => {
  expect(partsOf('scores', grade(3), grade(3, 'It was.'))).toMatchObject([
    { left: { text: 'It is.' }, right: { text: 'It was.' }, difference: '' },
  ]);
  expect(partsOf('scores', both(1, 2), both(1, 3))).toMatchObject([{ name: 'c.Wit' }]);
  expect(partsOf('scores', null, grade(3))).toMatchObject([{ name: 'c.Tone', left: { score: 'null', text: '' } }]);
});

test('members of structs differ by their paths, and values that differ where they are cut are said to', () => {
  expect(partsOf('value', answer(2), answer(5))).toEqual([
    { name: 'c.of.urgency', left: { text: '2' }, right: { text: '5' }, difference: '+3' },
  ]);
  const cut: Cell = { as: 'text', text: 'begins alike', length: 9000 };
  expect(partsOf('value', cut, cut)).toMatchObject([{ name: 'c', difference: 'differs behind what is shown' }]);
});
