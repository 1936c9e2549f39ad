import { expect, test } from 'vitest';
import { rowsIn } from '@data-designer/core';
import { expression, planOf, sampled } from '../../test/plan-of.ts';
import { candidatePlan, isSelecting, mostCandidates, type SelectingPlan, withoutSelect } from './candidate-plan.ts';

function selecting(select: object, columns: readonly object[] = []): SelectingPlan {
  const n = sampled('n', 'uniform', { params: { low: 0, high: 9 } });
  const plan = planOf({ columns: [n, ...columns], select });
  if (!isSelecting(plan)) throw new Error('the plan has no selection');
  return plan;
}

test('a dataset has three candidates per row, unless its rules name their number', () => {
  expect(mostCandidates(selecting({ unique: [{ exact: ['n'] }] }))).toBe(30);
  expect(mostCandidates(selecting({ unique: [{ exact: ['n'] }], max_candidates: 12 }))).toBe(12);
});

test('candidates are the first rows of the plan without its selection', () => {
  const plan = selecting({ unique: [{ exact: ['n'] }] });
  const made = candidatePlan(plan, 25);
  expect(isSelecting(made)).toBe(false);
  expect(rowsIn(made.segments)).toBe(25);
  expect(made.segments).toEqual([{ firstRow: 0, rows: 25, groupSize: plan.segments[0]?.groupSize }]);
  expect(made.fields).toEqual(plan.fields);
  expect(made.dropped).toEqual([]);
});

test('candidates store dropped columns, which rules may read', () => {
  const plan = selecting({ where: '{{ n > 3 }}' }, [expression('m', '{{ n }}', { drop: true })]);
  const unstored: SelectingPlan = { ...plan, dropped: null };
  expect(candidatePlan(unstored, 5).dropped?.map(({ name }) => name)).toEqual(['m']);
  const stored: SelectingPlan = { ...plan, dropped: [{ name: 'kept', type: 'utf8' }] as never };
  expect(candidatePlan(stored, 5).dropped?.map(({ name }) => name)).toEqual(['kept']);
});

test('a verdict is a column of the candidates where refused ones are kept', () => {
  const kept = selecting({ where: '{{ n > 3 }}', keep_rejected: true });
  const { where } = kept.select;
  expect(kept.gate).toBeUndefined();
  expect(candidatePlan(kept, 5).fields.at(-1)).toMatchObject({ name: where, type: 'bool' });
  const gated = selecting({ where: '{{ n > 3 }}' });
  expect(gated.gate).toBe(where);
  expect(candidatePlan(gated, 5).fields).toEqual(gated.fields);
});

test('processors of the whole dataset run on the accepted rows alone', () => {
  const plan = selecting({ unique: [{ exact: ['n'] }] });
  const processors = [{ stage: 'post_batch' }, { stage: 'after_generation' }] as never;
  expect(candidatePlan({ ...plan, processors }, 5).processors).toEqual([{ stage: 'post_batch' }]);
});

test('a plan without its selection ends no row early', () => {
  const plan = withoutSelect(selecting({ where: '{{ n > 3 }}' }));
  expect('select' in plan || 'gate' in plan).toBe(false);
});
