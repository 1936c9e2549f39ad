import { expect, test } from 'vitest';
import { sampled, planOf } from '../../test/plan-of.ts';
import { RunSummary } from '../run-summary.ts';
import { RateHistory } from './rate-history.ts';
import { RunProgress } from './run-progress.ts';

test('a history covers the whole run with at most 300 samples at even distances', () => {
  const plan = planOf({ columns: [sampled('topic', 'category', { params: { values: ['moon'] } })] }, { numRecords: 3 });
  const snapshot = new RunProgress(plan, { summary: new RunSummary(), groups: [] }).snapshot();
  const history = new RateHistory();
  for (let second = 0; second < 2000; second++) {
    const rows = { ...snapshot.rows, done: second, perSecond: 1 / 3 };
    history.add(second * 1000, { ...snapshot, rows });
    history.add(second * 1000 + 100, { ...snapshot, rows });
  }
  const { samples } = history;
  expect(samples.length).toBeGreaterThan(200);
  expect(samples.length).toBeLessThanOrEqual(300);
  expect(samples[0]).toEqual({
    at: 0,
    rows: 0,
    rowsPerSecond: 0.3333,
    inFlight: 0,
    waiting: 0,
    outputTokensPerSecond: 0,
    cost: snapshot.cost.soFar,
  });
  const distances = samples.slice(1).map(({ at }, index) => at - (samples[index]?.at ?? 0));
  expect(new Set(distances)).toEqual(new Set([8000]));
  expect(samples.at(-1)?.at).toBeGreaterThanOrEqual(1_990_000);
});
