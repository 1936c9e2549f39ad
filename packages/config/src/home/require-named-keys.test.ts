import { expect, test } from 'vitest';
import { mcpProvider, modelProvider } from '../schemas/providers.ts';
import { requireNamedKeys } from './require-named-keys.ts';

test.each([
  ['OPENAI_API_KEY', '${OPENAI_API_KEY}'],
  ['HF_TOKEN', '${HF_TOKEN}'],
  ['${NAME}', '${NAME}'],
  ['EMPTY', 'EMPTY'],
  ['NOT_NEEDED', 'NOT_NEEDED'],
  ['sk-abc_KEY', 'sk-abc_KEY'],
  [null, null],
])('the key %j is asked for as %j', (apiKey, asked) => {
  const model = modelProvider.parse({ name: 'm', endpoint: 'https://host/v1', apiKey });
  const tools = mcpProvider.parse({ name: 's', providerType: 'sse', endpoint: 'https://host/sse', apiKey });
  const local = mcpProvider.parse({ name: 'l', providerType: 'stdio', command: 'run' });
  expect(requireNamedKeys({ models: [model], tools: [tools, local] })).toEqual({
    models: [{ ...model, apiKey: asked }],
    tools: [{ ...tools, apiKey: asked }, local],
  });
});
