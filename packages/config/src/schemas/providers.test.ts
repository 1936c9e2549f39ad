import { expect, test } from 'vitest';
import { modelProvider, unusableProvider } from './providers.ts';

const PROTOCOLS = ['openai', 'anthropic'];
const provider = (endpoint: string, providerType = 'openai') =>
  modelProvider.parse({ name: 'mine', endpoint, providerType });

test.each(['http://localhost:9000/v1', 'https://host/v1', 'HTTPS://host'])(
  'an OpenAI-compatible server at %s',
  (at) => {
    expect(unusableProvider(provider(at), PROTOCOLS)).toBeUndefined();
  },
);

test('the type may be written in any case', () => {
  expect(unusableProvider(provider('https://host/v1', 'OpenAI'), PROTOCOLS)).toBeUndefined();
  expect(unusableProvider(provider('https://host/v1', 'Anthropic'), PROTOCOLS)).toBeUndefined();
});

test.each(['stdio', 'other'])('the type %s loads and cannot be used', (type) => {
  expect(unusableProvider(provider('https://host/v1', type), PROTOCOLS)?.message).toContain(
    `'mine' is of type '${type}'`,
  );
});

test.each(['', 'localhost:9000', 'ftp://host', 'http://', 'https://user:secret-word@:x'])(
  'the endpoint %j is no address, and is not repeated',
  (endpoint) => {
    const told = unusableProvider(provider(endpoint), PROTOCOLS);
    expect(told?.message).toBe("the endpoint of the provider 'mine' is not an address.");
    expect(told?.remedy).not.toContain('secret-word');
  },
);
