import { expect, test } from 'vitest';
import { readToolCalls } from './read-tool-calls.ts';

const at = { row: 7, column: 'a', call: 2 };
const idsOf = (...ids: unknown[]) =>
  readToolCalls(
    ids.map((id) => ({ id, name: 'f' })),
    at,
  ).map(({ id }) => id);

test('ids become text, and missing ids are generated', () => {
  expect(idsOf('a', 5, 0, { x: 1 })).toEqual(['a', '5', '0', '{"x":1}']);
  expect(idsOf(null, undefined, '')).toEqual(['call_7_2_0', 'call_7_2_1', 'call_7_2_2']);
});

test('each call of an answer gets a unique id', () => {
  expect(idsOf('a', 'a', 'b', 'a')).toEqual(['a', 'call_7_2_1', 'b', 'call_7_2_3']);
  expect(idsOf(1, '1')).toEqual(['1', 'call_7_2_1']);
  expect(idsOf('call_7_2_1', '', 'call_7_2_1', 'call_7_2_2')).toEqual([
    'call_7_2_1',
    'call_7_2_1_',
    'call_7_2_2',
    'call_7_2_3',
  ]);
});

test.each([
  [undefined, ''],
  [null, ''],
  [5, '5'],
  [{ toString: 1 }, '{"toString":1}'],
])('the name and arguments %j become text', (name, text) => {
  expect(readToolCalls([{ id: 'a', name, arguments: name }], at)).toEqual([
    { id: 'a', type: 'function', function: { name: text, arguments: text } },
  ]);
});
