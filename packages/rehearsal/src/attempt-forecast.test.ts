import { expect, test } from 'vitest';
import type { Plan, PlannedAttempts } from '@data-designer/core';
import { RunSummary } from '@data-designer/engine';
import { forecastAttempts } from './attempt-forecast.ts';

const BLOCK: PlannedAttempts = {
  name: 'solve',
  columns: ['solution', 'verdict'],
  decision: 'verdict',
  keep: 'first',
  max: 8,
  onExhausted: 'drop_row',
  writes: [],
};

const column = (name: string, ...needs: string[]) => ({ name, needs });

function planOf(...attempts: readonly PlannedAttempts[]): Plan {
  const columns = [
    column('hint'),
    column('solution', 'hint'),
    column('verdict', 'solution'),
    column('after', 'verdict'),
    column('last', 'after', 'hint'),
  ];
  return { columns, models: {}, attempts } as unknown as Plan;
}

/** The totals of a sample: so many attempts at so many rows, of which some were accepted. */
function sampleOf(rows: number, attempts: number, accepted: readonly number[]): RunSummary {
  const summary = new RunSummary();
  summary.addUsage({ usage: {}, attempts: { solve: { rows, attempts, failed: 0, accepted, exhausted: [] } } });
  return summary;
}

const factors = ({ factorOf }: ReturnType<typeof forecastAttempts>) =>
  ['hint', 'solution', 'verdict', 'after', 'last'].map((name) => Number(factorOf(name).toFixed(3)));

test('without a given pass rate the attempts are those of the sample, and lost rows need no later columns', () => {
  const forecast = forecastAttempts(planOf(BLOCK), sampleOf(100, 246, [40, 24, 14, 9, 5, 3, 2, 1]), undefined);
  expect(forecast.blocks['solve']).toEqual({
    passRate: 98 / 246,
    attemptsPerRow: 2.46,
    bounds: [1, 8],
    accepted: 0.98,
  });
  expect(factors(forecast)).toEqual([1, 1, 1, 0.98, 0.98]);
  expect(forecast.kept).toBe(0.98);
});

test('a given pass rate replaces that of the sample: 0.4 takes 2.46 attempts of 8', () => {
  const forecast = forecastAttempts(planOf(BLOCK), sampleOf(100, 800, []), 0.4);
  const { attemptsPerRow, accepted } = forecast.blocks['solve'] ?? { attemptsPerRow: 0, accepted: 0 };
  expect(attemptsPerRow).toBeCloseTo(2.458, 3);
  expect(accepted).toBeCloseTo(0.983, 3);
  expect(factors(forecast)).toEqual([1, 0.307, 0.307, 0.983, 0.983]);
});

test('a block that loses no row does not shorten later columns, and one without an accepted row does not empty them', () => {
  const kept = { ...BLOCK, onExhausted: 'keep_last' } as const;
  expect(factors(forecastAttempts(planOf(kept), sampleOf(10, 20, [5]), undefined))).toEqual([1, 1, 1, 1, 1]);
  const none = forecastAttempts(planOf(BLOCK), sampleOf(10, 80, []), undefined);
  expect([factors(none), none.kept]).toEqual([[1, 1, 1, 1, 1], 0]);
});

test('a block without until makes all its attempts, whatever pass rate is given', () => {
  const pair = { ...BLOCK, keep: 'pair' } as const;
  const forecast = forecastAttempts(planOf(pair), sampleOf(10, 80, [0, 0, 0, 0, 0, 0, 0, 9]), 0.4);
  expect(forecast.blocks['solve']).toEqual({ passRate: null, attemptsPerRow: 8, bounds: [8, 8], accepted: 0.9 });
});
