import { expect, test } from 'vitest';
import type { PlannedColumn, Resource } from '@data-designer/core';
import type { DatasetConfig, ModelProvider } from '@data-designer/config';
import { planResources } from './plan-models.ts';

const COMMON = { maxParallelRequests: 4, timeout: null, extraBody: null };
const CHAT = { generationType: 'chat-completion', ...COMMON, temperature: null, topP: null, maxTokens: null } as const;
const EMBEDDING = { generationType: 'embedding', ...COMMON, encodingFormat: 'float', dimensions: null } as const;
const IMAGE = { generationType: 'image', ...COMMON } as const;

const model = (
  alias: string,
  provider: string,
  inferenceParameters:
    | (typeof CHAT & Pick<Resource, 'requestsPerMinute' | 'tokensPerMinute'>)
    | typeof EMBEDDING
    | typeof IMAGE,
) => ({
  alias,
  model: 'omni',
  provider,
  inferenceParameters,
  skipHealthCheck: false,
});

const MODEL_CONFIGS = [
  model('talk', 'here', { ...CHAT, requestsPerMinute: 60 }),
  model('talk-less', 'here', { ...CHAT, maxParallelRequests: 2, requestsPerMinute: 30, tokensPerMinute: 9000 }),
  model('vectors', 'here', EMBEDDING),
  model('pictures', 'here', IMAGE),
  model('elsewhere', 'there', CHAT),
];

const PROVIDERS: readonly ModelProvider[] = [
  {
    name: 'there',
    endpoint: 'https://host',
    providerType: 'anthropic',
    apiKey: null,
    extraBody: null,
    extraHeaders: null,
  },
];

const columns = [{ requires: { models: MODEL_CONFIGS.map(({ alias }) => alias), tools: [] } }];
const { models, resources } = planResources(
  columns as unknown as readonly PlannedColumn[],
  { modelConfigs: MODEL_CONFIGS, toolConfigs: [] } as unknown as DatasetConfig,
  { providers: PROVIDERS, priceOf: () => undefined },
);

test('each kind of request to a model is one resource with the largest limit and the smallest rates of its aliases, and all kinds share a pool', () => {
  const here = { kind: 'model', provider: 'here', pool: 'model/here/omni' };
  expect(resources).toEqual([
    { ...here, id: 'model/here/omni', limit: 4, requestsPerMinute: 30, tokensPerMinute: 9000 },
    { ...here, id: 'embedding/here/omni', limit: 4 },
    { ...here, id: 'image/here/omni', limit: 4 },
    { id: 'model/there/omni', kind: 'model', provider: 'there', limit: 4, pool: 'model/there/omni' },
  ]);
});

test('a planned model names its generation type and the protocol of its provider', () => {
  expect(models.vectors).toMatchObject({
    resource: 'embedding/here/omni',
    generationType: 'embedding',
    protocol: 'openai',
  });
  expect(models.elsewhere).toMatchObject({
    resource: 'model/there/omni',
    protocol: 'anthropic',
    structuredOutput: null,
  });
});

test('no two models share a resource id, whatever the names of models and providers', () => {
  const chat = (alias: string, provider: string, name: string) => ({ ...model(alias, provider, CHAT), model: name });
  const configs = [
    { ...model('a', 'p', EMBEDDING), model: 'x' },
    chat('b', 'p', 'x/embedding'),
    chat('c', 'p/x', 'embedding'),
    chat('d', 'p%2Fx', 'embedding'),
    chat('e', 'p', 'x'),
  ];
  const spending = [{ requires: { models: configs.map(({ alias }) => alias), tools: [] } }];
  const outside = planResources(
    spending as unknown as readonly PlannedColumn[],
    { modelConfigs: configs, toolConfigs: [] } as unknown as DatasetConfig,
    { providers: [], priceOf: () => undefined },
  );
  expect(new Set(outside.resources.map(({ id }) => id)).size).toBe(configs.length);
  // The embeddings and chat answers of one model share a pool; every other model has its own.
  expect(new Set(outside.resources.map(({ pool }) => pool)).size).toBe(configs.length - 1);
});

test('a planned model has the request rules that its provider names, else those of its host', () => {
  const rest = { providerType: 'openai', apiKey: null, extraBody: null, extraHeaders: null } as const;
  const endpoint = 'https://api.groq.com/openai/v1';
  const providers: readonly ModelProvider[] = [
    { name: 'here', endpoint, ...rest },
    { name: 'there', endpoint, requestRules: 'vllm', ...rest },
  ];
  const configs = { modelConfigs: MODEL_CONFIGS, toolConfigs: [] } as unknown as DatasetConfig;
  const planned = planResources(columns as unknown as readonly PlannedColumn[], configs, {
    providers,
    priceOf: () => undefined,
  });
  expect([planned.models.talk?.requestRules, planned.models.elsewhere?.requestRules]).toEqual(['groq', 'vllm']);
  expect(models.talk?.requestRules).toBeUndefined();
});
