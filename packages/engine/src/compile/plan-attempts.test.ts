import { expect, test } from 'vitest';
import { field, type Plan } from '@data-designer/core';
import { preparePlan } from '../row-group/prepare-plan.ts';
import { expression, planOf, registry, sampled } from '../../test/plan-of.ts';

const WRITER = { alias: 'writer', model: 'm1', provider: 'here' };
const text = (name: string, prompt: string, rest: object = {}): object => {
  return { name, column_type: 'llm-text', model_alias: 'writer', prompt, ...rest };
};
const TOPIC = sampled('topic', 'category', { params: { values: ['moon', 'salt'] } });
const COLUMNS = [
  expression('after', '{{ solve__attempts }}'),
  expression('passed', '{{ answer | length > 3 }}', { dtype: 'bool' }),
  text('answer', 'Say {{ topic }}', { with_trace: 'all_messages', drop: true }),
  TOPIC,
];
const BLOCK = { name: 'solve', columns: ['passed', 'answer'], until: 'passed', max: 3 };

function planned(attempts: readonly object[], more: object = {}): Plan {
  return planOf({ model_configs: [WRITER], columns: COLUMNS, attempts, ...more });
}

const named = ({ columns }: Plan, name: string) => columns.find((one) => one.name === name);

test('a plan without blocks has no attempts', () => {
  const plan = planOf({ columns: [TOPIC] });
  expect('attempts' in plan).toBe(false);
});

test('a block is planned with its columns in order, the hidden column that decides, and what it writes', () => {
  const { attempts, ...plan } = planned([BLOCK]);
  expect(attempts).toEqual([
    {
      name: 'solve',
      columns: ['answer', 'passed', '_attempts_solve'],
      decision: '_attempts_solve',
      keep: 'first',
      max: 3,
      onExhausted: 'drop_row',
      writes: [field('solve__attempts', 'int64')],
    },
  ]);
  expect(named(plan as Plan, '_attempts_solve')).toMatchObject({ needs: ['passed'], config: { dtype: 'str' } });
  const fields = plan.fields.map(({ name }) => name);
  expect(fields).toEqual(['topic', 'after', 'passed', 'answer__trace', 'solve__attempts']);
});

test('a column that reads what a block writes waits for all columns of the block', () => {
  expect(named(planned([BLOCK]), 'after')?.needs.toSorted()).toEqual(['_attempts_solve', 'answer', 'passed']);
  const all = [{ name: 'solve', columns: ['passed', 'answer'], max: 3, keep: 'all' }];
  expect(named(planned(all), 'after')?.needs.toSorted()).toEqual(['answer', 'passed']);
  const [block] = planned(all).attempts ?? [];
  expect([block?.decision, block?.columns]).toEqual([null, ['answer', 'passed']]);
});

test('a score is a float, and an attempt with skipped cells has none; a condition sees them', () => {
  const scored = [{ ...BLOCK, until: null, keep: { best: '{{ answer | length }}' } }];
  const expr = '{{ answer | length }}';
  const plan = planned(scored);
  expect(named(plan, '_attempts_solve')?.config).toMatchObject({ dtype: 'float', propagateSkip: true, expr });
  expect(plan.attempts?.[0]).toMatchObject({
    keep: 'best',
    writes: [{ name: 'solve__attempts' }, field('solve__score', 'float64')],
  });
  expect(named(planned([BLOCK]), '_attempts_solve')?.config).toMatchObject({ propagateSkip: false });
  const pair = planned([{ ...BLOCK, until: null, keep: { pair: 'answer | length' } }]).attempts?.[0];
  const inside = [field('passed', 'bool'), { name: 'answer__trace' }, field('score', 'float64')];
  expect(pair?.keep).toBe('pair');
  expect(pair?.writes.slice(2)).toMatchObject(
    ['chosen', 'rejected'].map((name) => ({ name: `solve__${name}`, type: { struct: inside } })),
  );
});

test('a selection makes a whole block before it decides', () => {
  const plan = planned([BLOCK], { select: { where: 'passed' } });
  const where = named(plan, '_select_where');
  expect(where?.needs).toEqual(['passed']);
  const order = plan.columns.map(({ name }) => name);
  expect(order.indexOf('after')).toBeGreaterThan(order.indexOf('_select_where'));
  expect(order.indexOf('_attempts_solve')).toBeLessThan(order.indexOf('after'));
});

test('a prepared block is one unit of the row, with a dataflow of its own, and makes groups row by row', async () => {
  const remote = {
    name: 'checked',
    column_type: 'validation',
    target_columns: ['answer'],
    validator_type: 'remote',
    validator_params: { endpoint_url: 'http://127.0.0.1:1/check' },
  };
  const block = { ...BLOCK, columns: [...BLOCK.columns, 'checked'] };
  const inside = preparePlan(planned([block], { columns: [...COLUMNS, remote] }), registry);
  const [unit, ...others] = inside.units;
  expect(others).toHaveLength(1);
  expect(unit).toMatchObject({
    written: expect.arrayContaining(['answer', 'answer__trace', 'passed', 'checked']),
    stored: expect.not.arrayContaining(['answer']),
    decides: ['passed'],
  });
  expect(inside.dataflow).toEqual({ dependents: [[1], []], needs: [0, 1] });
  const makeOf = (prepared: typeof inside) => prepared.rowColumns.find(({ column }) => column.name === 'checked')?.make;
  expect(Object.keys(makeOf(inside) ?? {})).toEqual(['cell']);
  const outside = preparePlan(planned([BLOCK], { columns: [...COLUMNS, remote] }), registry);
  expect(Object.keys(makeOf(outside) ?? {})).toEqual(['group']);
});
