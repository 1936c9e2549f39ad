import { expect, test } from 'vitest';
import { mcpProvider, modelProvider } from '@data-designer/config';
import type { Plan } from '@data-designer/core';
import { lackedBy } from './lacking.ts';

const PLAN = {
  resources: [
    { id: 'acme/m', kind: 'model', provider: 'acme' },
    { id: 'lost/m', kind: 'model', provider: 'lost' },
    { id: 'served/m', kind: 'model', provider: 'served' },
    { id: 'web', kind: 'tools', provider: 'web' },
    { id: 'notes', kind: 'tools', provider: 'notes' },
    { id: 'own', kind: 'tools', provider: 'own' },
  ],
  models: { writer: { resource: 'acme/m', protocol: 'openai' } },
} as unknown as Pick<Plan, 'resources' | 'models'>;

const acme = (more: object = {}) =>
  modelProvider.parse({ name: 'acme', endpoint: 'https://a.example/v1', apiKey: '${ACME_KEY}', ...more });
const notes = mcpProvider.parse({ name: 'notes', providerType: 'stdio', command: 'x', env: { KEY: 'a ${NOTES_KEY}' } });

test('a machine learns all that it lacks at once', () => {
  const own = {
    providers: { models: [acme({ providerType: 'anthropic' })], tools: [notes] },
    modelServers: [{ name: 'served', program: '', args: [] }],
    localTools: [{ name: 'own', providerType: 'local' as const, module: 'tools.mjs' }],
  };
  expect(lackedBy(PLAN, own, {})).toEqual([
    "the provider_type openai of the model provider 'acme'",
    "the variable ACME_KEY of the model provider 'acme'",
    "the model provider 'lost'",
    "the tool provider 'web'",
    "the variable NOTES_KEY of the tool provider 'notes'",
  ]);
});

test('a machine with all providers and keys lacks nothing, wherever its endpoints are', () => {
  const plan = { ...PLAN, resources: PLAN.resources.filter(({ provider }) => /acme|notes/.test(provider)) };
  const own = { providers: { models: [acme()], tools: [notes] }, modelServers: [], localTools: [] };
  expect(lackedBy(plan, own, { ACME_KEY: 'k', NOTES_KEY: '' })).toEqual([]);
});
