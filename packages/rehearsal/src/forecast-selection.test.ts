import { expect, test } from 'vitest';
import type { Plan, PlannedSelect } from '@data-designer/core';
import { describeSelection, forecastSelection } from './forecast-selection.ts';

const SELECT: PlannedSelect = {
  where: 'good',
  unique: [],
  uniqueAgainst: [],
  maxCandidates: null,
  onExhausted: 'fail',
  keepRejected: false,
  keepCandidates: true,
};

function planWith(select: PlannedSelect | undefined): Plan {
  return {
    seed: 1n,
    segments: [{ firstRow: 0, rows: 20, groupSize: 20 }],
    columns: [],
    models: {},
    tools: {},
    resources: [],
    fields: [],
    maxCost: null,
    ...(select && { select }),
  } as unknown as Plan;
}

function said(rows: number, accepted: number, select: Partial<PlannedSelect> = {}): string {
  return describeSelection(
    planWith({ ...SELECT, ...select }),
    rows,
    forecastSelection(rows, { candidates: 20, accepted }),
  );
}

test('a selection scales its accepted share to the rows of candidates and to the candidates of rows', () => {
  expect(forecastSelection(1000, { candidates: 20, accepted: 8 })).toEqual({
    candidates: 20,
    accepted: 8,
    rowsAccepted: 400,
    candidatesNeeded: 2500,
  });
  expect(forecastSelection(1000, { candidates: 20, accepted: 0 })).toMatchObject({
    rowsAccepted: 0,
    candidatesNeeded: null,
  });
});

test('the sentence names what the number counts, and both directions', () => {
  expect(said(20, 8)).toMatchInlineSnapshot(
    `"The number (-n, or numRecords) counts candidates of the selection, not accepted rows, and all of them are completed. With the simulated answers, 'where' accepts 8 of 20 (40.0%): 20 candidates give about 8 rows, and 20 rows need about 50 candidates. Real answers may be accepted more or less often. The run does not complete a refused candidate, so it may cost less."`,
  );
});

test('the sentence says when the run may not make enough candidates, and which rules are not counted', () => {
  expect(said(20, 5)).toContain('20 rows need about 80 candidates, more than its max_candidates of 60.');
  expect(said(20, 5, { maxCandidates: 100 })).toContain('20 rows need about 80 candidates. Real');
  expect(said(20, 10, { unique: [{ kind: 'exact', columns: ['a'] }] as never })).toContain(
    'Its other rules may refuse further ones.',
  );
  expect(said(20, 0)).not.toContain('need about');
});

test('without a condition the accepted share is unknown', () => {
  expect(describeSelection(planWith(SELECT), 20, undefined)).toContain('How many it accepts is unknown');
  expect(describeSelection(planWith(undefined), 20, undefined)).toBe('');
});
