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

test('the remedy for missing options validates', () => {
  const scores = { name: 'W', description: 'How warm?' };
  const { message = '' } = parse(scores).error?.issues[0] ?? {};
  const [, remedy = ''] = /; add options: (.+)$/.exec(message) ?? [];
  expect(parse({ ...scores, options: JSON.parse(remedy.replaceAll("'", '"')) as unknown }).success).toBe(true);
});

test('a score with an unknown key or an empty list of options does not load', () => {
  expect(parse({ ...warmth, weight: 2 }).error?.issues).toMatchObject([{ path: ['scores', 0], keys: ['weight'] }]);
  expect(parse({ ...warmth, options: [] }).success).toBe(false);
});

test('valid scores produce no findings, with or without a description', () => {
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

test('requires a probe of whether its endpoint enforces a schema', () => {
  const parsed = parse(warmth);
  expect(parsed.data && llmJudge.requires?.(parsed.data)).toEqual({ models: ['m'], tools: [], shaped: true });
});

test('two scores with the same name load, and the check reports an error', () => {
  const cold = { ...warmth, name: 'Cold' };
  expect(check(warmth, cold, warmth)).toMatchObject([
    { stage: 'run', type: 'duplicate_score', level: 'ERROR', field: ['scores', 2, 'name'] },
  ]);
});

test('a score without options loads, and the check reports an error', () => {
  expect(check({ ...warmth, options: {} })).toMatchObject([
    { stage: 'run', type: 'no_options', level: 'ERROR', field: ['scores', 0, 'options'] },
  ]);
});

test('the check reports a duplicate option', () => {
  const options = [
    [5, 'best'],
    [1, 'worst'],
    [5, 'best again'],
  ];
  expect(check({ ...warmth, options })).toMatchObject([
    { stage: 'run', type: 'duplicate_option', field: ['scores', 0, 'options', 2] },
  ]);
});

test('the check includes the rules for all model columns', () => {
  const fields = { name: 'j', column_type: 'llm-judge', prompt: '', model_alias: 'm', scores: [warmth] };
  const document = { ...fields, fallback_model_alias: 'm' };
  const config = llmJudge.schema.parse(readForm(llmJudge.schema, document));
  expect(llmJudge.check?.(config, nothing)).toMatchObject([{ type: 'same_fallback' }]);
});
