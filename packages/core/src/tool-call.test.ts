import { expect, test } from 'vitest';
import { isDeeperThanCalls, isNestedTooDeeply, legalToolCall } from './tool-call.ts';

const called = (name: string, text: string) =>
  ({ id: 'a', type: 'function', function: { name, arguments: text } }) as const;

test('a call that servers accept stays unchanged', () => {
  for (const call of [called('find', '{"a": 1 }'), called('a-b_C9', '{}'), called('x'.repeat(64), ' {"a":[{}]} ')]) {
    expect(legalToolCall(call)).toBe(call);
  }
});

test.each([
  ['a code fence', '```json\n{"a":1}\n```', '{"a":1}'],
  ['a fence without a language', '```\n{"a": 1.0}```', '{"a":1.0}'],
  ['JSON text of an object', '"{\\"n\\":12345678901234567890}"', '{"n":12345678901234567890}'],
  ['JSON text in a fence', '```\n"{\\"a\\":1}"\n```', '{"a":1}'],
  ['a fence in JSON text', JSON.stringify('```json\n{"a":1}\n```'), '{"a":1}'],
])('arguments in %s are sent as the object that the tool got', (_claim, text, sent) => {
  expect(legalToolCall(called('find', text))).toEqual(called('find', sent));
});

test.each([
  '{"a":1,"a":2}',
  '{"n":12345678901234567890}',
  '{"a":"```json\\n{}```"}',
  '{"a":"\\ud800"}',
  '\n{"a":1e999}',
])('an object stays as the model wrote it: %j', (text) => {
  expect(legalToolCall(called('find', text)).function.arguments).toBe(text);
});

test.each([
  '',
  ' ',
  '{"a":',
  '[1]',
  '[]',
  '"a"',
  '"null"',
  'null',
  '5',
  '5.0',
  '{"a":NaN}',
  '```\n[1]\n```',
  `"{"`,
  `{"a":${'['.repeat(600)}${']'.repeat(600)}}`,
])('arguments without an object are sent as an empty one: %j', (text) => {
  expect(legalToolCall(called('find', text))).toEqual(called('find', '{}'));
});

test.each([
  ['look up!', 'look_up_'],
  ['', 'unknown'],
  ['functions.find:0', 'functions_find_0'],
  ['é🙂', '__'],
  ['y'.repeat(90), 'y'.repeat(64)],
])('the name %j is sent as %j', (name, legal) => {
  expect(legalToolCall(called(name, '{"a":1}'))).toEqual(called(legal, '{"a":1}'));
});

const nested = (depth: number) => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`;

test('brackets in strings do not count as depth', () => {
  expect(isNestedTooDeeply(nested(500))).toBe(false);
  expect(isNestedTooDeeply(nested(502))).toBe(true);
  expect(isNestedTooDeeply('['.repeat(20_000))).toBe(true);
  expect(isNestedTooDeeply(JSON.stringify({ a: '[{"'.repeat(2_000), b: '\\"[' }))).toBe(false);
  expect(isNestedTooDeeply('[]'.repeat(2_000))).toBe(false);
});

test('values and their JSON text have the same depth limit', () => {
  expect(isDeeperThanCalls(JSON.parse(nested(500)))).toBe(false);
  expect(isDeeperThanCalls(JSON.parse(nested(502)))).toBe(true);
  expect(isDeeperThanCalls(JSON.parse('['.repeat(20_000) + ']'.repeat(20_000)))).toBe(true);
  expect(isDeeperThanCalls('text')).toBe(false);
});

test('texts of many megabytes are checked', () => {
  expect(isNestedTooDeeply(JSON.stringify({ text: 'n"'.repeat(5_000_000) }))).toBe(false);
});
