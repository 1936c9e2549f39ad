import { expect, test } from 'vitest';
import { noUsage } from '@data-designer/models';
import type { DatasetCreationResults } from '@data-designer/results';
import { summariseStages } from './summarise-stages.ts';

const used = (requests: number) => ({
  ...noUsage(),
  requests,
  failedRequests: 1,
  inputTokens: 10 * requests,
  outputTokens: 2 * requests,
});
const stage = (name: string, more: object = {}) =>
  [
    name,
    {
      path: `/${name}`,
      ended: null,
      count: 4,
      requested: 6,
      usage: { a: used(3), b: used(4) },
      cost: 2,
      knownCost: 2,
      unpriced: [],
      ...more,
    },
  ] as unknown as readonly [string, DatasetCreationResults];
const summary = (stages: ReturnType<typeof stage>[], seconds: Record<string, number> = {}) =>
  summariseStages(
    { stageResults: new Map(stages), reusedStages: new Set(['reused']) },
    new Map(Object.entries(seconds)),
  );

test('the counts of the models and of the stages are added up', () => {
  const { stages, total } = summary([stage('reused'), stage('more', { count: 9 })], { reused: 3, more: 4 });
  const counts = {
    requests: 7,
    failedRequests: 2,
    inputTokens: 70,
    outputTokens: 14,
    cost: 2,
    knownCost: 2,
    unpriced: [],
  };
  expect(stages).toEqual([
    {
      stage: 'reused',
      path: '/reused',
      reused: true,
      ended: null,
      rows: 4,
      requested: 6,
      missing: 2,
      seconds: 3,
      ...counts,
    },
    {
      stage: 'more',
      path: '/more',
      reused: false,
      ended: null,
      rows: 9,
      requested: 6,
      missing: 0,
      seconds: 4,
      ...counts,
    },
  ]);
  expect(total).toEqual({
    rows: 13,
    requested: 12,
    missing: 2,
    requests: 14,
    failedRequests: 4,
    inputTokens: 140,
    outputTokens: 28,
    cost: 4,
    knownCost: 4,
    unpriced: [],
    seconds: 7,
  });
});

test('a total is unknown if a part of it is, and nothing of no stages', () => {
  const costs = summary([stage('a'), stage('b', { cost: null, knownCost: 1, unpriced: ['b'] }), stage('c')], {
    a: 1,
    b: 2,
  });
  expect([costs.total.cost, costs.total.seconds, costs.stages[2]?.seconds]).toEqual([null, null, null]);
  expect(costs.total).toMatchObject({ knownCost: 5, unpriced: ['b'] });
  const { unpriced, ...counts } = summary([]).total;
  expect(unpriced).toEqual([]);
  expect(Object.values(counts)).toEqual(Array.from({ length: 10 }, () => 0));
});
