import { expect, test } from 'vitest';
import { proxyFor } from './proxy-for.ts';

const SET = { http_proxy: 'http://plain:3128', HTTPS_PROXY: 'secure:3129' };

test('each protocol has its own proxy', () => {
  expect(proxyFor('http://models.example/v1', SET)).toBe('http://plain:3128');
  expect(proxyFor('https://models.example/v1', SET)).toBe('http://secure:3129');
  expect(proxyFor('https://models.example/v1', { http_proxy: 'http://plain:3128' })).toBeUndefined();
  expect(proxyFor('http://models.example/v1', { http_proxy: 'http://a', HTTP_PROXY: 'http://b' })).toBe('http://a');
  expect(proxyFor('http://models.example/v1', {})).toBeUndefined();
  expect(proxyFor('http://models.example/v1', { http_proxy: '' })).toBeUndefined();
});

test.each(['http://127.0.0.1:9/v1', 'http://localhost:9/v1', 'http://[::1]:9/v1', 'https://a.localhost'])(
  'requests to this machine use no proxy: %s',
  (address) => {
    expect(proxyFor(address, SET)).toBeUndefined();
  },
);

test.each([
  ['*', true],
  ['models.example', true],
  ['.example', true],
  ['*.example', true],
  ['other, EXAMPLE', true],
  ['models.example:8000', true],
  ['models.example:80', false],
  ['odels.example', false],
  ['models.example.org', false],
  ['', false],
])('no_proxy "%s" excludes a host from the proxy: %s', (no_proxy, isOut) => {
  const proxy = proxyFor('http://models.example:8000/v1', { ...SET, no_proxy });
  expect(proxy).toBe(isOut ? undefined : 'http://plain:3128');
});
