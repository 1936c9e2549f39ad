import { expect, test } from 'vitest';
import { z } from 'zod';
import { field } from '@data-designer/core';
import { ColumnRegistry } from '../column-registry.ts';
import { columnFields, defineColumn } from '../define-column.ts';
import { parseDataset } from '../parse-dataset.ts';
import { checkDataset } from './check-dataset.ts';
import type { SpendingBounds } from './check-budget.ts';

const told = defineColumn({
  type: 'told',
  schema: z.strictObject({ ...columnFields('told'), modelAlias: z.string() }),
  writes: ({ name }) => [field(name, 'utf8')],
  requires: ({ modelAlias }) => ({ models: [modelAlias], tools: [] }),
  cell: () => () => [''],
});

const registry = new ColumnRegistry([told]);
const PRICE = { input: 1, output: 2, cachedInput: null, image: null };
const MODELS = [
  { alias: 'writer', model: 'm', provider: 'acme' },
  { alias: 'priced', model: 'p', provider: 'acme', pricing: { input: 1, output: 2 } },
  { alias: 'unused', model: 'u', provider: 'acme' },
];

function found(aliases: readonly string[], spending: Partial<SpendingBounds>) {
  const columns = aliases.map((alias) => ({ name: alias, column_type: 'told', model_alias: alias }));
  const parsed = parseDataset({ model_configs: MODELS, columns }, registry);
  return checkDataset(parsed, { registry, spending: { maxCost: 5, priceOf: () => undefined, ...spending } });
}

test('a budget is an error if no model has a known price', () => {
  const [one, ...others] = found(['writer'], {});
  expect(others).toEqual([]);
  expect(one).toMatchObject({
    level: 'ERROR',
    type: 'budget_without_prices',
    path: 'run_config.max_cost',
    stage: 'run',
  });
  expect(one?.message).toContain("'writer'");
  expect(one?.remedy).toContain('--prices');
});

test('a budget with only some known prices warns about the models without one', () => {
  const [one, ...others] = found(['writer', 'priced'], {});
  expect(others).toEqual([]);
  expect(one).toMatchObject({ level: 'WARNING', type: 'unknown_price' });
  expect(one?.message).toContain("'writer'");
  expect(one?.message).not.toContain("'priced'");
});

test('without a budget, a model without a price is named if another has one', () => {
  const [one, ...others] = found(['writer', 'priced'], { maxCost: null });
  expect(others).toEqual([]);
  expect(one).toMatchObject({ level: 'WARNING', type: 'unknown_price', path: 'model_configs[0]' });
  expect(one?.message).toBe(
    "no price is known for 'writer', while other models have one, so the cost leaves out its answers.",
  );
});

test('checkDataset reports nothing if all prices are known, no model is used or no budget is set', () => {
  expect(found(['writer'], { freeProviders: new Set(['acme']) })).toEqual([]);
  expect(found(['writer', 'priced'], { priceOf: (_, model) => (model === 'm' ? PRICE : undefined) })).toEqual([]);
  expect(found(['writer'], { maxCost: null })).toEqual([]);
  expect(found([], {}).filter(({ path }) => path === 'run_config.max_cost')).toEqual([]);
});

test('the budget check includes the model that summarizes the scores of judges', () => {
  const columns = [{ name: 'priced', column_type: 'told', model_alias: 'priced' }];
  const profilers = [{ model_alias: 'writer' }, { model_alias: 'unused', summary_score_sample_size: null }];
  const parsed = parseDataset({ model_configs: MODELS, columns, profilers }, registry);
  const spending = { maxCost: 5, priceOf: () => undefined };
  const findings = checkDataset(parsed, { registry, spending }).map(({ type, message }) => [type, message]);
  expect(findings).toEqual([
    ['unknown_price', "no price is known for 'writer', so its answers do not count towards the budget."],
  ]);
});
