import { expect, test } from 'vitest';
import { noUsage } from '@data-designer/models';
import { noCounts } from '../../models/src/usage.ts';
import type { Plan } from '@data-designer/core';
import { expression, planOf, sampled } from '../test/plan-of.ts';
import { lostRowsChoice, retriableRows, whyLostRowsStay } from './lost-rows.ts';
import { RunSummary } from './run-summary.ts';

const PRICED = { model: 'm', provider: 'here', inference_parameters: {} };
const text = (name: string, model: string, prompt: string) => ({
  name,
  column_type: 'llm-text',
  model_alias: model,
  prompt,
});

/** A draft, its score, what follows from the score, and a mood that reads nothing. */
function plan(more: object = {}): Plan {
  const made = planOf({
    model_configs: ['writer', 'judge'].map((alias) => ({ ...PRICED, alias, model: alias })),
    columns: [
      sampled('id', 'uuid', { params: {} }),
      text('draft', 'writer', 'Write about {{ id }}'),
      text('score', 'judge', 'Judge {{ draft }}'),
      text('next', 'judge', 'After {{ score }}'),
      text('mood', 'judge', 'A mood'),
      expression('shout', '{{ score | upper }}'),
    ],
    ...more,
  });
  const pricing = { input: 1_000_000, output: 0, cachedInput: null, image: null };
  const models = Object.entries(made.models).map(([alias, model]) => [alias, { ...model, pricing }] as const);
  return { ...made, models: Object.fromEntries(models) };
}

const LOST = { code: 'model/gave-up', message: 'No answer.' } as const;

/** Ten rows of which some were lost; each column has cost its tokens. */
function summaryOf(lost: Readonly<Record<string, number>>, tokens: Readonly<Record<string, number>>): RunSummary {
  const summary = new RunSummary();
  const all = Object.entries(lost).map(([column, rows]) => ({ ...LOST, column, rows }));
  summary.addEarlier(10 - all.reduce((sum, { rows }) => sum + rows, 0));
  const usage = Object.entries(tokens).map(([column, inputTokens]) => {
    const columns = { [column]: { first: { ...noCounts(), inputTokens, requests: 1 } } };
    return { usage: { [column === 'draft' ? 'writer' : 'judge']: { ...noUsage(), inputTokens, columns } } };
  });
  for (const one of usage) summary.addUsage(one);
  if (all.length > 0) summary.addUsage({ usage: {}, lost: all });
  return summary;
}

test('a lost row costs its failed cell, and the cells that wait for that one', () => {
  const tokens = { draft: 100, score: 20, next: 10, mood: 40 };
  const rows = retriableRows(plan(), summaryOf({ score: 2 }, tokens));
  expect(rows?.rows).toBe(2);
  expect(rows?.cost).toBeCloseTo(2 * 3, 6);
  expect(retriableRows(plan(), summaryOf({ draft: 1 }, tokens))?.cost).toBeCloseTo(10 + 3, 6);
  expect(retriableRows(plan(), summaryOf({ mood: 3, next: 1 }, tokens))).toMatchObject({ rows: 4, cost: 13 });
});

test('rows that processors and local columns have lost would be lost again, and the choice says so', () => {
  const tokens = { draft: 100 };
  const local = summaryOf({ id: 2, shout: 1, '': 2 }, tokens);
  expect(retriableRows(plan(), local)).toBeUndefined();
  expect(lostRowsChoice(plan(), local)).toEqual({
    lost: 5,
    retriable: null,
    stay: expect.stringContaining('fails again for the same cells') as string,
  });
  const mixed = summaryOf({ '': 2, score: 1 }, { ...tokens, score: 20 });
  expect(lostRowsChoice(plan(), mixed)).toMatchObject({ lost: 3, retriable: { rows: 1, cost: 2 } });
  expect(retriableRows(plan(), summaryOf({}, tokens))).toBeUndefined();
});

test('rows that their own values have lost would be lost again, and the choice names the columns to correct', () => {
  const tokens = { draft: 100, score: 20 };
  const ofValues = [
    { column: 'draft', code: 'template/record', message: 'No value.', rows: 2 },
    { column: 'score', code: 'column/bad-turns', message: 'No number.', rows: 1 },
  ] as const;
  const summary = summaryOf({}, tokens);
  summary.addUsage({ usage: {}, lost: ofValues });
  expect(lostRowsChoice(plan(), summary)).toEqual({
    lost: 3,
    retriable: null,
    stay: "the cells of 'draft', 'score' fail again with the same values. Correct the config or what they read, and create the dataset under another name",
  });
  summary.addUsage({ usage: {}, lost: [{ ...LOST, column: 'draft', rows: 4 }] });
  expect(retriableRows(plan(), summary)?.rows).toBe(4);
});

test('refused candidates are no lost rows', () => {
  const summary = summaryOf({ draft: 2 }, { draft: 100 });
  summary.addUsage({ usage: {}, lost: [{ column: '', code: 'select/refused', message: 'False.', rows: 9 }] });
  expect(lostRowsChoice(plan({ select: { where: 'true' } }), summary)).toMatchObject({ lost: 2, retriable: null });
});

test('a row without an accepted attempt costs all cells of the block, and those that wait for it', () => {
  const block = { name: 'tries', columns: ['draft', 'score'] } as unknown as NonNullable<Plan['attempts']>[number];
  const tokens = { draft: 100, score: 20, next: 10, mood: 40 };
  const rows = retriableRows({ ...plan(), attempts: [block] }, summaryOf({ tries: 2 }, tokens));
  expect(rows).toEqual({ rows: 2, cost: 2 * (10 + 2 + 1) });
});

test('without prices the cost is unknown', () => {
  const own = plan();
  const models = Object.entries(own.models).map(([alias, model]) => [alias, { ...model, pricing: null }] as const);
  const free = { ...own, models: Object.fromEntries(models) } as Plan;
  expect(retriableRows(free, summaryOf({ score: 2 }, { draft: 100 }))).toEqual({ rows: 2, cost: null });
});

test('rows that are not made one by one stay lost, and the reason is named', () => {
  expect(whyLostRowsStay(plan())).toBeUndefined();
  const stays = (own: Partial<Plan>) => whyLostRowsStay({ ...plan(), ...own })?.reason;
  expect(stays({ select: {} as NonNullable<Plan['select']> })).toContain('the dataset has a selection');
  const columns = plan().columns.map((one) => (one.name === 'draft' ? { ...one, isGrouped: true as const } : one));
  expect(stays({ columns })).toContain("the column 'draft' are made for all rows of a row group together");
  const processor = { config: { name: 'sorted' }, process: {} } as unknown as Plan['processors'][number];
  expect(stays({ processors: [processor] })).toContain("the processor 'sorted' receives all rows");
  const grouped = { ...plan(), processors: [processor] };
  expect(retriableRows(grouped, summaryOf({ score: 2 }, { draft: 100 }))).toBeUndefined();
});
