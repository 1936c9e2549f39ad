import { expect, test } from 'vitest';
import { modelProvider, unusableProvider } from './providers.ts';

const PROTOCOLS = ['openai', 'anthropic'];
const provider = (endpoint: string, providerType = 'openai') =>
  modelProvider.parse({ name: 'mine', endpoint, providerType });

test.each(['http://localhost:9000/v1', 'https://host/v1', 'HTTPS://host'])(
  'an OpenAI-compatible provider at %s is usable',
  (at) => {
    expect(unusableProvider(provider(at), PROTOCOLS)).toBeUndefined();
  },
);

test('the provider type is case-insensitive', () => {
  expect(unusableProvider(provider('https://host/v1', 'OpenAI'), PROTOCOLS)).toBeUndefined();
  expect(unusableProvider(provider('https://host/v1', 'Anthropic'), PROTOCOLS)).toBeUndefined();
});

test.each(['stdio', 'other'])('a provider of the type %s loads but cannot be used', (type) => {
  expect(unusableProvider(provider('https://host/v1', type), PROTOCOLS)?.message).toContain(
    `'mine' is of type '${type}'`,
  );
});

test.each(['', 'localhost:9000', 'ftp://host', 'http://', 'https://user:secret-word@:x'])(
  'the endpoint %j is reported as not an address, without quoting it',
  (endpoint) => {
    const told = unusableProvider(provider(endpoint), PROTOCOLS);
    expect(told?.message).toBe("the endpoint of the provider 'mine' is not a valid address.");
    expect(told?.remedy).not.toContain('secret-word');
  },
);
