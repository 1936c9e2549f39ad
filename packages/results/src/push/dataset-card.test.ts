import { type CountedProfile, NOT_CALCULATED } from '@data-designer/profile';
import type { Plan } from '@data-designer/core';
import { expect, test } from 'vitest';
import { datasetCard } from './dataset-card.ts';

const column = { storedType: 'string', dataType: 'string', records: 1500, nulls: 0, unique: 1500, examples: [] };

const counted: CountedProfile = {
  version: 1,
  name: 'facts',
  records: 1500,
  wanted: 2000,
  columns: [
    { ...column, name: 'a|b', columnType: 'sampler', samplerType: 'uuid', nulls: 300 },
    {
      ...column,
      name: 'answer`s',
      columnType: 'llm-text',
      nulls: NOT_CALCULATED,
      unique: NOT_CALCULATED,
      inputTokens: NOT_CALCULATED,
      outputTokens: NOT_CALCULATED,
    },
    { ...column, name: 'ok', columnType: 'validation', valid: 750 },
  ],
  sideEffects: ['answer`s__trace'],
  correlations: null,
  nullPatterns: [],
  traces: [],
  judges: [],
};

const model = { alias: 'writer', model: 'gpt-4.1', protocol: 'openai', parameters: { temperature: 0.7 } };
const plan = {
  fingerprint: 'sha256:ab12',
  columns: [{ requires: { models: ['writer'] } }],
  models: { writer: model, unused: { ...model, alias: 'unused', model: 'other' } },
} as unknown as Plan;

const card = datasetCard({
  plan,
  target: { endpoint: new URL('https://huggingface.co'), repoId: 'acme/my_small-facts', revision: 'main' },
  counted,
  columns: 4,
  unverified: [
    { block: 'solve', rows: 20, of: 1500, until: 'passed' },
    { block: 'judge', rows: 1, of: 1500, until: null },
  ],
  tables: [
    { name: 'data', processor: null, files: ['x/batch_00000.parquet', 'x/batch_00001.arrow'] },
    { name: 'chats', processor: 'chats', files: ['y/batch_00000.parquet'] },
  ],
});

test('a card has a table of columns whose names and figures do not break it', () => {
  expect(card.split('\n').filter((line) => line.startsWith('|'))).toEqual([
    '| Column | Type | Column type | Unique | Null | Details |',
    '| --- | --- | --- | --- | --- | --- |',
    String.raw`| ${'`a\\|b`'} | ${'`string`'} | sampler | 1,500 (100.0%) | 300 (20.0%) | uuid |`,
    '| `` answer`s `` | `string` | llm-text | unknown | unknown | Tokens: unknown out / unknown in |',
    '| `ok` | `string` | validation | 1,500 (100.0%) | 0 (0.0%) | 50.0% valid |',
  ]);
  expect(card).not.toContain(NOT_CALCULATED.repeat(2));
});

test('a card says what is missing, how to load each table, and counts side effects', () => {
  expect(card).toContain('# My Small Facts\n\nA synthetic dataset of 1,500 records.\n');
  expect(card).toContain('- Records: 1,500\n- Columns: 4\n- Completion: 75.0% of 2,000 records\n');
  expect(card).toContain(
    '- Not verified: 20 of 1,500 rows, of which `solve` accepted no attempt; verified rows fulfil `passed`\n',
  );
  expect(card).toContain('- Not verified: 1 of 1,500 rows, of which `judge` accepted no attempt\n');
  expect(card).toContain('Further columns: `` answer`s__trace ``.');
  expect(card).toContain('dataset = load_dataset("acme/my_small-facts", "data", split="train")\n');
  expect(card).toContain('load_dataset("acme/my_small-facts", "chats", split="train")\n');
  expect(card).toContain('- "data/*.parquet"\n  - "data/*.arrow"\n  default: true\n');
  expect(card).toContain('size_categories:\n- 1K<n<10K\n');
  expect(card).not.toContain('HF_ENDPOINT');
});

test('a card names the models that the columns ask, and the config', () => {
  expect(card).toContain(
    '## Provenance\n\n- Model `gpt-4.1`: protocol openai, temperature 0.7\n- Config: `sha256:ab12`\n',
  );
});
