import { expect, test } from 'vitest';
import type { ConfigAnswer } from '../../../api/config.ts';
import { configDifferences } from './config-differences.ts';

const model = {
  alias: 'writer',
  model: 'm-1',
  provider: 'own',
  limit: 4,
  parameters: { temperature: 0.5 },
  pricing: null,
};

function config(
  columns: readonly object[],
  { seed = 1, rows = 9, with: other = {} }: object & Facts = {},
): ConfigAnswer {
  const plan = { seed, rows, groups: 1, groupSize: 9, maxCost: null, models: [{ ...model, ...other }], tools: [] };
  const declaration = JSON.stringify({ data_designer: { columns, model_configs: [{ alias: 'left out' }] } });
  return {
    declaration,
    graph: { nodes: [], edges: [] },
    plan: { ...plan, processors: [] },
    environment: { folder: 'x' },
  };
}

interface Facts {
  readonly seed?: number;
  readonly rows?: number;
  readonly with?: object;
}

test('two configs differ in the columns, prompts, models, the seed and the rows', () => {
  const left = config([
    { name: 'topic', values: ['a', 'b'] },
    { name: 'text', prompt: 'Write.' },
    { name: 'gone', drop: true },
  ]);
  const right = config(
    [
      { name: 'text', prompt: 'Write well.' },
      { name: 'topic', values: ['a', 'c'] },
    ],
    {
      seed: 2,
      rows: 10,
      with: { model: 'm-2', parameters: { temperature: 0.7 } },
    },
  );
  expect(configDifferences(left, right)).toEqual([
    { path: 'columns.topic.values', left: '["a","b"]', right: '["a","c"]' },
    { path: 'columns.text.prompt', left: 'Write.', right: 'Write well.' },
    { path: 'columns.gone', left: 'drop: true', right: undefined },
    { path: 'models.writer.model', left: 'm-1', right: 'm-2' },
    { path: 'models.writer.parameters.temperature', left: '0.5', right: '0.7' },
    { path: 'rows', left: '9', right: '10' },
    { path: 'run seed', left: '1', right: '2' },
  ]);
  expect(configDifferences(left, left)).toEqual([]);
});

test('a dataset without a config differs in what its plan says', () => {
  const left = config([{ name: 'text' }]);
  expect(configDifferences({ ...left, declaration: null }, config([], { seed: 5 }))).toEqual([
    { path: 'run seed', left: '1', right: '5' },
    { path: 'columns', left: undefined, right: '[]' },
  ]);
  expect(configDifferences(left, { ...left, declaration: '{broken' })).toEqual([
    { path: 'columns.text', left: '{}', right: undefined },
  ]);
});
