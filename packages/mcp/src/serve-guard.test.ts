import type { IncomingMessage } from 'node:http';
import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import { guard } from './serve-guard.ts';
import type { ServeOptions } from './serve-options.ts';

function statusOf(options: Partial<ServeOptions>, headers: Record<string, string>): number | undefined {
  const refusalOf = guard({ name: 'n', version: '1', transport: 'streamable_http', ...options });
  return refusalOf({ headers } as unknown as IncomingMessage)?.status;
}

test.each([
  ['its loopback names', {}, { host: '127.0.0.1:80' }, undefined],
  ['its name in capitals', {}, { host: 'LOCALHOST:80' }, undefined],
  ['the loopback of IPv6', {}, { host: '[::1]:80' }, undefined],
  ['an unknown name', {}, { host: 'evil.example:80' }, 403],
  ['a name that starts with its own', {}, { host: 'localhost.evil.example' }, 403],
  ['no name', {}, {}, 403],
  ['a name with a user in it', {}, { host: 'localhost@evil.example' }, 403],
  ['the host it listens at', { host: 'tools.example' }, { host: 'tools.example' }, undefined],
  ['an address of its own at all addresses', { host: '0.0.0.0' }, { host: '10.0.0.7:80' }, undefined],
  ['the name of its machine at all addresses', { host: '::' }, { host: hostname() }, undefined],
  ['an unknown name at all addresses', { host: '0.0.0.0' }, { host: 'evil.example' }, 403],
])('checks a request to %s', (...[, options, headers, status]) => {
  expect(statusOf(options, headers)).toBe(status);
});

test.each([
  ['none', undefined, undefined],
  ['one of this machine', 'http://localhost:6274', undefined],
  ['an unknown one', 'https://evil.example', 403],
  ['that of a file', 'null', 403],
  ['one of another kind', 'chrome-extension://abc', 403],
])('checks a request from a page whose origin is %s', (_, origin, status) => {
  expect(statusOf({}, { host: 'localhost', ...(origin === undefined ? {} : { origin }) })).toBe(status);
});

test('a server at all addresses rejects pages of an address other than the requested one', () => {
  const options = { host: '0.0.0.0' };
  expect(statusOf(options, { host: '10.0.0.7', origin: 'http://10.0.0.7' })).toBeUndefined();
  expect(statusOf(options, { host: '10.0.0.7', origin: 'http://6.6.6.6' })).toBe(403);
});

test('a token must match exactly', () => {
  const host = 'localhost';
  expect(statusOf({ token: 'abc' }, { host })).toBe(401);
  expect(statusOf({ token: 'abc' }, { host, authorization: 'Bearer abcd' })).toBe(401);
  expect(statusOf({ token: 'abc' }, { host, authorization: 'Bearer abc' })).toBeUndefined();
});
