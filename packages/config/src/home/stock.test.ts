import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { parseJson, stringifyJson } from '@data-designer/core';
import { writeForm } from '../read-form.ts';
import { modelConfig } from '../schemas/model-config.ts';
import { stockModelConfigs, stockModelProviders } from './stock.ts';

const CONFORMANCE = new URL('../../../../test/conformance/data/configs.jsonl', import.meta.url);

interface Row {
  readonly file: string;
  readonly normalized: { readonly data_designer: { readonly model_configs: unknown } } | null;
}

test('the stock models are the defaults of the Python tool for a config without models', () => {
  const rows = readFileSync(CONFORMANCE, 'utf8')
    .trim()
    .split('\n')
    .map((line) => parseJson(line) as unknown as Row);
  const row = rows.find(({ file }) => file === 'configs/form_default_models.yaml');
  const written = writeForm(z.array(modelConfig), stockModelConfigs());
  expect(parseJson(stringifyJson(written))).toEqual(row?.normalized?.data_designer.model_configs);
});

test('every stock model has a stock provider that names an environment variable for its key', () => {
  const names = stockModelProviders.map(({ name }) => name);
  expect(names).toEqual(['nvidia', 'openai', 'openrouter']);
  expect(new Set(stockModelConfigs().map(({ provider }) => provider))).toEqual(new Set(names));
  expect(stockModelProviders.map(({ apiKey }) => apiKey)).toEqual(names.map((name) => `${name.toUpperCase()}_API_KEY`));
});
