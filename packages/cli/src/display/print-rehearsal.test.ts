import { expect, test } from 'vitest';
import type { Rehearsal } from '@data-designer/rehearsal';
import { printRehearsal } from './print-rehearsal.ts';

const REHEARSAL: Rehearsal = {
  counts: 'rows',
  rows: 1000,
  rowsMade: 1000,
  sample: { rows: 20, rowsMade: 20, wallMs: 2000, lost: [] },
  models: [],
  requests: 0,
  inputTokens: 0,
  cachedInputTokens: 0,
  outputTokens: 0,
  cost: 0,
  wall: { ms: 1000, overheadMs: 0, bounds: [], doubledMs: null },
  assumptions: [],
};

function firstLine(change: Partial<Rehearsal>): string | undefined {
  return printRehearsal({ ...REHEARSAL, ...change }).split('\n')[0];
}

test('the first line counts candidates where a selection refuses some of them', () => {
  expect(firstLine({})).toBe('1,000 rows; rehearsed with 20 in 2 s with simulated models.');
  expect(firstLine({ counts: 'candidates' })).toBe(
    '1,000 candidates, of which the selection would accept an unknown part; rehearsed with 20 in 2 s with simulated models.',
  );
  const selected = { candidates: 20, accepted: 8, rowsAccepted: 400, candidatesNeeded: 2500 };
  expect(firstLine({ counts: 'candidates', selected })).toBe(
    '1,000 candidates, of which the selection would accept about 400; rehearsed with 20 in 2 s with simulated models.',
  );
});
