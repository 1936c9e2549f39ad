import { expect, test } from 'vitest';
import type { Surroundings } from '@data-designer/core';
import { readForm } from '@data-designer/config';
import { llmJudge } from './llm-judge.ts';

const warmth = { name: 'Warmth', description: '', options: { '1': 'cold', '2': 'warm' } };
const nothing: Surroundings = { templates: 'secure', constraints: [], columns: new Map(), has: () => false };

function parse(...scores: readonly unknown[]) {
  const document = { name: 'j', column_type: 'llm-judge', prompt: 'Grade {{ a }}', model_alias: 'm', scores };
  return llmJudge.schema.safeParse(readForm(llmJudge.schema, document));
}

function check(...scores: readonly unknown[]) {
  const parsed = parse(...scores);
  if (!parsed.success) throw parsed.error;
  return llmJudge.check?.(parsed.data, nothing);
}

test('a judge without scores does not load', () => {
  expect(parse().error?.issues).toMatchObject([{ path: ['scores'] }]);
});

test.each([
  ['a description', { name: 'W', options: { a: 'b' } }, 'description'],
  ['options', { name: 'W', description: 'How warm?' }, 'options'],
  ['a name', { description: 'How warm?', options: { a: 'b' } }, 'name'],
])('a score without %s does not load', (_, given, key) => {
  expect(parse(given).error?.issues).toMatchObject([{ path: ['scores', 0, key] }]);
});

test('an unknown key of a score, and an empty list of pairs, do not load', () => {
  expect(parse({ ...warmth, weight: 2 }).error?.issues).toMatchObject([{ path: ['scores', 0], keys: ['weight'] }]);
  expect(parse({ ...warmth, options: [] }).success).toBe(false);
});

test('scores that can be given are no finding, described or not', () => {
  const pairs = {
    name: 'Stars',
    description: 'How good?',
    options: [
      [1, 'bad'],
      ['1', 'also bad'],
    ],
  };
  expect(check(warmth, pairs)).toEqual([]);
});

test('its endpoint is asked whether it can be held to the scores', () => {
  const parsed = parse(warmth);
  expect(parsed.data && llmJudge.requires?.(parsed.data)).toEqual({ models: ['m'], tools: [], shaped: true });
});

test('two scores of one name load, and are an error before a run', () => {
  const cold = { ...warmth, name: 'Cold' };
  expect(check(warmth, cold, warmth)).toMatchObject([
    { stage: 'run', type: 'duplicate_score', level: 'ERROR', field: ['scores', 2, 'name'] },
  ]);
});

test('a score without options loads, and is an error before a run', () => {
  expect(check({ ...warmth, options: {} })).toMatchObject([
    { stage: 'run', type: 'no_options', level: 'ERROR', field: ['scores', 0, 'options'] },
  ]);
});

test('an option that is there twice is an error before a run', () => {
  const options = [
    [5, 'best'],
    [1, 'worst'],
    [5, 'best again'],
  ];
  expect(check({ ...warmth, options })).toMatchObject([
    { stage: 'run', type: 'duplicate_option', field: ['scores', 0, 'options', 2] },
  ]);
});

test('what every model column may not do is found here too', () => {
  const fields = { name: 'j', column_type: 'llm-judge', prompt: '', model_alias: 'm', scores: [warmth] };
  const document = { ...fields, fallback_model_alias: 'm' };
  const config = llmJudge.schema.parse(readForm(llmJudge.schema, document));
  expect(llmJudge.check?.(config, nothing)).toMatchObject([{ type: 'same_fallback' }]);
});
