import { expect, test } from 'vitest';
import type { Plan } from '@data-designer/core';
import { type SampleTimes, wallForecast } from './wall-forecast.ts';

const requires = (models: string[]) => ({ models, tools: [] });
const resource = (id: string, limit: number) => ({ id, kind: 'model', provider: 'mine', limit, pool: id });
/** Two dependent text columns on one model, and an independent one on another. */
const plan = {
  columns: [
    { name: 'first', needs: [], requires: requires(['small']) },
    { name: 'second', needs: ['first'], requires: requires(['small']) },
    { name: 'aside', needs: [], requires: requires(['large']) },
  ],
  models: { small: { resource: 'model/mine/small' }, large: { resource: 'model/mine/large' } },
  resources: [resource('model/mine/small', 10), resource('model/mine/large', 2)],
} as unknown as Plan;

const times: SampleTimes = {
  rows: 100,
  wallMs: 30_000,
  cpuMs: 400,
  processors: 2,
  loads: new Map([
    ['model/mine/small', { requests: 200, latencyMs: 200_000 }],
    ['model/mine/large', { requests: 100, latencyMs: 50_000 }],
  ]),
  spent: new Map([['model/mine/small', { requests: 200, tokens: 40_000 }]]),
  requestsPerCell: new Map(['first', 'second', 'aside'].map((name) => [name, 1])),
  hasRetries: false,
};

test('the model with the most latency per permit is the bottleneck of a run', () => {
  const { bounds, overheadMs, ms, doubledMs } = wallForecast(plan, times, 1000);
  expect(bounds).toEqual([
    { kind: 'model', name: 'mine/large', ms: 250_000, places: 2 },
    { kind: 'model', name: 'mine/small', ms: 200_000, places: 10 },
    { kind: 'chain', name: expect.any(String), ms: 2000, places: null },
    { kind: 'machine', name: expect.any(String), ms: 2000, places: null },
  ]);
  // The sample took 5 s more than its own largest bound; twice the permits leave the other model as the bottleneck.
  expect([overheadMs, ms, doubledMs]).toEqual([5000, 255_000, 205_000]);
});

test('rates per minute bound the run, and the overhead of the sample stays that of a run without rates', () => {
  const rated = { ...resource('model/mine/small', 10), requestsPerMinute: 300, tokensPerMinute: 100_000 };
  const resources = plan.resources.map((one) => (one.id === rated.id ? (rated as typeof one) : one));
  const { bounds, overheadMs, ms, doubledMs } = wallForecast({ ...plan, resources }, times, 1000);
  expect(bounds.slice(0, 2)).toEqual([
    { kind: 'rate', name: 'the requests_per_minute of mine/small (300)', ms: 400_000, places: null },
    { kind: 'model', name: 'mine/large', ms: 250_000, places: 2 },
  ]);
  expect(bounds).toContainEqual({
    kind: 'rate',
    name: 'the tokens_per_minute of mine/small (100000)',
    ms: 240_000,
    places: null,
  });
  expect([overheadMs, ms, doubledMs]).toEqual([5000, 405_000, null]);
});

test('the chain of answers is the bottleneck of a run of few rows, and more permits do not help', () => {
  const { bounds, doubledMs } = wallForecast(plan, times, 2);
  expect([bounds[0]?.kind, bounds[0]?.ms, doubledMs]).toEqual(['chain', 2000, null]);
});

test('a sample faster than its bounds has no overhead', () => {
  expect(wallForecast(plan, { ...times, wallMs: 1 }, 100).overheadMs).toBe(0);
});

test.each([
  [50_000, true, 25_000],
  [53_000, true, 55_000],
  [53_000, false, 28_000],
])(
  'a sample of %d ms, with retries: %s, forecasts an overhead of %d ms for a run ten times as long',
  (wallMs, hasRetries, overheadMs) => {
    expect(wallForecast(plan, { ...times, wallMs, hasRetries }, 1000).overheadMs).toBe(overheadMs);
  },
);
