import { expect, test } from 'vitest';
import { protocolOf } from '@data-designer/models/protocols';
import { headersOf, pathOf } from './model-access.ts';

const OPENAI = { endpoint: 'https://host/v1', protocol: protocolOf('openai'), apiKey: 'k', extraHeaders: {} };
const ANTHROPIC = { ...OPENAI, endpoint: 'https://host', protocol: protocolOf('anthropic') };

test('each protocol sends the key in its own header, and no header without a key', () => {
  expect(headersOf(OPENAI)).toMatchObject({ authorization: 'Bearer k' });
  expect(headersOf(OPENAI)).not.toHaveProperty('x-api-key');
  expect(headersOf(ANTHROPIC)).toMatchObject({ 'x-api-key': 'k', 'anthropic-version': '2023-06-01' });
  expect(headersOf(ANTHROPIC)).not.toHaveProperty('authorization');
  expect(Object.keys(headersOf({ ...OPENAI, apiKey: undefined }))).toEqual(['content-type', 'accept']);
});

test('extra headers override the built-in ones, in any case', () => {
  const extraHeaders = { 'Anthropic-Version': '2024-01-01', 'X-Api-Key': 'other', 'anthropic-beta': 'x' };
  expect(headersOf({ ...ANTHROPIC, extraHeaders })).toEqual({
    'content-type': 'application/json',
    accept: 'application/json',
    'anthropic-version': '2024-01-01',
    'x-api-key': 'other',
    'anthropic-beta': 'x',
  });
});

test.each([
  ['openai', 'https://host/v1', 'chat/completions', '/v1/chat/completions'],
  ['openai', 'https://host/v1/', 'embeddings', '/v1/embeddings'],
  ['openai', 'https://host', 'images/generations', '/images/generations'],
  ['openai', 'https://host/d/x?api-version=1&a=b', 'chat/completions', '/d/x/chat/completions?api-version=1&a=b'],
  ['openai', 'https://host/v1/?k=v', 'embeddings', '/v1/embeddings?k=v'],
  ['anthropic', 'https://host', 'messages', '/v1/messages'],
  ['anthropic', 'https://host/', 'messages', '/v1/messages'],
  ['anthropic', 'https://host/v1', 'messages', '/v1/messages'],
  ['anthropic', 'https://host/v1/', 'messages', '/v1/messages'],
  ['anthropic', 'https://host/gate/anthropic', 'messages', '/gate/anthropic/v1/messages'],
] as const)('the %s endpoint %s sends %s to %s', (...row) => {
  const [providerType, endpoint, path, expected] = row;
  expect(pathOf({ ...OPENAI, protocol: protocolOf(providerType), endpoint }, path)).toBe(expected);
});
