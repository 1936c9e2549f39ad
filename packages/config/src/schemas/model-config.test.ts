import { expect, test } from 'vitest';
import { modelConfig } from './model-config.ts';

const priced = (generationType: string, pricing: object) =>
  modelConfig.safeParse({ alias: 'a', model: 'm', provider: 'p', inferenceParameters: { generationType }, pricing });

test('a chat model needs an output price, an embedding model does not', () => {
  expect(priced('embedding', { input: 1 }).success).toBe(true);
  expect(priced('chat-completion', { input: 1, output: 2 }).success).toBe(true);
  expect(priced('chat-completion', { input: 1 }).error?.issues).toMatchObject([{ path: ['pricing', 'output'] }]);
});
