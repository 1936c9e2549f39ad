import { expect, test } from 'vitest';
import type { Plan, PlannedAttempts } from '@data-designer/core';
import { noUsage } from '@data-designer/models';
import { noCounts } from '../../models/src/usage.ts';
import { attemptFigures } from './attempt-figures.ts';
import { RunSummary } from './run-summary.ts';

const PRICING = { input: 1_000_000, output: 0, cachedInput: null, image: null };

function planOf(block: Partial<PlannedAttempts> = {}, pricing: typeof PRICING | null = PRICING): Plan {
  const solve = { name: 'solve', columns: ['solution', 'verdict'], keep: 'first', max: 3, ...block };
  const model = { alias: 'writer', pricing };
  return {
    attempts: [solve],
    models: { writer: model, judge: { alias: 'judge', pricing: PRICING } },
  } as unknown as Plan;
}

const tokens = (inputTokens: number) => ({ first: { ...noCounts(), inputTokens } });

/** Totals with a token for each attempt at `solution`, two for each `verdict`, and others outside of the block. */
function summaryOf(rows: number, accepted: readonly number[]): RunSummary {
  const summary = new RunSummary();
  const usage = {
    writer: { ...noUsage(), columns: { solution: tokens(10), hint: tokens(500) } },
    judge: { ...noUsage(), columns: { verdict: { ...tokens(15), correction: tokens(5).first } } },
  };
  const exhausted = [{ kind: 'refused', reason: '', rows: 1, row: 0, verdict: 'no' }] as const;
  summary.addUsage({ usage, attempts: { solve: { rows, attempts: 10, failed: 2, accepted, exhausted } } });
  return summary;
}

test('shares are of all rows whose attempts have ended, and the cost is that of the columns of the block', () => {
  expect(attemptFigures(planOf(), summaryOf(5, [2, 1, 1]))['solve']).toEqual({
    keep: 'first',
    max: 3,
    rows: 5,
    attempts: 10,
    failedAttempts: 2,
    accepted: 4,
    acceptedAt: [2, 1, 1],
    passAt: [0.4, 0.6, 0.8],
    passRate: 0.4,
    exhausted: [{ kind: 'refused', reason: '', rows: 1, row: 0, verdict: 'no' }],
    attemptsPerAccepted: 2.5,
    costPerAccepted: 30 / 4,
  });
});

test('without an accepted row there is no figure for one, and without a price no cost', () => {
  const figures = attemptFigures(planOf(), summaryOf(3, []))['solve'];
  expect(figures).toMatchObject({ accepted: 0, acceptedAt: [0, 0, 0], passAt: [0, 0, 0], passRate: 0 });
  expect([figures?.attemptsPerAccepted, figures?.costPerAccepted]).toEqual([null, null]);
  expect(attemptFigures(planOf({}, null), summaryOf(5, [4]))['solve']?.costPerAccepted).toBeNull();
});

test('a block before its first row has zeros, and a plan without blocks no figures', () => {
  expect(attemptFigures(planOf(), new RunSummary())['solve']).toMatchObject({ rows: 0, passAt: null, passRate: null });
  expect(attemptFigures({ models: {} }, new RunSummary())).toEqual({});
});
