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
  ['groq', 'vllm', true, 'groq'],
  [undefined, 'vllm', true, undefined],
  ['groq', undefined, true, 'groq'],
  ['groq', 'vllm', false, 'vllm'],
])(
  'a dataset that began with the request rules %s keeps them under %s if it has answers: %s',
  (old, now, hasAnswers, kept) => {
    const prior = { path: '/d', plan: planWith(old), hasAnswers, hasRows: false, changes: [] };
    expect(continuePlan(planWith(now), prior, null).models['writer']?.requestRules).toBe(kept);
  },
);
