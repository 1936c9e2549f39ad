import { expect, test } from 'vitest';
import { toolsOfProvider } from './tools-answer.ts';

test.each([
  ['of one server', { tools: ['a'] }, ['a']],
  [
    'of named providers',
    {
      providers: [
        { provider: 'other', tools: ['b'] },
        { provider: 'own', tools: ['a'] },
      ],
    },
    ['a'],
  ],
  ['without the provider', { providers: [{ provider: 'other', tools: ['b'] }], tools: ['c'] }, undefined],
  ['with odd entries', { providers: [null, 'own', { provider: 'own' }] }, undefined],
  ['of another form', ['own'], undefined],
])('a file %s has the tools of a provider', (_, parsed, tools) => {
  expect(toolsOfProvider(parsed, 'own')).toEqual(tools);
});
