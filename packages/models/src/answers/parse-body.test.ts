import { expect, test } from 'vitest';
import { parseJson } from '@data-designer/core';
import type { AnswerUsage } from '../model-client.ts';
import { parseBody } from './parse-body.ts';

const parsing = { model: 'm', parse: parseJson };

test.each([
  ['', /it is empty/],
  [' \n', /it is empty/],
  ['<html>', /not a JSON object/],
  ['{"a":', /not valid JSON/],
  ['data: {"choices":[]}\n\ndata: [DONE]', /it is a stream of events that ends before/],
])('the body %j is rejected', (body, said) => {
  expect(() => parseBody(body, parsing)).toThrow(said);
});

test.each<[string, number | undefined]>([
  ['{"choices":[{"message":{"content":"cut of', undefined],
  ['{"usage":{"prompt_tokens":3,"completion_tokens":4,"details":{"a":1}},"choices":[{"mess', 3],
  ['data: {"choices":[]}\n\ndata: {"usage": {"prompt_tokens":5}}\n\ndata: [DONE]', 5],
  ['{"usage":{"prompt_tokens":5', undefined],
  ['{"usage":{}', undefined],
])('the usage in the unusable body %j is counted as far as it can be read: %s', (body, input) => {
  const told: AnswerUsage[] = [];
  const meter = { onOutcome: () => {}, onSpent: (spent: AnswerUsage) => void told.push(spent) };
  expect(() => parseBody(body, { ...parsing, meter, parse: JSON.parse })).toThrow(/cannot be read/);
  expect(told.map(({ tokens }) => tokens.input)).toEqual(input === undefined ? [] : [input]);
});
