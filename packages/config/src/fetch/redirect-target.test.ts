import { expect, test } from 'vitest';
import { redirectTarget } from './redirect-target.ts';

test.each([
  ['b.yaml', 'http://example.org/x/b.yaml'],
  ['/b.yaml', 'http://example.org/b.yaml'],
  ['//example.com/b.yaml', 'http://example.com/b.yaml'],
  ['https://example.com/b.yaml', 'https://example.com/b.yaml'],
  ['file:///b.yaml', 'file:///b.yaml'],
])('%s leads from http to %s', (location, target) => {
  expect(redirectTarget(location, new URL('http://example.org/x/a.yaml')).href).toBe(target);
});

test('a way from https to http is refused, also where it begins and ends at one server', () => {
  const from = new URL('https://example.org/a.yaml');
  expect(() => redirectTarget('http://example.org/a.yaml', from)).toThrow('from https to http');
  expect(redirectTarget('//example.com/b.yaml', from).href).toBe('https://example.com/b.yaml');
});

test('what is no address is said to be none', () => {
  expect(() => redirectTarget('http://[bad', new URL('http://example.org/'))).toThrow('not a valid address');
});
