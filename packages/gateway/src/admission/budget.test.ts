import { expect, test } from 'vitest';
import type { Plan, PlannedModel } from '@data-designer/core';
import { Budget, budgetOf } from './budget.ts';

const PRICING = { input: 1, output: 2, cachedInput: null, image: null };

function planOf(maxCost: number | null, models: Record<string, Pick<PlannedModel, 'resource' | 'pricing'>>): Plan {
  return { maxCost, models } as unknown as Plan;
}

test('a plan without `maxCost` has no budget', () => {
  expect(budgetOf(planOf(null, { a: { resource: 'model/p/m', pricing: PRICING } }))).toBeUndefined();
});

test('prices are keyed by resource: the dearer alias of a model counts, and unknown prices are omitted', () => {
  const plan = planOf(5, {
    a: { resource: 'model/p/m', pricing: PRICING },
    b: { resource: 'model/p/m', pricing: { ...PRICING, output: 9 } },
    c: { resource: 'model/p/other', pricing: null },
  });
  expect(budgetOf(plan, 3)).toEqual({
    maxCost: 5,
    spentBefore: 3,
    prices: { 'model/p/m': { ...PRICING, output: 9 } },
  });
});

test('answers that arrive after the budget is spent are still counted', () => {
  const budget = new Budget({ maxCost: 1, prices: { m: PRICING }, spentBefore: 0 });
  const answer = { status: 200, body: '{"usage":{"prompt_tokens":600000}}' };
  for (let answers = 1; answers <= 3; answers++) {
    budget.take('m', 'chat/completions', answer);
    expect(budget.cost).toBeCloseTo(0.6 * answers);
    expect(budget.spent.aborted).toBe(answers > 1);
  }
});

test('a budget is spent once the cost reaches it, including the cost of earlier runs', () => {
  const budget = new Budget({ maxCost: 2, prices: { m: PRICING }, spentBefore: 1 });
  expect([budget.cost, budget.spent.aborted]).toEqual([1, false]);
  budget.take('m', 'chat/completions', { status: 200, body: '{"usage":{"prompt_tokens":1000000}}' });
  expect([budget.cost, budget.spent.aborted]).toEqual([2, true]);
  expect(budget.spent.reason).toMatchObject({ code: 'run/budget-spent', data: { maxCost: 2, cost: 2 } });
});

test('a run starts without a budget left if earlier runs spent it', () => {
  expect(new Budget({ maxCost: 1, prices: {}, spentBefore: 1 }).spent.aborted).toBe(true);
  expect(new Budget({ maxCost: 1, prices: {}, spentBefore: 0.5 }).spent.aborted).toBe(false);
});

test.each(['no-choice', 'unusable'] as const)('an answer without use costs its tokens, and no image: %s', (verdict) => {
  const budget = new Budget({ maxCost: 1, prices: { m: { ...PRICING, image: 9 } }, spentBefore: 0 });
  const body = '{"choices":[],"usage":{"prompt_tokens":200000,"completion_tokens":200000}}';
  budget.take('m', 'chat/completions', { status: 200, body, verdict });
  expect(budget.cost).toBeCloseTo(0.6);
  budget.take('m', 'chat/completions', { status: 200, body, verdict });
  expect(budget.spent.aborted).toBe(true);
  budget.take('m', 'chat/completions', { status: 200, body: '<html>', verdict });
  expect(budget.cost).toBeCloseTo(1.2);
});

test.each([
  [400, 0.6],
  [500, 0.6],
  [429, 0],
])('a refusal with status %i costs the tokens that it reports, and no image: %s', (status, cost) => {
  const budget = new Budget({ maxCost: 1, prices: { m: { ...PRICING, image: 9 } }, spentBefore: 0 });
  const body = '{"error":{},"usage":{"prompt_tokens":200000,"completion_tokens":200000}}';
  budget.take('m', 'chat/completions', { status, body });
  budget.take('m', 'chat/completions', { status, body: '{"error":{}}' });
  expect(budget.cost).toBeCloseTo(cost);
});
