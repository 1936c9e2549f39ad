import { expect, test } from 'vitest';
import { endOf, RunSummary } from '@data-designer/engine';
import { type AnswerFlaw, DataDesignerError, FLAW_NAMES } from '@data-designer/core';
import { exitCodeOf, exitCodeOfJoined } from './exit-codes.ts';

const stopped = new DataDesignerError('run/stopped-early', { column: 'quiz', failed: 10, cells: 10, cause: '' });
const spent = new DataDesignerError('run/budget-spent', { maxCost: 1, cost: 1 });
const late = new DataDesignerError('run/time-spent', { maxDurationSeconds: 1 });

test.each([
  ['a run that is whole', { failure: undefined, count: 10, wanted: [0, 0] }],
  ['a run that lost rows', { failure: undefined, count: 9, wanted: [0, 3] }],
  ['too many failed cells', { failure: stopped, count: 4, wanted: [1, 1] }],
  ['a spent budget', { failure: spent, count: 4, wanted: [0, 3] }],
  ['spent time', { failure: late, count: 4, wanted: [0, 3] }],
])('%s has its exit code, without and with --strict', (_, { failure, count, wanted }) => {
  const results = { count, requested: 10, ended: endOf(failure) };
  expect([exitCodeOf(results), exitCodeOf(results, { strict: true })]).toEqual(wanted);
});

test('with --strict a flaw of an answer, or a cell that failed, has the exit code of a missing row', () => {
  const results = { count: 10, requested: 10, ended: null };
  const { findings } = new RunSummary();
  const column = 'answer';
  const counts = Object.fromEntries(FLAW_NAMES.map((name) => [name, 0])) as Record<AnswerFlaw, number>;
  const flawed = { ...findings, flaws: [{ column, ...counts, failedTool: 1 }] };
  const failed = { column, code: 'model/gave-up', message: 'It gave up.', cells: 1 } as const;
  const recovered = { ...findings, toolRecoveries: [{ column, answers: 2 }] };
  const codes = [findings, flawed, { ...findings, failedCells: [failed] }, recovered].map((one) =>
    exitCodeOf(results, { strict: true, made: [{ findings }, { findings: one }] }),
  );
  expect(codes).toEqual([0, 3, 3, 0]);
  expect(exitCodeOf(results, { made: [{ findings: flawed }] })).toBe(0);
});

test.each([
  [undefined, 0],
  ['run/time-spent', 0],
  ['run/aborted', 0],
  ['run/stopped-early', 1],
  ['model/asked-to-wait', 1],
] as const)('a machine that has joined a run which ended with %s exits with %i', (code, exit) => {
  expect(exitCodeOfJoined({ ended: code === undefined ? null : { code, message: '' } })).toBe(exit);
});
