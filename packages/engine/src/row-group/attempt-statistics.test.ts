import { expect, test } from 'vitest';
import { type CellValue, DataDesignerError, Float } from '@data-designer/core';
import { AttemptStatistics, exhaustionOf } from './attempt-statistics.ts';
import type { MadeAttempt } from './attempts.ts';
import type { AttemptBlock } from './prepare-plan.ts';

function blockOf(keep: AttemptBlock['planned']['keep'], decides: readonly string[] = ['verdict']): AttemptBlock {
  return { planned: { name: 'solve', keep }, decides } as unknown as AttemptBlock;
}

const made = (row: Record<string, CellValue>): MadeAttempt => ({
  row,
  failure: undefined,
  failures: [],
  cells: { made: [], failed: [] },
  skipped: new Set(),
});

function failed(column: string): MadeAttempt {
  const failure = new DataDesignerError('model/gave-up', { model: 'm', reason: 'no' } as never);
  const cell = { row: 0, column, code: 'model/gave-up', message: '', onFailure: 'drop_row', messages: [] } as const;
  const other = { ...cell, column: 'other', code: 'model/rejected' } as const;
  return { ...made({}), failure, failures: [cell, other] };
}

const refused = { reason: 'refused', written: [2] };

test('a row with an accepted attempt is not exhausted', () => {
  expect(exhaustionOf(blockOf('first'), [made({})], { reason: undefined, written: [1] })).toBeUndefined();
});

test('the reason of a refusal has the truth values that until read, and its verdict all values', () => {
  const verdict = { is_valid: false, score: new Float(2), notes: { late: null, text: 'x' } };
  const last = made({ verdict, passed: true, points: 3, unread: false });
  const block = blockOf('first', ['verdict', 'passed', 'points']);
  expect(exhaustionOf(block, [failed('grade'), last], refused)).toEqual({
    kind: 'refused',
    reason: 'verdict.is_valid = false, verdict.notes.late = null, passed = true',
    verdict: `'until' refused verdict = {"is_valid":false,"score":2,"notes":{"late":null,"text":"x"}}, passed = true, points = 3.`,
    failedAttempts: 1,
  });
});

test('a reason names four truth values at most, and a long verdict is cut', () => {
  const many = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, true]));
  const last = made({ verdict: { ...many, text: 'x'.repeat(1000) } });
  const { reason = '', verdict = '' } = exhaustionOf(blockOf('first'), [last], refused) ?? {};
  expect(reason).toBe('verdict.a = true, verdict.b = true, verdict.c = true, verdict.d = true');
  expect([verdict.length, verdict.at(-1)]).toEqual([301, '…']);
});

test('a failed last attempt is told by its column and error, also where all attempts of a pair failed', () => {
  const wanted = { kind: 'failed', reason: 'grade: model/gave-up', verdict: 'It failed.' };
  const kept = { reason: 'It failed.', written: [2] };
  expect(exhaustionOf(blockOf('first'), [made({}), failed('grade')], kept)).toEqual({ ...wanted, failedAttempts: 1 });
  expect(exhaustionOf(blockOf('pair'), [failed('grade'), failed('grade')], kept)).toEqual({
    ...wanted,
    failedAttempts: 2,
  });
});

test('a pair may lack a score, or different ones', () => {
  const attempts = [made({}), failed('grade')];
  const none = { reason: 'no score', written: [2, null, null, null] };
  expect(exhaustionOf(blockOf('pair'), attempts, none)).toMatchObject({ kind: 'no_score', reason: '' });
  const equal = { reason: 'all 4', written: [2, 4, null, null] };
  expect(exhaustionOf(blockOf('pair'), attempts, equal)).toMatchObject({ kind: 'equal_scores', verdict: 'all 4' });
});

test('counts are by block, accepted rows by the number of attempts, and none before the first row', () => {
  const statistics = new AttemptStatistics();
  expect(statistics.counts).toBeUndefined();
  const block = blockOf('first');
  const exhaustion = { kind: 'refused', reason: 'r', verdict: 'v', failedAttempts: 1 } as const;
  statistics.add(block, { rowIndex: 4, made: [failed('a'), made({}), made({})], exhaustion: undefined });
  statistics.add(block, { rowIndex: 5, made: [made({}), made({}), made({})], exhaustion: undefined });
  statistics.add(block, { rowIndex: 9, made: [failed('a'), made({})], exhaustion });
  statistics.add(block, { rowIndex: 7, made: [failed('a'), made({})], exhaustion });
  const other = { ...block, planned: { ...block.planned, name: 'other' } };
  statistics.add(other, { rowIndex: 4, made: [made({})], exhaustion: undefined });
  expect(statistics.counts).toEqual({
    solve: {
      rows: 4,
      attempts: 10,
      failed: 3,
      accepted: [0, 0, 2],
      exhausted: [{ kind: 'refused', reason: 'r', verdict: 'v', rows: 2, row: 7 }],
    },
    other: { rows: 1, attempts: 1, failed: 0, accepted: [1], exhausted: [] },
  });
});
