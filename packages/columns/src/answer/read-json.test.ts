import { expect, test } from 'vitest';
import { Float, ParseFailure } from '@data-designer/core';
import { readJson } from './read-json.ts';

test('reads the last block labelled json and ignores the text around it', () => {
  expect(readJson('[0]\n```json\n{"a": 1}\n```\n```json\n{"a": 2}\n```\n```js\n3\n```')).toEqual({ a: 2 });
  expect(readJson('```JSON\n[1]\n```')).toEqual([1]);
});

test('integers, floats and big integers keep their type', () => {
  expect(readJson('```json\n[1, 1.0, 1.5, 12345678901234567890]\n```')).toEqual([
    1,
    new Float(1),
    1.5,
    12345678901234567890n,
  ]);
});

test.each([
  ['alone', '{"a": 1}'],
  ['in a block without label', 'Look:\n```\n{"a": 1}\n```'],
  ['in a block of another label', '```javascript\n{"a": 1}\n```'],
  ['within a sentence', 'The answer is {"a": 1}, as "asked}.'],
  ['after thinking', '<think>{"a": 0}</think> {"a": 1}'],
  ['behind words in its block', '```json\nAnswer: {"a": 1}\n```'],
])('reads a single value %s', (_, answer) => {
  expect(readJson(answer)).toEqual({ a: 1 });
});

test('parses an answer that is JSON as a whole, even with fences or tags in its strings', () => {
  expect(readJson('{"code": "```json\\n{}\\n```"}')).toEqual({ code: '```json\n{}\n```' });
  expect(readJson('{"tag": "</think>"\n}')).toEqual({ tag: '</think>' });
});

test('brackets and quotes in strings do not end a value', () => {
  expect(readJson('It is {"a": "\\"}] {"} then.')).toEqual({ a: '"}] {' });
});

test.each([
  ['a trailing comma', '{"a": 1,}'],
  ['single quotes', "{'a': 1}"],
  ['bare keys', '{a: 1}'],
  ['comments', '{"a": 1 /* one */ }'],
  ['a missing end', '{"a": 1'],
])('repairs %s, in a block and outside', (_, json) => {
  expect(readJson(`\`\`\`json\n${json}\n\`\`\``)).toEqual({ a: 1 });
  expect(readJson(json)).toEqual({ a: 1 });
});

test('closes a string cut off by a token limit', () => {
  expect(readJson('```json\n{"a": "cut in the mid')).toEqual({ a: 'cut in the mid' });
});

test.each([
  ['nothing', '', /no ```json block/],
  ['words', 'I would rather not.', /no ```json block/],
  ['two bare values', '{"a": 1} or {"a": 2}', /several/],
  ['an empty block', '```json\n```', /not JSON/],
  ['a value without end of depth', `${'['.repeat(150)}${']'.repeat(150)}`, /100 levels/],
])('rejects %s with a message for the model', (_, answer, reason) => {
  expect(() => readJson(answer)).toThrow(ParseFailure);
  expect(() => readJson(answer)).toThrow(reason);
});

test('a property named __proto__ is an ordinary property', () => {
  expect(Object.keys(readJson('{"__proto__": {"a": 1}}') as object)).toEqual(['__proto__']);
});

function withoutCommas(values: number): string {
  return `{"a": [${'"x"\n'.repeat(values)}]}`;
}

test('text of up to 100,000 characters is repaired; the repair of more would take minutes', () => {
  expect(withoutCommas(24_997)).toHaveLength(99_997);
  expect(readJson(withoutCommas(24_997))).toEqual({ a: Array.from({ length: 24_997 }, () => 'x') });
  expect(() => readJson(withoutCommas(200_000))).toThrow(ParseFailure);
});
