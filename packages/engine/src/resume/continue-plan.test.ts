import { expect, test } from 'vitest';
import type { Plan, PlannedModel } from '@data-designer/core';
import { expression, planOf, sampled } from '../../test/plan-of.ts';
import { continuePlan } from './continue-plan.ts';

const COLUMNS = [
  sampled('topic', 'category', { params: { values: ['moon', 'salt'] } }),
  expression('said', 'On {{ topic }}'),
];
const PLAN = planOf({ columns: COLUMNS });
const MODEL: PlannedModel = {
  alias: 'writer',
  resource: 'model/p/m',
  model: 'm',
  generationType: 'chat-completion',
  protocol: 'openai',
  structuredOutput: false,
  pricing: null,
  parameters: {},
  drawn: {},
  timeoutMs: 1000,
};

function planWith(requestRules?: string): Plan {
  return { ...PLAN, models: { writer: { ...MODEL, ...(requestRules && { requestRules }) } } };
}

test.each([
  { old: 'groq', now: 'vllm', hasAnswers: true, kept: 'groq' },
  { old: undefined, now: 'vllm', hasAnswers: true, kept: undefined },
  { old: 'groq', now: undefined, hasAnswers: true, kept: 'groq' },
  { old: 'groq', now: 'vllm', hasAnswers: false, kept: 'vllm' },
])('a dataset that began with the request rules $old has $kept under $now, with answers: $hasAnswers', (given) => {
  const { old, now, hasAnswers, kept } = given;
  const prior = { path: '/d', plan: planWith(old), hasAnswers, hasRows: false, changes: [] };
  expect(continuePlan(planWith(now), prior, null).models['writer']?.requestRules).toBe(kept);
});
